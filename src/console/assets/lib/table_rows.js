/** The parts of a table that do not depend on the page: sort order, visible rows, long names. */

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Whether a value is absent: such a cell shows a dash. */
export function isAbsent(value) {
  return value === null || value === undefined || value === "";
}

/**
 * The rows in the order of a column. Absent values come last in both directions, and equal rows stay
 * in their order.
 *
 * @template Row
 * @param {readonly Row[]} rows
 * @param {{ of: (row: Row) => unknown } | undefined} column
 * @param {boolean} isRising
 * @returns {Row[]}
 */
export function sortedRows(rows, column, isRising) {
  if (column?.of === undefined) return [...rows];
  const sign = isRising ? 1 : -1;
  return rows.map((row) => [row, column.of(row)]).sort(([, one], [, other]) => {
    if (isAbsent(one) || isAbsent(other)) return Number(isAbsent(one)) - Number(isAbsent(other));
    if (typeof one === "string" || typeof other === "string") {
      return sign * collator.compare(String(one), String(other));
    }
    return one === other ? 0 : sign * (one < other ? -1 : 1);
  }).map(([row]) => row);
}

/**
 * The columns with a value in any row. The first column, the sorted one and those without sortable
 * values are always included.
 *
 * @param {readonly { id: string, of?: (row: any) => unknown }[]} columns
 * @param {readonly unknown[]} rows
 * @param {string} sorted the ID of the sorted column
 */
export function usedColumns(columns, rows, sorted) {
  return columns.filter(({ id, of }, index) =>
    index === 0 || id === sorted || of === undefined || rows.length === 0 ||
    rows.some((row) => !isAbsent(of(row)))
  );
}

/**
 * The number of rows rendered above and below the visible ones, and the step of the rendered range.
 */
const MARGIN = 16;
const STEP = 8;

/**
 * The range of rendered rows.
 *
 * @param {{ count: number, height: number, start: number, top: number, bottom: number }} view the
 * number and height of the rows, the position of the first one, and the edges of what is visible,
 * in pixels from the top of the window
 * @returns {{ from: number, to: number }} indexes; `to` is not rendered
 */
export function renderedRows({ count, height, start, top, bottom }) {
  const first = Math.floor((top - start) / height) - MARGIN;
  const last = Math.ceil((bottom - start) / height) + MARGIN;
  const from = Math.max(0, Math.floor(first / STEP) * STEP);
  const to = Math.min(count, Math.ceil(last / STEP) * STEP);
  return from < to ? { from, to } : { from: 0, to: Math.min(count, 2 * MARGIN) };
}

/**
 * The number of characters at a name's end that are never truncated, and the length from which it
 * is split.
 */
const [MIN_END, MAX_END, CUT_FROM] = [8, 14, 24];

/**
 * Splits a long name in two: the first part may be truncated, the last one is always shown.
 *
 * @param {string} name
 * @returns {[string, string]} the last part is empty for a short name
 */
export function splitName(name) {
  const characters = [...name];
  if (characters.length < CUT_FROM) return [name, ""];
  let end = MIN_END + 2;
  for (let length = MIN_END; length <= MAX_END; length++) {
    if (/[-_/.:@ ]/.test(characters[characters.length - length])) end = length;
  }
  return [characters.slice(0, -end).join(""), characters.slice(-end).join("")];
}

/** The line differences between two texts. */

/** Above this product of line counts, differing lines are shown as one replaced block. */
const MAX_CELLS = 4_000_000;
/** The number of equal lines shown around a difference. */
const CONTEXT = 3;

/**
 * @param {string} before
 * @param {string} after
 * @returns {{ sign: "+" | "-" | " ", text: string, line: number }[][]} groups of adjacent changes;
 * `line` counts from 1, and refers to `before` for removed lines
 */
export function lineDiff(before, after) {
  const [old, next] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (
    end < old.length - start && end < next.length - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  ) end++;
  const middle = compare(old.slice(start, old.length - end), next.slice(start, next.length - end));
  if (middle.length === 0) return [];
  const rows = [];
  let [left, right] = [start, start];
  for (const { sign, text } of middle) {
    rows.push({ sign, text, line: sign === "-" ? left + 1 : right + 1 });
    if (sign !== "+") left++;
    if (sign !== "-") right++;
  }
  const head = next.slice(Math.max(0, start - CONTEXT), start).map((text, index, { length }) => ({
    ...{ sign: " ", text, line: start - length + index + 1 },
  }));
  const tail = next.slice(right, right + CONTEXT).map((text, index) => ({
    ...{ sign: " ", text, line: right + index + 1 },
  }));
  return grouped([...head, ...rows, ...tail]);
}

/** The shortest list of changes, by the longest common subsequence. */
function compare(old, next) {
  if (old.length * next.length > MAX_CELLS) return replaced(old, next);
  const width = next.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = next.length - 1; column >= 0; column--) {
      lengths[row * width + column] = old[row] === next[column]
        ? lengths[(row + 1) * width + column + 1] + 1
        : Math.max(lengths[(row + 1) * width + column], lengths[row * width + column + 1]);
    }
  }
  const rows = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < next.length) {
    if (old[row] === next[column]) {
      rows.push({ sign: " ", text: old[row] });
      row++;
      column++;
    } else if (lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]) {
      rows.push({ sign: "-", text: old[row++] });
    } else {
      rows.push({ sign: "+", text: next[column++] });
    }
  }
  return [...rows, ...replaced(old.slice(row), next.slice(column))];
}

function replaced(old, next) {
  return [
    ...old.map((text) => ({ sign: "-", text })),
    ...next.map((text) => ({ sign: "+", text })),
  ];
}

/** Omits equal lines that are far from any difference. */
function grouped(rows) {
  const groups = [];
  let last = -Infinity;
  for (const [index, row] of rows.entries()) {
    const isNear = rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
      .some(({ sign }) => sign !== " ");
    if (!isNear) continue;
    if (index !== last + 1) groups.push([]);
    groups.at(-1).push(row);
    last = index;
  }
  return groups;
}

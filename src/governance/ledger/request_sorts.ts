/** The sort orders of a list of requests. The table works for rows in memory and for databases. */

import { PATH_CONDITIONS, pathOf, REQUEST_PATHS } from "./request_paths.ts";
import { COLUMNS, type LedgerRow } from "./row.ts";

/** A sort value; text is in lowercase and compared by code points. */
type SortValue = number | string;

/** The parts of a sort order that differ between databases. */
export interface SortDialect {
  readonly table: string;
  /** A text with lowercase ASCII letters, which is compared by code points. */
  readonly toLowerCase: (column: string) => string;
}

interface Sort {
  /** The SQL expression. */
  readonly sql: (dialect: SortDialect) => string;
  readonly of: (row: LedgerRow) => SortValue | undefined;
}

/** The sort orders by their names in the API: members of a request in reports. */
export const REQUEST_SORTS = {
  time: number("time"),
  status: number("status"),
  model: text("model"),
  provider: text("provider"),
  key: text("key"),
  /** By the position of its first word in {@linkcode REQUEST_PATHS}. */
  path: {
    sql: () =>
      `CASE ${
        REQUEST_PATHS.map((path, index) => `WHEN ${PATH_CONDITIONS[path].sql} THEN ${index}`)
          .join(" ")
      } END`,
    of: (row) => {
      const [first] = pathOf(row);
      return first && REQUEST_PATHS.indexOf(first);
    },
  },
  ms: number("ms"),
  cost_usd: number("usd"),
  input_tokens: number("input"),
  output_tokens: number("output"),
  first_token_ms: number("firstTokenMs"),
  attempt_count: number("attempts"),
} as const satisfies Readonly<Record<string, Sort>>;

export type SortName = keyof typeof REQUEST_SORTS;

/** A list's order. */
export interface RequestSort {
  readonly by: SortName;
  /** Whether the smallest value is first, instead of the largest. */
  readonly isRising: boolean;
  /** Requests after this value may be omitted. */
  readonly before?: SortValue | undefined;
}

/** Whether the API has a sort order with this name. */
export function isSortName(name: string): name is SortName {
  return Object.hasOwn(REQUEST_SORTS, name);
}

/** The value that a request is sorted by; undefined if it has none. */
export function sortValueOf(row: LedgerRow, { by }: RequestSort): SortValue | undefined {
  return REQUEST_SORTS[by].of(row);
}

/**
 * The first rows from two lists that have a value to sort by; for equal values, the newest first.
 */
export function mergeSorted(
  one: readonly LedgerRow[],
  other: readonly LedgerRow[],
  sort: RequestSort,
  limit: number,
): LedgerRow[] {
  const sign = sort.isRising ? 1 : -1;
  return [...one, ...other]
    .flatMap((row) => {
      const value = sortValueOf(row, sort);
      return value === undefined ? [] : [{ row, value }];
    })
    .sort((first, second) =>
      sign * compare(first.value, second.value) || second.row.time - first.row.time
    )
    .slice(0, limit).map(({ row }) => row);
}

function compare(one: SortValue, other: SortValue): number {
  if (typeof one === "number" || typeof other === "number") return Number(one) - Number(other);
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const order = rankOf(one.charCodeAt(at)) - rankOf(other.charCodeAt(at));
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

/** Puts surrogates after all other UTF-16 units, to match code point order. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function number(
  member: "attempts" | "firstTokenMs" | "input" | "ms" | "output" | "status" | "time" | "usd",
): Sort {
  return { sql: ({ table }) => `${table}.${COLUMNS[member].name}`, of: (row) => row[member] };
}

function text(member: "key" | "model" | "provider"): Sort {
  return {
    sql: ({ toLowerCase }) => toLowerCase(COLUMNS[member].name),
    of: (row) => row[member] === undefined ? undefined : toAsciiLowerCase(row[member]),
  };
}

/** Changes ASCII letters only, as databases do. */
export function toAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

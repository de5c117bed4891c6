/** The conditions for a list of individual requests, in SQL. */

import { MAX_TIME, type SqlQuery, toStored } from "./column_types.ts";
import { PATH_CONDITIONS } from "./request_paths.ts";
import { REQUEST_SORTS, type RequestSort, type SortDialect } from "./request_sorts.ts";
import { COLUMNS, STOPPED } from "./row.ts";
import {
  PATTERN_MEMBERS,
  type RequestFilter,
  type RequestQuery,
  type RowPosition,
} from "./usage_store.ts";

/** The condition for the index on failed requests. */
const FAILED = "(status >= 400 OR error IS NOT NULL)";
/** The condition for a failed request that the client did not abort. */
export const IS_ERROR = `${FAILED} AND status <> ${STOPPED}`;

/** A database's dialect. */
export interface Dialect extends SortDialect {
  /** The column with the row number. */
  readonly row: string;
  /** A row's time in milliseconds. */
  readonly time: string;
  /** All columns in a row; `tags`, `prices` and `attempt_rows` are JSON. */
  readonly columns: string;
  /** The ID table and column, so that their index is used. */
  readonly byId: { readonly table: string; readonly id: string };
  /** Converts a placeholder in milliseconds to a value of the column `time`, in SQL. */
  readonly toTime: (placeholder: string) => string;
  /** A row's time divided by a placeholder in milliseconds, rounded down. */
  readonly toInterval: (placeholder: string) => string;
  /** The condition that a row has the key in a placeholder, which is indexed. */
  readonly hasKey: (placeholder: string) => string;
  /** The condition that a row has the tag in a placeholder. */
  readonly hasTag: (placeholder: string) => string;
  /** The condition that a column matches the pattern in a placeholder, ignoring case. */
  readonly isLike: (column: string, placeholder: string) => string;
  /** The condition that a row has a tag that matches the pattern in a placeholder. */
  readonly hasTagLike: (placeholder: string) => string;
}

/** The part of the table that a query reads. */
export interface Selection {
  /** The range of row numbers; absent for all rows. */
  readonly rows?: readonly number[] | undefined;
  /** The last row that is examined. */
  readonly end?: RowPosition | undefined;
  /** Only rows that have the sort value. */
  readonly sort?: RequestSort;
  /** Whether to omit conditions without an index, to select all rows that must be examined. */
  readonly isExamined?: boolean;
}

/** Whether an index covers all conditions. */
export function isIndexed(query: RequestQuery): boolean {
  const { before: _before, from: _from, to: _to, limit: _limit, hasAttempts, key, ...others } =
    query;
  // One key's attempts have no index.
  if (hasAttempts === true && key !== undefined) return false;
  return Object.values(others).every((value) => value === undefined);
}

/**
 * A query for the rows that match a filter.
 *
 * @param columns the selected expressions, which may bind values
 * @param tail the rest of the query after the conditions
 */
export function toRowQuery(
  columns: (bind: (value: number | string) => string) => string,
  tail: string,
  filter: RequestFilter,
  dialect: Dialect,
  { rows, end, sort, isExamined = false }: Selection,
): SqlQuery {
  const { table, row, toTime, hasKey } = dialect;
  const values: (number | string)[] = [];
  const bind = (value: number | string) =>
    `$${values.push(typeof value === "string" ? toStored(value) : value)}`;
  const position = ({ time, row }: RowPosition) => `(${toTime(bind(time))}, ${bind(row)})`;
  const selected = columns(bind);
  const { failed, from, hasAttempts, key, status } = filter;
  const conditions = [`(${table}.time, ${row}) < ${position(startOf(filter))}`];
  if (end !== undefined) conditions.push(`(${table}.time, ${row}) >= ${position(end)}`);
  if (from !== undefined) conditions.push(`${table}.time >= ${toTime(bind(from))}`);
  if (key !== undefined) conditions.push(hasKey(bind(key)));
  if (failed === true || (status !== undefined && status >= 400)) conditions.push(FAILED);
  if (hasAttempts === true) conditions.push("attempt_rows IS NOT NULL");
  if (rows !== undefined) conditions.push(`${row} IN (${rows.map(bind).join(", ")})`);
  if (sort !== undefined) {
    const value = REQUEST_SORTS[sort.by].sql(dialect);
    conditions.push(
      sort.before === undefined || sort.by === "time"
        ? `${value} IS NOT NULL`
        : `${value} ${sort.isRising ? "<" : ">"} ${bind(sort.before)}`,
    );
  }
  if (!isExamined) conditions.push(...withoutIndex(filter, dialect, bind));
  return {
    text: `SELECT ${selected} FROM ${table} WHERE ${conditions.join(" AND ")} ${tail}`,
    values,
  };
}

/** Only rows before a position. Rows without a valid time are not listed. */
function startOf({ before = { time: MAX_TIME, row: 0 }, to }: RequestFilter): RowPosition {
  return to !== undefined && to <= before.time ? { time: to, row: 0 } : before;
}

/** The conditions that are checked row by row. */
function withoutIndex(
  filter: RequestFilter,
  { hasTag, hasTagLike, isLike }: Dialect,
  bind: (value: number | string) => string,
): string[] {
  const { failed, idPrefix, minMs, minUsd, path, patterns = {}, tag } = filter;
  const conditions: string[] = [];
  for (const member of ["id", "model", "provider", "status", "session", "endUser"] as const) {
    const value = filter[member];
    if (value !== undefined) conditions.push(`${COLUMNS[member].name} = ${bind(value)}`);
  }
  if (idPrefix !== undefined) {
    conditions.push(`substr(id, 1, ${[...idPrefix].length}) = ${bind(idPrefix)}`);
  }
  if (failed === true) conditions.push(`status <> ${STOPPED}`);
  if (failed === false) conditions.push(`NOT ${FAILED}`);
  if (minMs !== undefined) conditions.push(`ms >= ${bind(minMs)}`);
  if (minUsd !== undefined) conditions.push(`usd >= ${bind(minUsd)}`);
  if (path !== undefined) conditions.push(PATH_CONDITIONS[path].sql);
  if (tag !== undefined) conditions.push(hasTag(bind(tag)));
  for (const member of PATTERN_MEMBERS) {
    const pattern = patterns[member];
    if (pattern === undefined) continue;
    const like = bind(toLike(pattern));
    conditions.push(member === "tag" ? hasTagLike(like) : isLike(COLUMNS[member].name, like));
  }
  return conditions;
}

/** The pattern for LIKE, with `\` as its escape character. */
function toLike(pattern: string): string {
  return pattern.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%");
}

/**
 * Lists and counts individual requests in a database. Keys, failed requests and IDs are indexed.
 * Other conditions are checked row by row, on a bounded number of rows at once.
 */

import { readRow } from "./columns.ts";
import {
  type Dialect,
  IS_ERROR,
  isIndexed,
  type Selection,
  toRowQuery,
} from "./request_conditions.ts";
import { REQUEST_SORTS, type RequestSort } from "./request_sorts.ts";
import type {
  RequestCountQuery,
  RequestCounts,
  RequestFilter,
  RequestPage,
  RequestQuery,
  RowPosition,
} from "./usage_store.ts";
import { type SqlRow, type SqlSteps, toStored } from "./column_types.ts";

/**
 * The number of rows examined at once if a condition has no index. This takes a few milliseconds.
 */
const MAX_EXAMINED_ROWS = 2000;
/** The same for one key's rows, which are scattered over the table. */
const MAX_EXAMINED_ROWS_OF_KEY = 500;
/**
 * The number of rows counted at once, which takes 5 to 10 milliseconds; and the same for one key.
 */
const MAX_COUNTED_ROWS = 10_000;
const MAX_COUNTED_ROWS_OF_KEY = 2000;
/** If more rows share an ID prefix, searching by time is faster. */
const MAX_ROWS_OF_PREFIX = 1000;
/** The part of an ID that is looked up. Indexes cover at least this part. */
const MAX_INDEXED_CHARACTERS = 128;
/** Appended to a prefix, it sorts after any text with this prefix by code points. */
const LAST_CHARACTER = "\u{10ffff}";

/** Lists requests, with at most four statements. */
export function* listRequests(
  { sort, ...query }: RequestQuery,
  dialect: Dialect,
): SqlSteps<RequestPage> {
  if (sort !== undefined) return yield* listSorted({ ...query, sort }, dialect);
  const { limit } = query;
  const { columns, row, table, time } = dialect;
  // A list ends at its limit, so an index bounds the number of rows read.
  const selection = isIndexed(query)
    ? {}
    : yield* select(query, dialect, MAX_EXAMINED_ROWS, MAX_EXAMINED_ROWS_OF_KEY);
  if (selection === undefined) return { rows: [], next: undefined };
  const order = `ORDER BY ${table}.time DESC, ${row} DESC LIMIT ${limit + 1}`;
  const all = `${row} AS row, ${time} AS time, ${columns}`;
  const read = yield toRowQuery(() => all, order, query, dialect, selection);
  return {
    rows: read.slice(0, limit).flatMap((columns) => readRow(columns) ?? []),
    next: read.length > limit ? toPosition(read[limit - 1]) : selection.end,
  };
}

/** The first of the requests to examine at once: the same number as for counts. */
function* listSorted(
  { limit, sort, ...filter }: RequestQuery & { readonly sort: RequestSort },
  dialect: Dialect,
): SqlSteps<RequestPage> {
  const { columns, row, table, time } = dialect;
  const selection = yield* select(filter, dialect, MAX_COUNTED_ROWS, MAX_COUNTED_ROWS_OF_KEY);
  if (selection === undefined) return { rows: [], next: undefined };
  const value = REQUEST_SORTS[sort.by].sql(dialect);
  const direction = sort.isRising ? "ASC" : "DESC";
  const order = `ORDER BY ${value} ${direction}, ${table}.time DESC, ${row} DESC`;
  // Sorting whole rows would take several times as long.
  const found = yield toRowQuery(
    () => `${row} AS row`,
    `${order} LIMIT ${limit}`,
    filter,
    dialect,
    { ...selection, sort },
  );
  if (found.length === 0) return { rows: [], next: selection.end };
  const rows = found.map(({ row }) => Number(row));
  const all = `${time} AS time, ${columns}`;
  // The time excludes partitions without matching rows.
  const { from, to } = filter;
  const read = yield toRowQuery(() => all, order, { from, to }, dialect, { rows });
  return { rows: read.flatMap((columns) => readRow(columns) ?? []), next: selection.end };
}

/** Counts requests, with at most three statements. */
export function* countRequests(
  query: RequestCountQuery,
  dialect: Dialect,
): SqlSteps<RequestCounts> {
  const { step, ...filter } = query;
  const selection = yield* select(filter, dialect, MAX_COUNTED_ROWS, MAX_COUNTED_ROWS_OF_KEY);
  if (selection === undefined) return { counts: [], next: undefined };
  const errors = `SUM(CASE WHEN ${IS_ERROR} THEN 1 ELSE 0 END)`;
  const read = yield toRowQuery(
    (bind) =>
      `${dialect.toInterval(bind(step))} AS place, COUNT(*) AS requests, ${errors} AS errors`,
    "GROUP BY 1",
    filter,
    dialect,
    selection,
  );
  const counts = read.map(({ place, requests, errors }) => ({
    start: Number(place) * step,
    requests: Number(requests),
    errors: Number(errors),
  }));
  return { counts, next: selection.end };
}

/** The query for one step; undefined if no row can match. */
function* select(
  filter: RequestFilter,
  dialect: Dialect,
  maxRows: number,
  maxRowsOfKey: number,
): SqlSteps<Selection | undefined> {
  const rows = yield* rowsOfId(filter, dialect);
  if (rows !== undefined) return rows.length === 0 ? undefined : { rows };
  const { row, table, time } = dialect;
  const examined = filter.key === undefined ? maxRows : maxRowsOfKey;
  const order = `ORDER BY ${table}.time DESC, ${row} DESC LIMIT 1 OFFSET ${examined - 1}`;
  const position = `${row} AS row, ${time} AS time`;
  const last = yield toRowQuery(() => position, order, filter, dialect, { isExamined: true });
  return { end: toPosition(last[0]) };
}

/**
 * Candidate rows for the ID or the prefix; undefined if there are too many, or the query has
 * neither.
 */
function* rowsOfId(
  { id, idPrefix }: RequestFilter,
  { byId, row }: Dialect,
): SqlSteps<readonly number[] | undefined> {
  const text = id ?? idPrefix;
  if (text === undefined) return undefined;
  const characters = [...text];
  const first = toStored(characters.slice(0, MAX_INDEXED_CHARACTERS).join(""));
  const isWhole = id !== undefined && characters.length <= MAX_INDEXED_CHARACTERS;
  const where = isWhole ? `${byId.id} = $1` : `${byId.id} >= $1 AND ${byId.id} < $2`;
  const read = yield {
    text: `SELECT ${row} AS row FROM ${byId.table} WHERE ${where} LIMIT ${MAX_ROWS_OF_PREFIX + 1}`,
    values: isWhole ? [first] : [first, first + LAST_CHARACTER],
  };
  return read.length > MAX_ROWS_OF_PREFIX ? undefined : read.map(({ row }) => Number(row));
}

function toPosition(columns: SqlRow | undefined): RowPosition | undefined {
  return columns && { time: Number(columns.time), row: Number(columns.row) };
}

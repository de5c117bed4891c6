/**
 * Lists of single requests in a database. The requests of a key, and those that failed, have an
 * index. Other conditions are checked row by row, on a bounded number of rows at once.
 */

import { MAX_TIME } from "./column_types.ts";
import { readRow, type StoredRow } from "./columns.ts";
import type { SqlQuery } from "./rollups.ts";
import { COLUMNS, STOPPED } from "./row.ts";
import { toStored } from "./stored_text.ts";
import type { RequestPage, RequestQuery, RowPosition } from "./usage_store.ts";

/** Rows that are examined at once where a condition has no index. It takes a few milliseconds. */
const MAX_EXAMINED_ROWS = 2000;
/** The same for the rows of one key, which are far from each other in the table. */
const MAX_EXAMINED_ROWS_OF_KEY = 500;

/** The condition of the index of failed requests. */
const FAILED = "(status >= 400 OR error IS NOT NULL)";

/** How a database spells what the queries need. */
export interface Dialect {
  readonly table: string;
  /** The column with the number of a row. */
  readonly row: string;
  /** The time of a row in milliseconds. */
  readonly time: string;
  /** All columns of a row, where `tags`, `prices` and `attempt_rows` are JSON. */
  readonly columns: string;
  /** The placeholder of the value at a position, from 1. */
  readonly placeholder: (position: number) => string;
  /** The value that the column `time` has for a placeholder of milliseconds. */
  readonly toTime: (placeholder: string) => string;
  /** The condition that a row has the key of a placeholder; it has an index. */
  readonly hasKey: (placeholder: string) => string;
  /** The condition that a row has the tag of a placeholder. */
  readonly hasTag: (placeholder: string) => string;
}

/** Lists requests, with at most two statements. */
export async function listRequests(
  query: RequestQuery,
  dialect: Dialect,
  run: (query: SqlQuery) => Promise<readonly StoredRow[]> | readonly StoredRow[],
): Promise<RequestPage> {
  const { limit } = query;
  const { columns, row, time } = dialect;
  let end: RowPosition | undefined;
  if (!isIndexed(query)) {
    const position = `${row} AS row, ${time} AS time`;
    const examined = query.key === undefined ? MAX_EXAMINED_ROWS : MAX_EXAMINED_ROWS_OF_KEY;
    const last = `LIMIT 1 OFFSET ${examined - 1}`;
    end = toPosition((await run(select(position, last, query, dialect, false, undefined)))[0]);
  }
  const all = `${row} AS row, ${time} AS time, ${columns}`;
  const read = await run(select(all, `LIMIT ${limit + 1}`, query, dialect, true, end));
  return {
    rows: read.slice(0, limit).flatMap((columns) => readRow(columns) ?? []),
    next: read.length > limit ? toPosition(read[limit - 1]) : end,
  };
}

/** Whether an index covers all conditions. */
function isIndexed(query: RequestQuery): boolean {
  const { endUser, failed, hasAttempts, id, key, model, provider, session, status, tag } = query;
  // The attempts of one key have no index.
  const ofKey = hasAttempts === true ? key : undefined;
  const others = [endUser, failed, id, model, ofKey, provider, session, status, tag];
  return others.every((value) => value === undefined);
}

/**
 * The query of the rows before a position, newest first.
 *
 * @param filtered false for all rows that are examined
 * @param end the last row that is examined
 */
function select(
  columns: string,
  limit: string,
  query: RequestQuery,
  { table, row, placeholder, toTime, hasKey, hasTag }: Dialect,
  filtered: boolean,
  end: RowPosition | undefined,
): SqlQuery {
  // A row without a valid time is not listed.
  const { before = { time: MAX_TIME, row: 0 }, failed, hasAttempts, key, status, tag } = query;
  const values: (number | string)[] = [];
  const bind = (value: number | string) =>
    placeholder(values.push(typeof value === "string" ? toStored(value) : value));
  const position = ({ time, row }: RowPosition) => `(${toTime(bind(time))}, ${bind(row)})`;
  const isFailure = failed === true || (status !== undefined && status >= 400);
  const conditions = [
    `(${table}.time, ${row}) < ${position(before)}`,
    ...end === undefined ? [] : [`(${table}.time, ${row}) >= ${position(end)}`],
    ...key === undefined ? [] : [hasKey(bind(key))],
    ...isFailure ? [FAILED] : [],
    ...hasAttempts === true ? ["attempt_rows IS NOT NULL"] : [],
  ];
  if (filtered) {
    for (const member of ["id", "model", "provider", "status", "session", "endUser"] as const) {
      const value = query[member];
      if (value !== undefined) conditions.push(`${COLUMNS[member].name} = ${bind(value)}`);
    }
    if (failed === true) conditions.push(`status <> ${STOPPED}`);
    if (failed === false) conditions.push(`NOT ${FAILED}`);
    if (tag !== undefined) conditions.push(hasTag(bind(tag)));
  }
  const where = `WHERE ${conditions.join(" AND ")}`;
  const order = `ORDER BY ${table}.time DESC, ${row} DESC`;
  return { text: `SELECT ${columns} FROM ${table} ${where} ${order} ${limit}`, values };
}

function toPosition(columns: StoredRow | undefined): RowPosition | undefined {
  return columns && { time: Number(columns.time), row: Number(columns.row) };
}

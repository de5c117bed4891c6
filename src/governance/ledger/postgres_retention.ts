/** Removes what is older than `keep` from PostgreSQL. */

import type { RunSql } from "./postgres_connection.ts";
import {
  addMonths,
  ALLOW_DELETES,
  dropMonth,
  isDivided,
  ROW_PARTITIONS,
} from "./postgres_partitions.ts";
import { BEGIN } from "./postgres_schema.ts";
import { HOUR_SPANS, KEY_COLUMNS, QUARTER_SPANS } from "./rollups.ts";
import { dayOf, hourOf } from "./summary.ts";

/** Rows that are removed in one step. */
const MAX_PRUNED_ROWS = 10_000;
/** With a shorter `keep`, a month would be kept for more than twice as long. */
const MIN_MONTHLY_KEEP = "31 days";
/** How long a batch may be retried, in milliseconds. No gateway keeps one longer. */
const MAX_BATCH_AGE_MS = 86_400_000;

/**
 * Removes counted requests and sums by hour. Of a table with partitions it removes whole months, and
 * rows of earlier ones; with a short `keep` rows of all months.
 *
 * @param before milliseconds since the Unix epoch
 * @param quartersBefore the same for sums of quarters of an hour
 * @returns whether there may be more
 */
export async function pruneRows(
  sql: RunSql,
  before: number,
  quartersBefore: number,
): Promise<boolean> {
  await sql("DELETE FROM sluice_batches WHERE time < to_timestamp($1)", [
    (before - MAX_BATCH_AGE_MS) / 1000,
  ]);
  const hasRows = await pruneRequests(sql, before);
  const removeSums = (spans: readonly number[], start: number) => {
    const where = `span IN (${spans.join(", ")}) AND start < $1`;
    return remove(sql, "sluice_usage_sums", KEY_COLUMNS.join(", "), where, start);
  };
  const hasHours = await removeSums(HOUR_SPANS, dayOf(before));
  // Whole hours, so that an hour has all of its quarters or none.
  const hasQuarters = await removeSums(QUARTER_SPANS, hourOf(Math.max(before, quartersBefore)));
  return hasRows || hasHours || hasQuarters;
}

async function pruneRequests(sql: RunSql, before: number): Promise<boolean> {
  await sql(BEGIN);
  const isPartitioned = await isDivided(sql);
  let tables: readonly string[] = ["sluice_requests"];
  let hasMore = false;
  if (isPartitioned) {
    const age = `now() - to_timestamp($1::double precision)`;
    const [keep] = await sql(`SELECT ${age} >= interval '${MIN_MONTHLY_KEEP}' AS long`, [
      before / 1000,
    ]);
    if (keep?.long === true) tables = ROW_PARTITIONS;
    await addMonths(sql, before);
    hasMore = await dropMonth(sql, before);
    await sql(`COMMIT; ${BEGIN}; ${ALLOW_DELETES}`);
  }
  for (const table of tables) {
    const counted = "row <= (SELECT last_row FROM sluice_counted)";
    const where = `time < to_timestamp($1) AND ${counted}`;
    if (await remove(sql, table, "row", where, before / 1000)) hasMore = true;
  }
  await sql("COMMIT");
  return hasMore;
}

/** Removes rows by their key. Returns whether there may be more. */
async function remove(
  sql: RunSql,
  table: string,
  key: string,
  where: string,
  value: number,
): Promise<boolean> {
  const rows = await sql(
    `DELETE FROM ${table} WHERE (${key}) IN
       (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${MAX_PRUNED_ROWS}) RETURNING 1`,
    [value],
  );
  return rows.length === MAX_PRUNED_ROWS;
}

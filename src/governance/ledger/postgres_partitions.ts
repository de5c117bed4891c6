/**
 * The monthly partitions of the request table. Each partition is removed as a whole: no rows are
 * deleted, and no vacuum is needed. Rows from earlier months, such as those from before the table
 * was partitioned, are in one partition, and rows that belong to no month's partition in another.
 */

import type { RunSql } from "./postgres_connection.ts";

/** The first server version with the required feature: row triggers on partitioned tables. */
const MIN_SERVER_VERSION = 130_000;
/** Months after the current one that have partitions. */
const MONTHS_AHEAD = 2;
/** The time limit for acquiring locks, since other sessions queue behind them. */
const LOCK_TIMEOUT = "2s";
/** The time limit for partitioning a table, in milliseconds: it creates an index. */
const DIVIDE_TIMEOUT_MS = 1_800_000;

/** The partitions whose rows are removed individually. */
export const ROW_PARTITIONS = ["sluice_requests_before", "sluice_requests_other"] as const;

/** Protects rows that a gateway with version 0.2.0 would delete. */
const KEEP_ROWS = `
  CREATE FUNCTION sluice_keep_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER sluice_keep_rows BEFORE DELETE ON sluice_requests FOR EACH ROW
    WHEN (current_setting('application_name') = 'sluice'
      AND current_setting('sluice.deletes', true) IS DISTINCT FROM 'rows')
    EXECUTE FUNCTION sluice_keep_row();`;

/** Allows a transaction to delete request rows. */
export const ALLOW_DELETES = "SET LOCAL sluice.deletes = 'rows'";

/** Whether the request table has partitions. */
export async function isDivided(sql: RunSql): Promise<boolean> {
  const [row] = await sql(
    "SELECT relkind = 'p' AS divided FROM pg_class WHERE oid = to_regclass('sluice_requests')",
  );
  return row?.divided === true;
}

/** Whether the server can partition the table. */
export async function canDivide(sql: RunSql): Promise<boolean> {
  const [row] = await sql("SELECT current_setting('server_version_num')::int AS version");
  return Number(row?.version) >= MIN_SERVER_VERSION;
}

/**
 * Partitions the request table, in the caller's transaction. No row is copied: the whole table
 * becomes the partition for the time before the next month, or before this one if it is empty.
 *
 * Version 0.2.0 deletes rows by their `ctid`, which is not unique across partitions. A trigger
 * protects rows from running gateways with that version, which it recognizes by their connections'
 * name; it ignores other programs. A new table needs no trigger, since these gateways refuse to use
 * it.
 */
export async function divide(sql: RunSql, isNew: boolean): Promise<void> {
  await sql("LOCK TABLE sluice_requests IN ACCESS EXCLUSIVE MODE", undefined, DIVIDE_TIMEOUT_MS);
  const [first] = await sql(
    `SELECT to_char(date_trunc('month', greatest(max(time), now()) AT TIME ZONE 'UTC')
         + CASE WHEN max(time) IS NULL THEN interval '0' ELSE interval '1 month' END,
         'YYYY-MM-DD') AS month,
       nextval(pg_get_serial_sequence('sluice_requests', 'row')) AS number FROM sluice_requests`,
    undefined,
    DIVIDE_TIMEOUT_MS,
  );
  const indexes = await sql(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes
     WHERE schemaname = current_schema() AND tablename = 'sluice_requests'
       AND indexname <> 'sluice_requests_pkey'`,
  );
  const renamed = indexes.map(({ name }) =>
    `ALTER INDEX ${name} RENAME TO ${
      String(name).replace("sluice_requests", "sluice_requests_before")
    };`
  );
  await sql(
    `ALTER TABLE sluice_requests RENAME TO sluice_requests_before;
     ${renamed.join("\n")}
     ALTER TABLE sluice_requests_before ALTER COLUMN row DROP IDENTITY,
       DROP CONSTRAINT sluice_requests_pkey;
     CREATE TABLE sluice_requests (LIKE sluice_requests_before INCLUDING DEFAULTS)
       PARTITION BY RANGE (time);
     CREATE SEQUENCE sluice_requests_numbers START ${Number(first?.number)}
       OWNED BY sluice_requests.row;
     ALTER TABLE sluice_requests ALTER COLUMN row
       SET DEFAULT nextval('sluice_requests_numbers'), ADD PRIMARY KEY (row, time);
     ${indexes.map(({ text }) => `${text};`).join("\n")}
     ALTER TABLE sluice_requests_before ADD PRIMARY KEY (row, time);
     ALTER TABLE sluice_requests ATTACH PARTITION sluice_requests_before
       FOR VALUES FROM (MINVALUE) TO ('${first?.month} 00:00:00+00');
     CREATE TABLE sluice_requests_other PARTITION OF sluice_requests DEFAULT;
     ${isNew ? "" : KEEP_ROWS}`,
    undefined,
    DIVIDE_TIMEOUT_MS,
  );
  await addMonths(sql, 0);
}

/**
 * Creates the partitions of this month and the next ones, in the caller's transaction. No partition
 * is created for a month with rows in other partitions.
 *
 * @param before months that ended before this time get none, in milliseconds
 */
export async function addMonths(sql: RunSql, before: number): Promise<void> {
  const missing = await sql(
    `SELECT to_char(month, 'YYYY_MM') AS name, month::date::text AS first,
       (month + interval '1 month')::date::text AS next
     FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
       date_trunc('month', now() AT TIME ZONE 'UTC') + interval '${MONTHS_AHEAD} months',
       interval '1 month') AS month
     WHERE to_regclass('sluice_requests_' || to_char(month, 'YYYY_MM')) IS NULL
       AND (month + interval '1 month') AT TIME ZONE 'UTC' > to_timestamp($1::double precision)`,
    [before / 1000],
  );
  for (const { name, first, next } of missing) {
    const [from, to] = [`'${first} 00:00:00+00'`, `'${next} 00:00:00+00'`];
    if (await isCovered(sql, from)) continue;
    await sql(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}';
      LOCK TABLE sluice_requests IN ACCESS EXCLUSIVE MODE`);
    const found = await sql(
      `SELECT 1 FROM sluice_requests_other WHERE time >= ${from} AND time < ${to} LIMIT 1`,
    );
    if (found.length > 0) continue;
    await sql(
      `CREATE TABLE IF NOT EXISTS sluice_requests_${name} PARTITION OF sluice_requests
         FOR VALUES FROM (${from}) TO (${to})`,
    );
  }
}

/** Whether the partition for earlier months includes this time. */
async function isCovered(sql: RunSql, time: string): Promise<boolean> {
  const [row] = await sql(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO \\(''([^'']+)''')::timestamptz
       > ${time}::timestamptz AS covered
     FROM pg_class WHERE oid = to_regclass('sluice_requests_before')`,
  );
  return row?.covered === true;
}

/**
 * Removes the first month that has ended before a time in milliseconds and whose rows are all
 * counted, in the caller's transaction. Returns whether there was one.
 */
export async function dropMonth(sql: RunSql, before: number): Promise<boolean> {
  const [month] = await sql(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
     WHERE inhparent = to_regclass('sluice_requests')
       AND relname ~ '^sluice_requests_[0-9]{4,}_[0-9]{2}$'
       AND (to_date(right(relname, -16), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
         <= to_timestamp($1::double precision)
     ORDER BY relname LIMIT 1`,
    [before / 1000],
  );
  if (month === undefined) return false;
  // No row can be added between the check and the removal of the table.
  await sql(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}';
    LOCK TABLE sluice_requests IN ACCESS EXCLUSIVE MODE`);
  const late = await sql(
    `SELECT 1 FROM ${month.name} WHERE row > (SELECT last_row FROM sluice_counted) LIMIT 1`,
  );
  if (late.length > 0) return false;
  await sql(`DROP TABLE ${month.name}`);
  return true;
}

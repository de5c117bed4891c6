/** The ledger's schema in PostgreSQL. */

import { tableColumns, toMissingColumns } from "./columns.ts";
import type { RunSql } from "./postgres_connection.ts";
import { canDivide, divide, isDivided } from "./postgres_partitions.ts";
import { StoreError } from "./usage_store.ts";

/**
 * Each entry changes the schema by one version. Entries are only ever added. New columns need no
 * entry: {@linkcode migrate} adds those that a table lacks, and earlier versions leave them at
 * their defaults.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sluice_requests (
     row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, time timestamptz NOT NULL,
     id text NOT NULL, key text, tags text[] NOT NULL, model text, provider text, upstream text,
     format text NOT NULL, status integer NOT NULL, error text, attempts integer NOT NULL,
     input bigint NOT NULL, cached_input bigint NOT NULL, cache_write bigint NOT NULL,
     output bigint NOT NULL, reasoning bigint NOT NULL, source text NOT NULL, usd double precision,
     prices jsonb, ms double precision NOT NULL, first_token_ms double precision
   );
   CREATE INDEX sluice_requests_time ON sluice_requests (time);
   CREATE TABLE sluice_batches (id text PRIMARY KEY, time timestamptz NOT NULL DEFAULT now());
   CREATE TABLE sluice_counted (last_row bigint NOT NULL);
   INSERT INTO sluice_counted VALUES (0);
   CREATE TABLE sluice_usage_sums (
     span smallint NOT NULL, start bigint NOT NULL, tag text NOT NULL, key text NOT NULL,
     model text NOT NULL, provider text NOT NULL, requests bigint NOT NULL, errors bigint NOT NULL,
     input bigint NOT NULL, cached_input bigint NOT NULL, cache_write bigint NOT NULL,
     output bigint NOT NULL, reasoning bigint NOT NULL, estimated bigint NOT NULL,
     usd double precision NOT NULL, unpriced bigint NOT NULL, durations text NOT NULL,
     first_tokens text NOT NULL, PRIMARY KEY (span, start, tag, key, model, provider)
   );`,

  // Lists of requests: a request's attempts, and requests by key or that failed.
  `ALTER TABLE sluice_requests ADD COLUMN attempt_rows text;
   CREATE INDEX sluice_requests_key ON sluice_requests (left(key, 160), time, row);
   CREATE INDEX sluice_requests_failed ON sluice_requests (time, row)
     WHERE status >= 400 OR error IS NOT NULL;`,

  // Sums are updated often. Free space in their pages lets updates skip the index.
  `ALTER TABLE sluice_usage_sums SET (fillfactor = 50);`,

  // Hourly totals, and the last row that they include, since gateways with older versions do not
  // update them. Sums for the hours before and during the change are incomplete.
  `ALTER TABLE sluice_counted ADD COLUMN total_row bigint, ADD COLUMN totals_since bigint;
   UPDATE sluice_counted SET total_row = last_row, totals_since = CASE
     WHEN EXISTS (SELECT FROM sluice_requests) OR EXISTS (SELECT FROM sluice_usage_sums)
     THEN (floor(extract(epoch FROM now()) / 3600) + 2) * 3600000 ELSE 0 END;`,

  // A key's failed requests.
  `CREATE INDEX sluice_requests_key_failed ON sluice_requests (left(key, 160), time, row)
     WHERE status >= 400 OR error IS NOT NULL;`,
];

/**
 * Indexes that were added later. They do not change the schema version, since earlier gateways work
 * with them: a replica with version 0.2.0 that reconnects rejects a newer schema version.
 */
const INDEXES: readonly (readonly [name: string, definition: string])[] = [
  // Requests whose attempts are stored, for each target's last failure.
  ["sluice_requests_attempts", "(time, row) WHERE attempt_rows IS NOT NULL"],
  // A request by its ID or an ID prefix: ordering by code points supports both.
  ["sluice_requests_id", `(left(id, 160) COLLATE "C")`],
];

/**
 * The version of a schema whose request table has partitions. Earlier gateways refuse to use it.
 */
const DIVIDED_VERSION = 8;
/** The version of a schema without partitions. Versions 6 and 7 differed only in their indexes. */
const SCHEMA_VERSION = MIGRATIONS.length;

/** The time limit for a migration, in milliseconds: an index over many rows takes minutes. */
const MIGRATION_TIMEOUT_MS = 1_800_000;

/** Advisory locks are numbers shared by all clients of a database, so these are random. */
const MIGRATION_LOCK = 7_016_273_485_120_339n;
/** Held in shared mode while rows are written, and exclusively while they are counted. */
export const COUNT_LOCK = 7_016_273_485_120_340n;

/**
 * Begins a transaction with a server-side timeout, so that a frozen gateway's locks do not block
 * others.
 */
export const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'";

/**
 * Migrates the schema. If several replicas start at once, one migrates and the others wait. A new
 * request table is partitioned by month.
 *
 * @throws {StoreError} `setup` when the schema is newer than this gateway version.
 */
export async function migrate(sql: RunSql): Promise<void> {
  if (await isCurrent(sql)) return;
  await inMigration(sql, async () => {
    // Another replica may have migrated the schema while this one waited for the lock.
    const version = await versionOf(sql);
    for (const migration of MIGRATIONS.slice(version)) {
      await sql(migration, undefined, MIGRATION_TIMEOUT_MS);
    }
    for (const statement of await missingParts(sql)) {
      await sql(statement, undefined, MIGRATION_TIMEOUT_MS);
    }
    if (version === 0 && await canDivide(sql)) await divide(sql, true);
  });
}

/**
 * Partitions the request table by month.
 *
 * @returns false if it was partitioned before
 * @throws {StoreError} `setup` when the server is too old, or has no store from this version.
 */
export async function divideRequests(sql: RunSql): Promise<boolean> {
  if (!await isCurrent(sql)) throw new StoreError(OTHER_VERSION, "setup");
  if (!await canDivide(sql)) throw new StoreError("it needs PostgreSQL 13 or later", "setup");
  return await inMigration(sql, async () => {
    if (await isDivided(sql)) return false;
    await divide(sql, false);
    return true;
  });
}

const OTHER_VERSION = "it is from another version: start this version of the gateway with it once";

/** Whether the tables have this version's schema. */
export async function isCurrent(sql: RunSql): Promise<boolean> {
  return await versionOf(sql) >= SCHEMA_VERSION && (await missingParts(sql)).length === 0;
}

/** Runs one transaction at a time, each of which sets the schema version at its end. */
async function inMigration<Result>(sql: RunSql, run: () => Promise<Result>): Promise<Result> {
  await sql(
    `${BEGIN}; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`,
    undefined,
    MIGRATION_TIMEOUT_MS,
  );
  await sql("CREATE TABLE IF NOT EXISTS sluice_schema (version integer NOT NULL)");
  const result = await run();
  const version = await isDivided(sql) ? DIVIDED_VERSION : SCHEMA_VERSION;
  await sql(
    `DELETE FROM sluice_schema; INSERT INTO sluice_schema VALUES (${version}); COMMIT`,
    undefined,
    MIGRATION_TIMEOUT_MS,
  );
  return result;
}

/** The statements that add missing columns to the tables. */
async function missingParts(sql: RunSql): Promise<readonly string[]> {
  const statements: string[] = [];
  for (const [table, columns] of TABLES) {
    statements.push(...toMissingColumns(table, columns, await columnsOf(sql, table)));
  }
  if (!(await columnsOf(sql, "sluice_counted")).has("quarter_row")) statements.push(ADD_QUARTERS);
  for (const [name, definition] of INDEXES) {
    const [found] = await sql("SELECT to_regclass($1) IS NOT NULL AS exists", [name]);
    if (found?.exists === true) continue;
    statements.push(`CREATE INDEX ${name} ON sluice_requests ${definition}`);
  }
  return statements;
}

async function columnsOf(sql: RunSql, table: string): Promise<ReadonlySet<string>> {
  const existing = await sql(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1)
       AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  return new Set(existing.map(({ name }) => String(name)));
}

const COLUMNS = tableColumns("postgres");
const TABLES = [
  ["sluice_requests", COLUMNS.requests],
  ["sluice_usage_sums", COLUMNS.sums],
] as const;

/**
 * The last row included in the quarter-hour sums, since gateways with older versions do not update
 * these. Sums for the hours before and during the change are incomplete.
 */
const ADD_QUARTERS =
  `ALTER TABLE sluice_counted ADD COLUMN quarter_row bigint, ADD COLUMN quarters_since bigint;
   UPDATE sluice_counted SET quarter_row = last_row, quarters_since = CASE
     WHEN EXISTS (SELECT FROM sluice_requests) OR EXISTS (SELECT FROM sluice_usage_sums)
     THEN (floor(extract(epoch FROM now()) / 3600) + 2) * 3600000 ELSE 0 END;`;

/** @throws {StoreError} `setup` when the schema is newer than this gateway version. */
async function versionOf(sql: RunSql): Promise<number> {
  const [found] = await sql("SELECT to_regclass('sluice_schema') IS NOT NULL AS exists");
  if (found?.exists !== true) return 0;
  const [row] = await sql("SELECT version FROM sluice_schema");
  const version = Number(row?.version ?? 0);
  if (version <= DIVIDED_VERSION) return version;
  throw new StoreError(
    `its schema has version ${version}, which is newer than this program`,
    "setup",
  );
}

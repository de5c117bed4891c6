/**
 * A replica of version 0.2.0 as its database sees it: the schema that it creates and the statements
 * that it runs, as they were released.
 */

import type { RunSql } from "../../src/governance/ledger/postgres_connection.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";

/** The first step of the schema. */
export const FIRST_SCHEMA = `CREATE TABLE sluice_requests (
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
   );`;

/** The steps of the schema. */
const SCHEMA = [
  FIRST_SCHEMA,
  `ALTER TABLE sluice_requests ADD COLUMN attempt_rows text;
   CREATE INDEX sluice_requests_key ON sluice_requests (left(key, 160), time, row);
   CREATE INDEX sluice_requests_failed ON sluice_requests (time, row)
     WHERE status >= 400 OR error IS NOT NULL;`,
  `ALTER TABLE sluice_usage_sums SET (fillfactor = 50);`,
  `ALTER TABLE sluice_counted ADD COLUMN total_row bigint, ADD COLUMN totals_since bigint;
   UPDATE sluice_counted SET total_row = last_row, totals_since = CASE
     WHEN EXISTS (SELECT FROM sluice_requests) OR EXISTS (SELECT FROM sluice_usage_sums)
     THEN (floor(extract(epoch FROM now()) / 3600) + 2) * 3600000 ELSE 0 END;`,
  `CREATE INDEX sluice_requests_key_failed ON sluice_requests (left(key, 160), time, row)
     WHERE status >= 400 OR error IS NOT NULL;`,
];

const COLUMNS = `time double precision, id text, key text, tags text[], model text,
  provider text, upstream text, format text, status integer, error text, attempts integer,
  input bigint, cached_input bigint, cache_write bigint, output bigint, reasoning bigint,
  source text, usd double precision, prices jsonb, ms double precision,
  first_token_ms double precision, attempt_rows text`;
const NAMES = COLUMNS.split(",").map((column) => column.trim().split(" ")[0] ?? "");

const INSERT = `WITH batch AS (
    INSERT INTO sluice_batches (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id
  )
  INSERT INTO sluice_requests (${NAMES.join(", ")})
  SELECT to_timestamp(time / 1000), ${NAMES.slice(1).join(", ")}
  FROM json_to_recordset($2) AS rows(${COLUMNS}) WHERE EXISTS (SELECT FROM batch)`;

const PRUNE = `DELETE FROM sluice_requests WHERE ctid IN
  (SELECT ctid FROM sluice_requests WHERE time < to_timestamp($1)
     AND row <= (SELECT last_row FROM sluice_counted) LIMIT 10000) RETURNING 1`;

/** The lock that is held in shared mode while rows are written. */
const COUNT_LOCK = 7_016_273_485_120_340n;

/** Creates the tables. */
export async function createTables(sql: RunSql): Promise<void> {
  await sql("BEGIN; CREATE TABLE sluice_schema (version integer NOT NULL)");
  for (const step of SCHEMA) await sql(step);
  await sql(
    `DELETE FROM sluice_schema; INSERT INTO sluice_schema VALUES (${SCHEMA.length}); COMMIT`,
  );
}

/** What it does when it has connected: whether it uses the store, or refuses it as a newer one. */
export async function accepts(sql: RunSql): Promise<boolean> {
  const [row] = await sql("SELECT version FROM sluice_schema");
  return Number(row?.version) <= SCHEMA.length;
}

/** Writes a batch of one request. */
export async function write(sql: RunSql, row: LedgerRow, batch: string): Promise<void> {
  const values = {
    ...{ time: row.time, id: row.id, key: row.key, tags: row.tags, model: row.model },
    ...{ provider: row.provider, upstream: row.upstream, format: row.format, status: row.status },
    ...{ attempts: row.attempts, input: row.input, cached_input: row.cachedInput },
    ...{ cache_write: row.cacheWrite, output: row.output, reasoning: row.reasoning },
    ...{ source: row.source, usd: row.usd, prices: row.prices, ms: row.ms },
  };
  await sql("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'");
  await sql(`SELECT pg_advisory_xact_lock_shared(${COUNT_LOCK})`);
  await sql(INSERT, [batch, JSON.stringify([values])]);
  await sql("COMMIT");
}

/** Removes old rows. Returns how many. */
export async function prune(sql: RunSql, before: number): Promise<number> {
  return (await sql(PRUNE, [before / 1000])).length;
}

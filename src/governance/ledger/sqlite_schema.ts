/** The ledger's schema in SQLite. */

import type { DatabaseSync } from "node:sqlite";
import { tableColumns, toMissingColumns } from "./columns.ts";

/**
 * Each entry changes the schema by one version. Entries are only ever added. New columns need no
 * entry: {@linkcode migrate} adds those that a table lacks.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE requests (
     time INTEGER NOT NULL, id TEXT NOT NULL, key TEXT, tags TEXT NOT NULL, model TEXT,
     provider TEXT, upstream TEXT, format TEXT NOT NULL, status INTEGER NOT NULL, error TEXT,
     attempts INTEGER NOT NULL, input INTEGER NOT NULL, cached_input INTEGER NOT NULL,
     cache_write INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL,
     source TEXT NOT NULL, usd REAL, prices TEXT, ms REAL NOT NULL, first_token_ms REAL
   );
   CREATE INDEX requests_time ON requests (time);
   CREATE TABLE usage_hours (
     hour INTEGER NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL, provider TEXT NOT NULL,
     tag TEXT NOT NULL, requests INTEGER NOT NULL, errors INTEGER NOT NULL, input INTEGER NOT NULL,
     cached_input INTEGER NOT NULL, cache_write INTEGER NOT NULL, output INTEGER NOT NULL,
     reasoning INTEGER NOT NULL, estimated INTEGER NOT NULL, usd REAL NOT NULL,
     unpriced INTEGER NOT NULL, PRIMARY KEY (hour, tag, key, model, provider)
   ) WITHOUT ROWID;
   CREATE TABLE usage_durations (
     hour INTEGER NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL, provider TEXT NOT NULL,
     tag TEXT NOT NULL, kind TEXT NOT NULL, bucket INTEGER NOT NULL, requests INTEGER NOT NULL,
     PRIMARY KEY (hour, tag, key, model, provider, kind, bucket)
   ) WITHOUT ROWID;`,

  // Daily and hourly sums, with the distribution of durations in the same row, so that a report
  // over a month reads a few thousand rows instead of millions.
  `CREATE TABLE usage_sums (
     span INTEGER NOT NULL, start INTEGER NOT NULL, tag TEXT NOT NULL, key TEXT NOT NULL,
     model TEXT NOT NULL, provider TEXT NOT NULL, requests INTEGER NOT NULL,
     errors INTEGER NOT NULL, input INTEGER NOT NULL, cached_input INTEGER NOT NULL,
     cache_write INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL,
     estimated INTEGER NOT NULL, usd REAL NOT NULL, unpriced INTEGER NOT NULL,
     durations TEXT NOT NULL, first_tokens TEXT NOT NULL,
     PRIMARY KEY (span, start, tag, key, model, provider)
   );
   ${[1, 24].map(toSums).join("\n")}
   CREATE TABLE counted (last_row INTEGER NOT NULL);
   INSERT INTO counted SELECT COALESCE(MAX(rowid), 0) FROM requests;
   DROP TABLE usage_hours;
   DROP TABLE usage_durations;`,

  // Lists of requests: a request's attempts, and requests by key or that failed.
  `ALTER TABLE requests ADD COLUMN attempt_rows TEXT;
   CREATE INDEX requests_key ON requests (key, time);
   CREATE INDEX requests_failed ON requests (time) WHERE status >= 400 OR error IS NOT NULL;`,

  // Hourly totals. Sums for the hours before and during the change are incomplete.
  `ALTER TABLE counted ADD COLUMN totals_since INTEGER NOT NULL DEFAULT 0;
   UPDATE counted SET totals_since = (unixepoch() / 3600 + 2) * 3600000
   WHERE EXISTS (SELECT 1 FROM requests) OR EXISTS (SELECT 1 FROM usage_sums);`,

  // A key's failed requests.
  `CREATE INDEX requests_key_failed ON requests (key, time)
     WHERE status >= 400 OR error IS NOT NULL;`,

  // Earlier versions insert values by position: they cannot write to a table with more columns.
  "",

  // Requests whose attempts are stored, for each target's last failure.
  `CREATE INDEX requests_attempts ON requests (time) WHERE attempt_rows IS NOT NULL;`,

  // A request by its ID or an ID prefix.
  `CREATE INDEX requests_id ON requests (id);`,

  // Quarter-hour sums. Sums for the hours before and during the change are incomplete.
  `ALTER TABLE counted ADD COLUMN quarters_since INTEGER NOT NULL DEFAULT 0;
   UPDATE counted SET quarters_since = (unixepoch() / 3600 + 2) * 3600000
   WHERE EXISTS (SELECT 1 FROM requests) OR EXISTS (SELECT 1 FROM usage_sums);`,
];

/** The schema version. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The reason why a file with this schema version cannot be used. */
export function newerSchema(version: number): string {
  return `its schema has version ${version}, which is newer than this program`;
}

const COLUMNS = tableColumns("sqlite");

/** Fills the hourly or daily sums from the first version's tables. */
function toSums(hours: number): string {
  const start = `hour - hour % ${hours * 3_600_000}`;
  const span = `(tag <> '') * 2 + ${hours === 1 ? 0 : 1}`;
  const texts = (kind: string) =>
    `COALESCE((SELECT string_agg(bucket || ':' || count, ',') FROM counts c
      WHERE c.start = s.start AND c.tag = s.tag AND c.key = s.key AND c.model = s.model
        AND c.provider = s.provider AND c.kind = '${kind}'), '')`;
  return `CREATE TEMP TABLE counts AS
     SELECT ${start} AS start, tag, key, model, provider, kind, bucket, SUM(requests) AS count
     FROM usage_durations GROUP BY 1, 2, 3, 4, 5, 6, 7;
   CREATE INDEX temp.counts_key ON counts (start, tag, key, model, provider, kind);
   INSERT INTO usage_sums
     SELECT ${span}, s.start, tag, key, model, provider, requests, errors, input, cached_input,
       cache_write, output, reasoning, estimated, usd, unpriced, ${texts("total")}, ${
    texts("first")
  }
     FROM (
       SELECT ${start} AS start, tag, key, model, provider, SUM(requests) AS requests,
         SUM(errors) AS errors, SUM(input) AS input, SUM(cached_input) AS cached_input,
         SUM(cache_write) AS cache_write, SUM(output) AS output, SUM(reasoning) AS reasoning,
         SUM(estimated) AS estimated, SUM(usd) AS usd, SUM(unpriced) AS unpriced
       FROM usage_hours GROUP BY 1, 2, 3, 4, 5
     ) s;
   DROP TABLE counts;`;
}

/**
 * Migrates the schema. Must run in a transaction that excludes other writers.
 *
 * @throws {Error} when the schema is newer than this gateway version.
 */
export function migrate(database: DatabaseSync): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (version > SCHEMA_VERSION) {
    throw new Error(newerSchema(version));
  }
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
  addColumns(database, "requests", COLUMNS.requests);
  addColumns(database, "usage_sums", COLUMNS.sums);
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
}

function addColumns(
  database: DatabaseSync,
  table: string,
  columns: ReadonlyMap<string, string>,
): void {
  const existing = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const names = new Set(existing.map(({ name }) => String(name)));
  for (const statement of toMissingColumns(table, columns, names)) database.exec(statement);
}

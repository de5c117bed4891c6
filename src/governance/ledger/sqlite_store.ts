/**
 * The ledger in an SQLite file. Each batch is one transaction: the rows, and their sums by hour,
 * which stay when the rows are removed. All calls are synchronous, so batches must be small.
 */

import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { LedgerRow } from "./row.ts";
import { GroupSums, hourOf, SUM_NAMES, type Sums, sumsOf, timeGroup } from "./summary.ts";
import { bucketOf } from "./durations.ts";
import type { UsageGroup, UsageQuery, UsageStore, UsageSummary } from "./usage_store.ts";

/** Milliseconds that a write waits for another process that writes to the same file. */
const BUSY_TIMEOUT_MS = 5000;

/** Each entry changes the schema by one version. Entries are only ever added. */
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
];

/** Stands for all requests in the column `tag`; single tags have a prefix. */
const ALL = "";
const UNTAGGED = "-";
const TAG_PREFIX = "#";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The column of each member of {@linkcode Sums}. */
const COLUMNS: Readonly<Record<keyof Sums, string>> = {
  requests: "requests",
  errors: "errors",
  input: "input",
  cachedInput: "cached_input",
  cacheWrite: "cache_write",
  output: "output",
  reasoning: "reasoning",
  estimated: "estimated",
  usd: "usd",
  unpriced: "unpriced",
};

/** What rows are grouped by. */
const GROUP_COLUMNS: Readonly<Record<UsageGroup, string>> = {
  key: "key",
  model: "model",
  provider: "provider",
  tag: "tag",
  hour: "hour",
  day: `hour - hour % ${DAY_MS}`,
};

export class SqliteUsageStore implements UsageStore {
  readonly name: string;
  readonly #database: DatabaseSync;
  readonly #insertRow: StatementSync;
  readonly #addHour: StatementSync;
  readonly #addDuration: StatementSync;

  /**
   * Opens or creates the file, and brings its schema up to date.
   *
   * @throws {Error} when the file cannot be opened, or is newer than this version of the gateway.
   */
  constructor(path: string) {
    this.name = `sqlite:${path}`;
    this.#database = new DatabaseSync(path);
    this.#database.exec(
      `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
       PRAGMA journal_mode = WAL;
       PRAGMA synchronous = NORMAL;`,
    );
    this.#migrate();
    this.#insertRow = this.#database.prepare(
      `INSERT INTO requests VALUES (${Array(21).fill("?").join(", ")})`,
    );
    const columns = SUM_NAMES.map((name) => COLUMNS[name]);
    this.#addHour = this.#database.prepare(
      `INSERT INTO usage_hours (hour, key, model, provider, tag, ${columns.join(", ")})
       VALUES (?, ?, ?, ?, ?, ${columns.map(() => "?").join(", ")})
       ON CONFLICT DO UPDATE SET ${
        columns.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")
      }`,
    );
    this.#addDuration = this.#database.prepare(
      `INSERT INTO usage_durations VALUES (?, ?, ?, ?, ?, ?, ?, 1)
       ON CONFLICT DO UPDATE SET requests = requests + 1`,
    );
  }

  write(rows: readonly LedgerRow[]): Promise<void> {
    return this.#run(() => {
      for (const row of rows) {
        this.#insertRow.run(...toValues(row));
        const tags = row.tags.length === 0 ? [UNTAGGED] : row.tags.map((tag) => TAG_PREFIX + tag);
        for (const tag of [ALL, ...new Set(tags)]) this.#addToHour(row, tag);
      }
    });
  }

  summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    try {
      return Promise.resolve(this.#summarize(query));
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  prune(before: number): Promise<void> {
    return this.#run(() => {
      this.#database.prepare("DELETE FROM requests WHERE time < ?").run(before);
    });
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }

  #migrate(): void {
    this.#transact(() => {
      const { user_version: version } = this.#database.prepare("PRAGMA user_version").get() as {
        user_version: number;
      };
      if (version > MIGRATIONS.length) {
        throw new Error(`its schema has version ${version}, which is newer than this program`);
      }
      for (const migration of MIGRATIONS.slice(version)) this.#database.exec(migration);
      this.#database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    });
  }

  #addToHour(row: LedgerRow, tag: string): void {
    const group = [hourOf(row.time), row.key ?? "", row.model ?? "", row.provider ?? "", tag];
    const sums = sumsOf(row);
    this.#addHour.run(...group, ...SUM_NAMES.map((name) => sums[name]));
    this.#addDuration.run(...group, "total", bucketOf(row.ms));
    if (row.firstTokenMs !== undefined) {
      this.#addDuration.run(...group, "first", bucketOf(row.firstTokenMs));
    }
  }

  #summarize({ from, to, groupBy, key }: UsageQuery): UsageSummary[] {
    const byTag = groupBy.includes("tag");
    const columns = groupBy.map((group, index) => `${GROUP_COLUMNS[group]} AS g${index}`);
    const names = groupBy.map((_, index) => `g${index}`);
    const where = `hour >= ? AND hour < ? AND tag ${byTag ? "<>" : "="} '${ALL}'` +
      (key === undefined ? "" : " AND key = ?");
    const values = [hourOf(from), to, ...(key === undefined ? [] : [key])];
    const select = (others: readonly string[], table: string, grouped: readonly string[]) =>
      this.#database.prepare(
        `SELECT ${[...columns, ...others].join(", ")} FROM ${table} WHERE ${where}` +
          (grouped.length === 0 ? "" : ` GROUP BY ${grouped.join(", ")}`),
      ).all(...values);
    const groups = new Map<string, { group: (string | null)[]; sums: GroupSums }>();
    const groupOf = (row: Readonly<Record<string, unknown>>) => {
      const group = groupBy.map((name, index) => toGroup(name, row[`g${index}`]));
      const id = JSON.stringify(group);
      let entry = groups.get(id);
      if (entry === undefined) groups.set(id, entry = { group, sums: new GroupSums() });
      return entry.sums;
    };
    const sums = SUM_NAMES.map((name) => `SUM(${COLUMNS[name]}) AS ${name}`);
    for (const row of select(sums, "usage_hours", names)) {
      if (row.requests !== null) groupOf(row).addSums(row as unknown as Sums);
    }
    const duration = ["kind", "bucket", "SUM(requests) AS requests"];
    for (const row of select(duration, "usage_durations", [...names, "kind", "bucket"])) {
      const kind = row.kind === "first" ? "first" : "total";
      groupOf(row).addDuration(kind, Number(row.bucket), Number(row.requests));
    }
    return [...groups.values()].map(({ group, sums }) => sums.toSummary(group));
  }

  #run(write: () => void): Promise<void> {
    try {
      this.#transact(write);
      return Promise.resolve();
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  #transact(write: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      write();
      this.#database.exec("COMMIT");
    } catch (thrown) {
      this.#database.exec("ROLLBACK");
      throw thrown;
    }
  }
}

function toValues(row: LedgerRow): SQLInputValue[] {
  const { prices } = row;
  return [
    ...[row.time, row.id, row.key ?? null, JSON.stringify(row.tags), row.model ?? null],
    ...[row.provider ?? null, row.upstream ?? null, row.format, row.status, row.error ?? null],
    ...[row.attempts, row.input, row.cachedInput, row.cacheWrite, row.output, row.reasoning],
    ...[row.source, row.usd ?? null, prices === undefined ? null : JSON.stringify(prices)],
    ...[row.ms, row.firstTokenMs ?? null],
  ];
}

function toGroup(group: UsageGroup, value: unknown): string | null {
  if (group === "hour" || group === "day") return timeGroup(group, Number(value));
  const text = String(value);
  if (group !== "tag") return text === "" ? null : text;
  return text === UNTAGGED ? null : text.slice(TAG_PREFIX.length);
}

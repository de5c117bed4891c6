/**
 * The ledger in an SQLite file. Each batch of rows is one transaction. Hourly and daily sums are
 * computed later, from more rows at once. The database stores the last counted row, so a crash in
 * between loses nothing. All calls are synchronous, so steps must be small.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Clock } from "../../core/clock.ts";
import { checkpoint, openDatabase, runSteps, toStoreError, transact } from "../sqlite_database.ts";
import { COUNTED_COLUMNS, readCountedRow, ROW_COLUMNS, ROW_SUMS } from "./columns.ts";
import { LabelBounds } from "./labels.ts";
import type { LedgerRow } from "./row.ts";
import {
  ADD_TO_ROLLUP,
  KEY_COLUMNS,
  pruneSums,
  readLabels,
  type Rollup,
  ROLLUP_COLUMNS,
  toRollups,
  unreadableRow,
} from "./rollups.ts";
import { migrate } from "./sqlite_schema.ts";
import { readSums, toSummaries } from "./summary_queries.ts";
import type { Dialect } from "./request_conditions.ts";
import { countRequests, listRequests } from "./request_queries.ts";
import {
  BATCH_ROWS,
  type RequestCountQuery,
  type RequestCounts,
  type RequestPage,
  type RequestQuery,
  type UsageQuery,
  type UsageStore,
  type UsageSummary,
} from "./usage_store.ts";
import type { SqlSteps } from "./column_types.ts";

/** The number of rows counted in one step, which takes a few milliseconds. */
const MAX_COUNTED_ROWS = 1000;
/** The number of rows inserted by one statement: one call per row would take twice as long. */
const ROWS_AT_ONCE = 10;
/** The number of rows removed in one step, which takes a few milliseconds. */
const MAX_PRUNED_ROWS = 1000;
/**
 * Milliseconds between two checkpoints, which include changes by the key store. Exported for tests.
 */
export const CHECKPOINT_MS = 30_000;

/** The column names, in the order of {@linkcode toValues}. */
const NAMES = ROW_COLUMNS.map(({ name }) => name);

const DIALECT: Dialect = {
  table: "requests",
  toLowerCase: (column) => `lower(${column})`,
  row: "requests.rowid",
  time: "time",
  columns: NAMES.filter((name) => name !== "time").join(", "),
  byId: { table: "requests INDEXED BY requests_id", id: "id" },
  toTime: (placeholder) => placeholder,
  toInterval: (placeholder) => `CAST(time / ${placeholder} AS INTEGER)`,
  hasKey: (placeholder) => `key = ${placeholder}`,
  hasTag: (placeholder) => `EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ${placeholder})`,
  isLike,
  hasTagLike: (placeholder) =>
    `EXISTS (SELECT 1 FROM json_each(tags) WHERE ${isLike("value", placeholder)})`,
};

export class SqliteUsageStore implements UsageStore {
  readonly name: string;
  readonly maxBatchRows = BATCH_ROWS;
  readonly #database: DatabaseSync;
  readonly #insertRow: StatementSync;
  readonly #insertRows: StatementSync;
  readonly #readUncounted: StatementSync;
  readonly #readRange: StatementSync;
  readonly #setCounted: StatementSync;
  readonly #readTexts: StatementSync;
  readonly #addRollup: StatementSync;
  readonly #labelBounds = new LabelBounds();
  /** The rows that this process has written since the last count. */
  #uncounted: LedgerRow[] = [];
  /** The number of the first of these rows in the table. */
  #firstUncounted: number | bigint = 0;
  #cancelCheckpoint = () => {};

  /**
   * Opens or creates the file, and migrates its schema.
   *
   * @param clock schedules regular checkpoints; without it, SQLite runs them automatically, every 4
   * MB
   * @throws {Error} when the file cannot be opened, or is newer than this gateway version.
   */
  constructor(path: string, clock?: Pick<Clock, "after">) {
    this.name = `sqlite:${path}`;
    this.#database = openDatabase(path, "NORMAL", migrate);
    const values = `(${NAMES.map(() => "?").join(", ")})`;
    const insert = (rows: number) =>
      this.#database.prepare(
        `INSERT INTO requests (${NAMES.join(", ")}) VALUES ${Array(rows).fill(values).join(", ")}`,
      );
    this.#insertRow = insert(1);
    this.#insertRows = insert(ROWS_AT_ONCE);
    this.#readUncounted = this.#database.prepare(
      `SELECT rowid, ${COUNTED_COLUMNS.map(({ name }) => name).join(", ")} FROM requests
       WHERE rowid > (SELECT last_row FROM counted) ORDER BY rowid LIMIT ${MAX_COUNTED_ROWS}`,
    );
    this.#readRange = this.#database.prepare(
      `SELECT last_row AS before, COUNT(requests.rowid) AS rows, MAX(requests.rowid) AS last
       FROM counted LEFT JOIN requests ON requests.rowid > last_row`,
    );
    this.#setCounted = this.#database.prepare("UPDATE counted SET last_row = ?");
    this.#readTexts = this.#database.prepare(
      `SELECT durations, first_tokens FROM usage_sums WHERE ${
        KEY_COLUMNS.map((column) => `${column} = ?`).join(" AND ")
      }`,
    );
    this.#addRollup = this.#database.prepare(
      `INSERT INTO usage_sums AS sums (${ROLLUP_COLUMNS.join(", ")})
       VALUES (${ROLLUP_COLUMNS.map(() => "?").join(", ")}) ${ADD_TO_ROLLUP}`,
    );
    if (clock !== undefined) this.#checkpointLater(clock);
  }

  write(rows: readonly LedgerRow[]): Promise<void> {
    return this.#run(() => {
      let last: number | bigint = 0;
      const atOnce = rows.length - rows.length % ROWS_AT_ONCE;
      for (let at = 0; at < atOnce; at += ROWS_AT_ONCE) {
        const values = toValues(rows.slice(at, at + ROWS_AT_ONCE));
        last = this.#insertRows.run(...values).lastInsertRowid;
      }
      for (const row of rows.slice(atOnce)) {
        last = this.#insertRow.run(...toValues([row])).lastInsertRowid;
      }
      // The rows in one transaction are numbered without gaps.
      if (this.#uncounted.length === 0) this.#firstUncounted = Number(last) - rows.length + 1;
      this.#uncounted.push(...rows);
      // The second call catches up with rows that another process has not counted.
      if (this.#uncounted.length >= MAX_COUNTED_ROWS && this.#count()) this.#count();
    });
  }

  async summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    const rows = await this.#run(() => {
      while (this.#count());
      return runSteps(this.#database, readSums(query, "usage_sums", "counted"));
    });
    return await toSummaries(rows, query.groupBy);
  }

  list(query: RequestQuery): Promise<RequestPage> {
    return this.#read(listRequests(query, DIALECT));
  }

  count(query: RequestCountQuery): Promise<RequestCounts> {
    return this.#read(countRequests(query, DIALECT));
  }

  prune(before: number, quartersBefore = before): Promise<boolean> {
    return this.#run(() => {
      const isCounting = this.#count();
      // Row numbers only grow as long as the newest row is kept.
      const rows = this.#database.prepare(
        `DELETE FROM requests WHERE rowid IN
           (SELECT rowid FROM requests WHERE time < ? AND rowid < (SELECT last_row FROM counted)
            LIMIT ${MAX_PRUNED_ROWS})`,
      ).run(before);
      const sums = { table: "usage_sums", key: "rowid", maxRows: MAX_PRUNED_ROWS };
      const isPruning = runSteps(this.#database, pruneSums(sums, before, quartersBefore));
      return isCounting || isPruning || rows.changes === MAX_PRUNED_ROWS;
    });
  }

  close(): Promise<void> {
    this.#cancelCheckpoint();
    this.#database.close();
    return Promise.resolve();
  }

  #checkpointLater(clock: Pick<Clock, "after">): void {
    this.#cancelCheckpoint = clock.after(CHECKPOINT_MS, () => {
      try {
        checkpoint(this.#database);
      } catch {
        // A full or failing disk: the next write reports it.
      }
      this.#checkpointLater(clock);
    });
  }

  /** Adds some rows to their sums. Returns whether there may be more. */
  #count(): boolean {
    const own = this.#uncounted;
    this.#uncounted = [];
    const { before = 0, rows: count = 0, last = null } = this.#readRange.get() ?? {};
    if (last === null) return false;
    // If no other process has written or counted, these rows are still in memory.
    const isOwn = count === own.length && this.#firstUncounted > Number(before);
    const read = isOwn ? [] : this.#readUncounted.all();
    const rows = isOwn ? own : read.map((columns) => readCountedRow(columns) ?? unreadableRow());
    runSteps(this.#database, readLabels(rows, this.#labelBounds, "usage_sums"));
    for (const rollup of toRollups(rows, this.#labelBounds)) this.#add(rollup);
    this.#setCounted.run(isOwn ? last : read.at(-1)?.rowid ?? last);
    return read.length === MAX_COUNTED_ROWS;
  }

  #add({ key, holders, sums }: Rollup): void {
    const before = this.#readTexts.get(...key);
    if (before !== undefined) {
      sums.durations.addText(String(before.durations));
      sums.firstTokens.addText(String(before.first_tokens));
    }
    const values = ROW_SUMS.map(({ member }) => sums.sums[member]);
    const texts = [sums.durations.toText(), sums.firstTokens.toText()];
    this.#addRollup.run(...key, ...values, ...holders, ...texts);
  }

  #read<Result>(steps: SqlSteps<Result>): Promise<Result> {
    try {
      return Promise.resolve(runSteps(this.#database, steps));
    } catch (thrown) {
      return Promise.reject(toStoreError(thrown));
    }
  }

  #run<Result>(run: () => Result): Promise<Result> {
    try {
      return Promise.resolve(transact(this.#database, "immediate", run));
    } catch (thrown) {
      // A rolled-back transaction leaves no rows; rows written earlier are read from the table when
      // they are counted.
      this.#uncounted = [];
      return Promise.reject(toStoreError(thrown));
    }
  }
}

/** Ignores the case of ASCII letters, as SQLite does by default. */
function isLike(column: string, placeholder: string): string {
  return `${column} LIKE ${placeholder} ESCAPE '\\'`;
}

/** The values of some rows, concatenated. */
function toValues(rows: readonly LedgerRow[]): SQLInputValue[] {
  const values: SQLInputValue[] = [];
  for (const row of rows) {
    for (const { member, type } of ROW_COLUMNS) values.push(type.toSqlite(row[member]));
  }
  return values;
}

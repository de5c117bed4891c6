/** An SQLite file as the source or the target of a copy. */

import { backup, DatabaseSync, type StatementSync } from "node:sqlite";
import { MAX_TIME } from "../ledger/column_types.ts";
import { SCHEMA_VERSION } from "../ledger/sqlite_schema.ts";
import { StoreError } from "../ledger/usage_store.ts";
import {
  type CopiedCount,
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  type CopySource,
  type CopyTarget,
  type DayCount,
  type DayRange,
  differs,
  type OnProgress,
  PAGE_ROWS,
  readCopiedRow,
  readDayCount,
  type StoreMarks,
  TABLES,
  type ValueKind,
} from "./copy.ts";

const DAY_MS = 86_400_000;
/** Whether a row's time can be read. */
const HAS_TIME = `typeof(time) = 'integer' AND time BETWEEN -${MAX_TIME} AND ${MAX_TIME}`;

/** A column's name: SQLite numbers requests automatically. */
function toName(table: CopiedTable, column: string): string {
  return table.name === "requests" && column === "row" ? "rowid" : column;
}

/** A snapshot of a file, which may be in use: others can write to it in the meantime. */
export class SqliteCopySource implements CopySource, Disposable {
  readonly database: DatabaseSync;

  /** @throws {StoreError} when the file has another version's schema. */
  constructor(path: string) {
    this.database = new DatabaseSync(path, { readOnly: true });
    try {
      // The first query determines the snapshot.
      this.database.exec("BEGIN");
      checkSchema(this.database);
    } catch (thrown) {
      this.database.close();
      throw thrown;
    }
  }

  count(table: CopiedTable): number {
    return hasTable(this.database, table.name) ? countRows(this.database, table.name) : 0;
  }

  countDays(): readonly DayCount[] {
    return this.database.prepare(
      `SELECT CASE WHEN ${HAS_TIME} THEN time - ((time % ${DAY_MS}) + ${DAY_MS}) % ${DAY_MS} END
           AS start, COUNT(*) AS rows FROM requests GROUP BY 1 ORDER BY 1`,
    ).all().map(readDayCount);
  }

  async *pages(
    table: CopiedTable,
    range?: DayRange,
  ): AsyncGenerator<readonly (CopiedRow | undefined)[]> {
    if (!hasTable(this.database, table.name)) return;
    const { columns, name } = table;
    const selected = columns.map((column, index) => `${toName(table, column.name)} AS c${index}`);
    const where = range === undefined
      ? "ORDER BY rowid"
      : `WHERE ${HAS_TIME} AND time >= ${range.from} AND time < ${range.to} ORDER BY time, rowid`;
    const query = this.database.prepare(`SELECT ${selected.join(", ")} FROM ${name} ${where}`);
    let page: (CopiedRow | undefined)[] = [];
    for (const row of query.iterate()) {
      page.push(readCopiedRow(table, row));
      if (page.length < PAGE_ROWS) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  readMarks(): StoreMarks {
    const counted = this.database.prepare("SELECT * FROM counted").get();
    const keys = hasTable(this.database, "service_keys_state")
      ? this.database.prepare("SELECT version, pepper FROM service_keys_state").get()
      : undefined;
    return {
      lastRow: Number(counted?.last_row),
      totalsSince: Number(counted?.totals_since),
      quartersSince: Number(counted?.quarters_since),
      keys: keys && { version: Number(keys.version), pepper: String(keys.pepper) },
    };
  }

  [Symbol.dispose](): void {
    this.database.close();
  }
}

/** A file that only this process uses, with a store's tables. The whole copy is one transaction. */
export class SqliteCopyTarget implements CopyTarget, Disposable {
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec("BEGIN IMMEDIATE");
  }

  findFilled(): CopiedTable | undefined {
    return findFilled(this.#database);
  }

  write(table: CopiedTable, rows: readonly CopiedRow[]): void {
    const insert = this.#insertOf(table);
    for (const row of rows) {
      insert.run(...table.columns.map(({ kind }, index) => toSqlite(kind, row[index] ?? null)));
    }
  }

  writeMarks({ lastRow, totalsSince, quartersSince, keys }: StoreMarks): void {
    this.#database.prepare(
      "UPDATE counted SET last_row = ?, totals_since = ?, quarters_since = ?",
    )
      .run(lastRow, totalsSince, quartersSince);
    if (keys === undefined) return;
    this.#database.prepare("UPDATE service_keys_state SET version = ?, pepper = ?")
      .run(keys.version, keys.pepper);
  }

  count({ name }: CopiedTable): number {
    return countRows(this.#database, name);
  }

  /** Commits; otherwise, the copy is discarded. */
  commit(): void {
    this.#database.exec("COMMIT");
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #insertOf(table: CopiedTable): StatementSync {
    const { name, columns } = table;
    let insert = this.#inserts.get(name);
    if (insert === undefined) {
      const names = columns.map((column) => toName(table, column.name));
      insert = this.#database.prepare(
        `INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      );
      this.#inserts.set(name, insert);
    }
    return insert;
  }
}

/** The first table in a database that has rows. */
export function findFilled(database: DatabaseSync): CopiedTable | undefined {
  return TABLES.find(({ name }) =>
    hasTable(database, name) &&
    database.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined
  );
}

/** @throws {StoreError} when the schema is from a later version, or from an earlier one. */
function checkSchema(database: DatabaseSync): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  const lacks = TABLES.filter(({ name }) => hasTable(database, name)).flatMap((table) => {
    const found = database.prepare(`SELECT name FROM pragma_table_info('${table.name}')`).all();
    const names = new Set(["rowid", ...found.map(({ name }) => String(name))]);
    return table.columns.filter(({ name }) => !names.has(toName(table, name)));
  });
  if (version > SCHEMA_VERSION) {
    throw new StoreError("it was written by a newer version of the gateway", "setup");
  }
  if (version < SCHEMA_VERSION || lacks.length > 0) {
    throw new StoreError(
      "it is from an earlier version: start this version of the gateway with it once",
      "setup",
    );
  }
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    .get(name) !== undefined;
}

function toSqlite(kind: ValueKind, value: CopiedValue): string | number | null {
  if (value === null) return null;
  return kind === "list" || kind === "json" ? JSON.stringify(value) : value as string | number;
}

function countRows(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`SELECT COUNT(*) AS rows FROM "${table}"`).get()?.rows);
}

/** The number of pages copied at once, in another thread: 400 kB. */
const PAGES_AT_ONCE = 100;

/**
 * Copies a snapshot of a file into another one, whose content is replaced. The source may be in
 * use: later changes are not copied, and are not blocked.
 *
 * @param to a file that only this process uses
 * @throws {StoreError} when the source is not a store, or the copy differs.
 */
export async function copyPages(
  from: string,
  to: string,
  onProgress: OnProgress,
): Promise<readonly CopiedCount[]> {
  using source = new DatabaseSync(from, { readOnly: true });
  // The first query determines the snapshot; otherwise, the copy would restart after each change.
  source.exec("BEGIN");
  checkStore(source);
  await backup(source, to, {
    rate: PAGES_AT_ONCE,
    progress: ({ totalPages, remainingPages }) =>
      onProgress("pages", totalPages - remainingPages, totalPages),
  });
  using copy = new DatabaseSync(to);
  // One file, without a WAL.
  copy.prepare("PRAGMA journal_mode = DELETE").get();
  const check = copy.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (check !== "ok") throw new StoreError(`the copy is damaged: ${check}`, "setup");
  return namesOf(source).map((table) => {
    const [expected = 0, found = 0] = [source, copy].map((database) => countRows(database, table));
    if (expected !== found) throw differs(table, expected, found);
    return { table, rows: found, unreadable: 0 };
  });
}

function checkStore(database: DatabaseSync): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (version > SCHEMA_VERSION) {
    throw new StoreError("it was written by a newer version of the gateway", "setup");
  }
  if (!namesOf(database).includes("requests")) throw new StoreError("it is not a store", "setup");
}

/** The names of all tables except SQLite's internal ones. */
function namesOf(database: DatabaseSync): string[] {
  return database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  ).all().map(({ name }) => String(name));
}

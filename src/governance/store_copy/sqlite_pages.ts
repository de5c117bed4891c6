/** Copies an SQLite file page by page with all its tables, and verifies the copy. */

import { backup, DatabaseSync } from "node:sqlite";
import { SCHEMA_VERSION } from "../ledger/sqlite_schema.ts";
import { StoreError } from "../ledger/usage_store.ts";
import type { CopiedCount, OnProgress } from "./copy.ts";

/** Pages that are copied at once, in another thread: 400 kB. */
const PAGES_AT_ONCE = 100;

/**
 * Copies one state of a file into another one, whose content is replaced. The source may be in use:
 * changes meanwhile are not copied, and do not wait.
 *
 * @param to a file that this process alone uses
 * @throws {StoreError} when the source is no store, or the copy differs.
 */
export async function copyPages(
  from: string,
  to: string,
  onProgress: OnProgress,
): Promise<readonly CopiedCount[]> {
  using source = new DatabaseSync(from, { readOnly: true });
  // The first query fixes the state: the copy would start again after each change.
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
    const [expected, found] = [source, copy].map((database) => sumsOf(database, table));
    if (JSON.stringify(expected) !== JSON.stringify(found)) {
      throw new StoreError(`the copy differs: the sums of '${table}' are others`, "setup");
    }
    return { table, rows: Number(expected?.count), unreadable: 0 };
  });
}

function checkStore(database: DatabaseSync): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (version > SCHEMA_VERSION) {
    throw new StoreError("it was written by a newer version of the gateway", "setup");
  }
  if (!namesOf(database).includes("requests")) throw new StoreError("it is no store", "setup");
}

/** The names of all tables but SQLite's own. */
function namesOf(database: DatabaseSync): string[] {
  return database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  ).all().map(({ name }) => String(name));
}

/** The number of rows of a table, and of each column the sum of its numbers and of its sizes. */
function sumsOf(database: DatabaseSync, table: string): Readonly<Record<string, unknown>> {
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const sums = columns.map(({ name }, index) =>
    `TOTAL("${name}") AS s${index}, TOTAL(OCTET_LENGTH("${name}")) AS o${index}`
  );
  const query = `SELECT COUNT(*) AS count, ${sums.join(", ")} FROM "${table}"`;
  return { ...database.prepare(query).get() };
}

/** Opens SQLite databases that several processes share. */

import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../core/clock.ts";
import type { SqlQuery, SqlRow, SqlSteps } from "./ledger/column_types.ts";
import { StoreError } from "./ledger/usage_store.ts";

/**
 * Runs work in a transaction: all of it takes effect, or nothing.
 *
 * @param mode `deferred` to read a consistent snapshot; `immediate` to lock the tables for writing
 * @throws any error of `work` or the database.
 */
export function transact<Result>(
  database: DatabaseSync,
  mode: "deferred" | "immediate",
  work: () => Result,
): Result {
  // Errors from exec() have no code.
  database.prepare(`BEGIN ${mode}`).run();
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (thrown) {
    // Some errors, such as a full disk, have already ended the transaction.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}

/** Runs steps, in the caller's transaction. */
export function runSteps<Result>(database: DatabaseSync, steps: SqlSteps<Result>): Result {
  let step = steps.next([]);
  while (step.done !== true) step = steps.next(runQuery(database, step.value));
  return step.value;
}

/** Runs a statement. SQLite has `?1` for `$1`. */
function runQuery(database: DatabaseSync, { text, values }: SqlQuery): SqlRow[] {
  return database.prepare(text.replaceAll(/\$(?=\d)/g, "?")).all(...values);
}

/** Milliseconds for which a statement waits for another process that writes to the same file. */
const BUSY_TIMEOUT_MS = 5000;
/** The pause between two attempts while a file is locked, and their maximum number: 5 seconds. */
const PAUSE_MS = 20;
const MAX_ATTEMPTS = 250;
/** https://sqlite.org/rescode.html#busy (2026-11-22). */
const SQLITE_BUSY = 5;

/**
 * Opens or creates a file in WAL mode, and closes it if that fails.
 *
 * @param synchronous `FULL` if a commit must survive a power loss, otherwise `NORMAL`
 * @param migrate migrates the tables, in one transaction
 * @throws {Error} when the file cannot be opened, and any error of `migrate`.
 */
export function openDatabase(
  path: string,
  synchronous: "FULL" | "NORMAL",
  migrate: (database: DatabaseSync) => void,
): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    enableWal(database);
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    transact(database, "immediate", () => migrate(database));
    checkpoint(database);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/**
 * Moves committed changes from the WAL to the file itself, without waiting for other connections.
 * SQLite does so only after 4 MB, so a small database would exist only in the WAL.
 */
export function checkpoint(database: DatabaseSync): void {
  database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
}

/** The timeout does not cover this change: if two processes make it at once, one fails. */
function enableWal(database: DatabaseSync): void {
  // Errors from exec() have no code.
  const statement = database.prepare("PRAGMA journal_mode = WAL");
  for (let attempt = 1;; attempt++) {
    try {
      statement.get();
      return;
    } catch (thrown) {
      if (!isBusy(thrown) || attempt === MAX_ATTEMPTS) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/**
 * Runs work in a transaction that locks the file. While another process has locked it, this waits
 * without blocking the thread for longer than the database's timeout.
 *
 * @throws any error of `work` or the database.
 */
export async function transactWhenFree<Result>(
  database: DatabaseSync,
  clock: Clock,
  work: () => Result,
): Promise<Result> {
  for (let attempt = 1;; attempt++) {
    try {
      return transact(database, "immediate", work);
    } catch (thrown) {
      if (!isBusy(thrown) || attempt === MAX_ATTEMPTS) throw thrown;
    }
    await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
  }
}

function isBusy(thrown: unknown): boolean {
  const { errcode = 0 } = thrown as { readonly errcode?: number };
  return (errcode & 0xff) === SQLITE_BUSY;
}

/** The result codes for rejected values (https://sqlite.org/rescode.html). */
const REFUSALS = new Set([18, 19, 20]);

/** SQLite's messages name tables and columns, never values. */
export function toStoreError(thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const { message, errcode } = thrown as { readonly message?: string; readonly errcode?: number };
  const isRefusal = REFUSALS.has((errcode ?? 0) & 0xff);
  return new StoreError(message ?? "unknown error", isRefusal ? "values" : "unavailable");
}

/** Copies a store into a new or empty one; handles the files, locks and connections of the copy. */

import { DatabaseSync } from "node:sqlite";
import { Buffer } from "node:buffer";
import { type PostgresRules, type StoreRules, toStoreName } from "../config/shared_store.ts";
import { systemClock } from "../core/clock.ts";
import { randomBytes } from "../core/ids.ts";
import { PostgresKeyStore } from "../governance/keys/postgres_key_store.ts";
import { SqliteKeyStore } from "../governance/keys/sqlite_key_store.ts";
import { PostgresConnection, type RunSql } from "../governance/ledger/postgres_connection.ts";
import { divideRequests } from "../governance/ledger/postgres_schema.ts";
import { PostgresUsageStore } from "../governance/ledger/postgres_store.ts";
import { SqliteUsageStore } from "../governance/ledger/sqlite_store.ts";
import {
  type CopiedCount,
  type CopySource,
  copyStore,
  notEmpty,
  type OnProgress,
} from "../governance/store_copy/copy.ts";
import { PostgresCopySource, PostgresCopyTarget } from "../governance/store_copy/postgres_copy.ts";
import {
  copyPages,
  findFilled,
  SqliteCopySource,
  SqliteCopyTarget,
} from "../governance/store_copy/sqlite_copy.ts";
import { StoreError } from "../governance/ledger/usage_store.ts";
import { readFile, removeIfExists } from "../process/system/files.ts";
import { claimFile } from "../process/stores/sqlite_file.ts";

/** The time limit of most statements of a copy, in milliseconds. */
const STATEMENT_MS = 60_000;
/** The number of random bytes of a new pepper, if the source has none. */
const PEPPER_BYTES = 32;
/** The suffix of a file until its copy is complete. */
const PARTIAL_SUFFIX = "-partial";

/** Reports the progress of a copy. */
export interface CopyReports {
  readonly onProgress: OnProgress;
  readonly onWarning: (text: string) => void;
}

/** The target of a copy. */
export interface CopyOptions extends CopyReports {
  readonly target: StoreRules;
  /** Whether the target must not exist; otherwise, it may be an empty store. */
  readonly isNew: boolean;
}

/**
 * Copies a store. Afterwards, the target is either complete or unchanged.
 *
 * @throws {Error} when the source cannot be read, the target is not empty, or the copy differs.
 */
export async function copyInto(
  source: StoreRules,
  { target, isNew, ...reports }: CopyOptions,
): Promise<readonly CopiedCount[]> {
  if (target.kind === "postgres") {
    return await withSource(source, reports, (from) => fillDatabase(target, from, reports));
  }
  return await replaceFile(target.path, isNew, async (partial) => {
    if (source.kind === "sqlite") return await copyPages(source.path, partial, reports.onProgress);
    return await withSource(source, reports, (from) => fillFile(partial, from, reports));
  });
}

/**
 * Divides the requests of a database into months.
 *
 * @returns false if they were divided before
 * @throws {StoreError} when the database has no store of this version, or the server is too old.
 */
export async function partitionStore(rules: PostgresRules): Promise<boolean> {
  return await withConnection(rules, divideRequests);
}

/** The name of a store in messages, without a password. */
export function nameOf(store: StoreRules): string {
  return store.kind === "sqlite" ? store.url : toStoreName(store);
}

/** Opens a snapshot of a store. Warns about gateways that write to it. */
export async function withSource<Result>(
  source: StoreRules,
  { onWarning }: CopyReports,
  run: (source: CopySource) => Promise<Result>,
): Promise<Result> {
  if (source.kind === "sqlite") {
    using file = new SqliteCopySource(source.path);
    return await run(file);
  }
  return await withConnection(source, async (sql) => {
    const database = await PostgresCopySource.open(sql);
    const writers = await database.countWriters();
    if (writers > 0) {
      onWarning(
        `gateways have ${writers} connections to ${nameOf(source)}: what they write from now on ` +
          "is not copied",
      );
    }
    return await run(database);
  });
}

/** Creates the tables in a database, and fills them in one transaction. */
async function fillDatabase(
  rules: PostgresRules,
  source: CopySource,
  { onProgress }: CopyReports,
): Promise<readonly CopiedCount[]> {
  const certificate = readCertificate(rules);
  const ledger = new PostgresUsageStore(rules, certificate);
  const keys = new PostgresKeyStore(rules, newPepper, certificate);
  try {
    await ledger.open();
    await keys.readVersion();
  } finally {
    await Promise.all([ledger.close(), keys.close()]);
  }
  return await withConnection(rules, async (sql) => {
    const target = await PostgresCopyTarget.open(sql);
    const counts = await copyStore(source, target, onProgress);
    await target.commit();
    return counts;
  });
}

/** Fills an empty file. */
async function fillFile(
  path: string,
  source: CopySource,
  { onProgress }: CopyReports,
): Promise<readonly CopiedCount[]> {
  await new SqliteUsageStore(path).close();
  await new SqliteKeyStore(path, newPepper, systemClock).close();
  using target = new SqliteCopyTarget(path);
  const counts = await copyStore(source, target, onProgress);
  await target.commit();
  return counts;
}

/** Fills a temporary file, which is renamed to the target when it is complete. */
export async function replaceFile<Result>(
  path: string,
  isNew: boolean,
  fill: (partial: string) => Promise<Result>,
): Promise<Result> {
  if (isNew && exists(path)) throw new StoreError("it exists, and nothing is overwritten", "setup");
  // A backup is not in use, so it needs no lock.
  using _claim = isNew ? undefined : claimFile(path);
  if (!isNew) checkEmpty(path);
  const partial = path + PARTIAL_SUFFIX;
  removeFiles(partial);
  try {
    Deno.openSync(partial, { createNew: true, write: true, mode: 0o600 }).close();
    const result = await fill(partial);
    using file = Deno.openSync(partial, { write: true });
    file.syncSync();
    Deno.renameSync(partial, path);
    return result;
  } catch (thrown) {
    removeFiles(partial);
    throw thrown;
  }
}

/** Removes the WAL, which would not belong to the renamed file. */
function checkEmpty(path: string): void {
  using database = new DatabaseSync(path);
  const filled = findFilled(database);
  if (filled !== undefined) throw notEmpty(filled);
  database.prepare("PRAGMA journal_mode = DELETE").get();
}

function removeFiles(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) removeIfExists(path + suffix);
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}

async function withConnection<Result>(
  rules: PostgresRules,
  run: (sql: RunSql) => Promise<Result>,
): Promise<Result> {
  const connection = new PostgresConnection(rules, readCertificate(rules), STATEMENT_MS);
  try {
    return await connection.call(run);
  } finally {
    await connection.close();
  }
}

function readCertificate({ rootCertificate: path }: PostgresRules): string | undefined {
  return path === undefined ? undefined : readFile(path);
}

function newPepper(): string {
  return Buffer.from(randomBytes(PEPPER_BYTES)).toString("base64url");
}

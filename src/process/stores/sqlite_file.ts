/** The file of an SQLite store, which only one gateway can use and other users cannot read. */

import type { LogLevel } from "../../core/log_level.ts";
import { StoreError } from "../../governance/ledger/usage_store.ts";
import { newerSchema, SCHEMA_VERSION } from "../../governance/ledger/sqlite_schema.ts";
import { findFolderFault, folderOf, reasonOf } from "../system/files.ts";
import { logMessage } from "../system/stdio.ts";

/** The suffix of the lock file. */
const LOCK_SUFFIX = "-lock";
/** The other files of a database in WAL mode (https://sqlite.org/walformat.html, 2026-11-26). */
const SIDE_FILES = ["-wal", "-shm"];
const PRIVATE = 0o600;
/** The permissions of users who are neither the owner nor in the group. */
const OTHERS = 0o007;
/** The maximum size of a process ID in the lock file, in bytes. */
const MAX_ID_BYTES = 20;

/**
 * Claims a file for this process until the result is disposed or the process ends, and creates it
 * if it does not exist. SQLite gives its other files the mode of this one. A world-readable file
 * becomes private; group permissions are deliberate and are kept.
 *
 * The lock is a separate file, because closing a second descriptor of a database would release
 * SQLite's own locks (https://sqlite.org/howtocorrupt.html, 2026-11-26).
 *
 * @returns undefined for a database that is not a file
 * @throws {StoreError} when another process has claimed the file, or it cannot be written.
 */
export function claimFile(path: string, log = logMessage): Disposable | undefined {
  if (isNoFile(path)) return undefined;
  const lock = open(path + LOCK_SUFFIX);
  try {
    if (!tryLock(lock, path, log)) throw new StoreError(inUse(lock), "setup");
    open(path).close();
    for (const suffix of ["", ...SIDE_FILES]) makePrivate(path + suffix, log);
    return lock;
  } catch (thrown) {
    lock.close();
    throw thrown;
  }
}

/**
 * The reason why a file cannot be a store, regardless of other processes. Nothing is created or
 * changed.
 *
 * @returns undefined if the file can be a store, or for a database that is not a file
 */
export function findFileFault(path: string): string | undefined {
  if (isNoFile(path)) return undefined;
  const files = [path, path + LOCK_SUFFIX, ...SIDE_FILES.map((suffix) => path + suffix)];
  const found = files.map(findWriteFault);
  const fault = found.find((reason) => reason !== undefined && reason !== MISSING);
  if (fault !== undefined) return fault;
  const hasAll = !found.includes(MISSING);
  return (hasAll ? undefined : findFolderFault(path)) ??
    (found[0] === MISSING ? undefined : findHeaderFault(path));
}

/** The result of {@linkcode findWriteFault} for a file that does not exist. */
const MISSING = "it does not exist";

function findWriteFault(path: string): string | undefined {
  try {
    // Opening a pipe could block.
    if (!Deno.statSync(path).isFile) return `'${path}' is not a regular file`;
    Deno.openSync(path, { read: true, write: true }).close();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? MISSING : toReason(path, thrown);
  }
}

/** The first bytes of a database (https://www.sqlite.org/fileformat.html, 2026-11). */
const HEADER = "SQLite format 3\0";
/** The offset of `PRAGMA user_version` in them. */
const VERSION_AT = 60;

function findHeaderFault(path: string): string | undefined {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(VERSION_AT + 4);
  const size = file.readSync(bytes);
  if (size === null) return undefined;
  const view = new DataView(bytes.buffer);
  if (new TextDecoder().decode(bytes.subarray(0, HEADER.length)) !== HEADER) {
    return "it is not an SQLite database";
  }
  const version = view.getUint32(VERSION_AT);
  return version > SCHEMA_VERSION ? newerSchema(version) : undefined;
}

function open(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { create: true, read: true, write: true, mode: PRIVATE });
  } catch (thrown) {
    throw new StoreError(toReason(path, thrown), "setup");
  }
}

/** Whether the path refers to a database that is not a single file. */
function isNoFile(path: string): boolean {
  return path === ":memory:" || path.startsWith("file:");
}

/** The reason why a file cannot be opened for writing. */
function toReason(path: string, thrown: unknown): string {
  if (thrown instanceof Deno.errors.NotFound) {
    return `the folder '${folderOf(path)}' does not exist`;
  }
  return `cannot write '${path}': ${reasonOf(thrown)}`;
}

/** Locks the file and writes the ID of this process into it. */
function tryLock(
  lock: Deno.FsFile,
  path: string,
  log: (text: string, level?: LogLevel) => void,
): boolean {
  try {
    if (!lock.tryLockSync(true)) return false;
    lock.truncateSync(0);
    lock.writeSync(new TextEncoder().encode(`${Deno.pid}\n`));
  } catch (thrown) {
    // Some network file systems do not support locks.
    log(
      `the store ${path} cannot be locked (${reasonOf(thrown)}): ` +
        "make sure that no other gateway uses it",
      "warn",
    );
  }
  return true;
}

function inUse(lock: Deno.FsFile): string {
  return `another process${idIn(lock)} uses it. An SQLite file is for one gateway; ` +
    "several gateways share a PostgreSQL database";
}

/** The ID of the process that holds the lock, if it can be read. */
function idIn(lock: Deno.FsFile): string {
  const bytes = new Uint8Array(MAX_ID_BYTES);
  try {
    const text = new TextDecoder().decode(bytes.subarray(0, lock.readSync(bytes) ?? 0)).trim();
    return /^\d+$/.test(text) ? ` (${text})` : "";
  } catch {
    return "";
  }
}

function makePrivate(path: string, log: (text: string, level?: LogLevel) => void): void {
  try {
    const { mode } = Deno.statSync(path);
    if (mode === null || (mode & OTHERS) === 0) return;
    Deno.chmodSync(path, PRIVATE);
    log(`${path} was readable by other users: its mode is now 0600`);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return;
    log(
      `${path} is readable by other users, and its mode cannot be changed: ${reasonOf(thrown)}`,
      "warn",
    );
  }
}

/** The commands of `sluice store`. */

import type { Command } from "./arguments.ts";
import { type StoreRules, storeUrl, toStoreRules } from "../config/shared_store.ts";
import { systemClock } from "../core/clock.ts";
import { GatewayError, messageOf } from "../core/errors.ts";
import { StoreError } from "../governance/ledger/usage_store.ts";
import type { CopiedCount, OnProgress } from "../governance/store_copy/copy.ts";
import { type Environment, readFile, reasonOf } from "../process/system/files.ts";
import { logMessage, StartError } from "../process/system/stdio.ts";
import {
  copyInto,
  type CopyOptions,
  type CopyReports,
  nameOf,
  partitionStore,
  replaceFile,
  withSource,
} from "./copy_stores.ts";
import {
  BUCKET_SCHEME,
  type BucketFolder,
  type BucketPlace,
  readBucketUrl,
  S3Bucket,
  S3Upload,
} from "../upstream/object_storage/s3_bucket.ts";
import { claimFile } from "../process/stores/sqlite_file.ts";
import { readConfigOnce } from "../process/config/load_config.ts";
import { UsageError } from "./admin_client.ts";
import {
  createCsvEncoder,
  type DailyCounts,
  exportDays,
  exportRequests,
  type ObjectFolder,
  type RequestEncoder,
  type WriteBytes,
} from "../governance/store_copy/request_export.ts";
import { createNetworkClients } from "../process/config/network_clients.ts";

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The target and the format of an export. */
export interface ExportOptions extends CopyReports {
  /** A new file, or `-` for standard output. */
  readonly path: string;
  readonly format: ExportFormat;
}

/** The target and the format of an export. */
export interface BucketExportOptions extends CopyReports {
  readonly bucket: S3Bucket;
  /** The prefix of object names; empty, or ending in a slash. */
  readonly prefix: string;
  readonly format: ExportFormat;
}

/** The code of SQLite's errors, whose messages contain tables and columns, never values. */
const SQLITE = "ERR_SQLITE_ERROR";
/** Milliseconds between two lines about the progress. */
const PROGRESS_MS = 2000;

/**
 * Runs the command. Returns the text for standard output.
 *
 * @throws {StartError} when nothing was copied.
 */
export async function manageStore(
  { store: command, config }: Pick<Command, "store" | "config">,
  env: Environment,
): Promise<string> {
  if (command === undefined) throw new TypeError("The command has no action");
  const { action, target, options } = command;
  const url = options.get("store");
  const store = url === undefined
    ? (await readConfigOnce({ config }, env)).store
    : readUrl("--store", url);
  if (store === undefined) {
    throw new StartError("The configuration has no 'store'; name one with --store");
  }
  if (action === "partition") return await partition(store);
  const reports = { onProgress: createProgress(), onWarning: logMessage };
  if (action === "backup") {
    return await copy(store, { ...reports, target: fileAt(target ?? ""), isNew: true });
  }
  if (action === "export") {
    const path = target ?? "";
    const format = formatOf(path, options.get("format"));
    if (!path.startsWith(BUCKET_SCHEME)) return await exportTo(store, path, format, reports);
    const { prefix, ...place } = readFolder(path, options.get("endpoint"), env);
    const bucket = openBucket(place, env);
    return await exportToObjects(store, path, { ...reports, bucket, prefix, format });
  }
  if (action === "restore") {
    return await copy(fileAt(target ?? ""), { ...reports, target: store, isNew: false });
  }
  const wanted = target ?? env("SLUICE_TARGET_STORE");
  if (wanted === undefined) {
    throw new UsageError("'sluice store migrate' needs a URL: sluice store migrate URL");
  }
  // Rows that a gateway writes later would be lost.
  using _claim = store.kind === "sqlite" ? claim(store) : undefined;
  const to = readUrl(target === undefined ? "SLUICE_TARGET_STORE" : "The URL", wanted);
  return await copy(store, { ...reports, target: to, isNew: false });
}

async function copy(source: StoreRules, options: CopyOptions): Promise<string> {
  const names = `${nameOf(source)} to ${nameOf(options.target)}`;
  try {
    return toReport(names, await copyInto(source, options));
  } catch (thrown) {
    throw new StartError(`Cannot copy ${names}: ${storeReason(thrown)}`);
  }
}

async function partition(store: StoreRules): Promise<string> {
  if (store.kind !== "postgres") throw new UsageError("Only a store in PostgreSQL has partitions");
  try {
    return await partitionStore(store)
      ? `The requests of ${nameOf(store)} are in partitions by month from the next month on\n`
      : `The requests of ${nameOf(store)} are in partitions already\n`;
  } catch (thrown) {
    throw new StartError(`Cannot partition ${nameOf(store)}: ${storeReason(thrown)}`);
  }
}

async function exportTo(
  store: StoreRules,
  path: string,
  format: ExportFormat,
  reports: CopyReports,
): Promise<string> {
  try {
    const { rows, unreadable } = await exportToFile(store, { ...reports, path, format });
    if (unreadable > 0) reports.onWarning(`${toText(unreadable, "row")} cannot be read`);
    return path === "-" ? "" : `Wrote ${toText(rows, "request")} of ${nameOf(store)} to ${path}\n`;
  } catch (thrown) {
    throw new StartError(`Cannot export ${nameOf(store)} to ${path}: ${storeReason(thrown)}`);
  }
}

async function exportToObjects(
  store: StoreRules,
  url: string,
  options: BucketExportOptions,
): Promise<string> {
  try {
    const { rows, unreadable, written, skipped } = await exportToBucket(store, options);
    if (unreadable > 0) options.onWarning(`${toText(unreadable, "row")} cannot be read`);
    return `Wrote ${toText(rows, "request")} of ${nameOf(store)} to ${url}: ` +
      `${toText(written, "object")}, ${skipped} already complete\n`;
  } catch (thrown) {
    throw new StartError(`Cannot export ${nameOf(store)} to ${url}: ${storeReason(thrown)}`);
  }
}

function readFolder(url: string, endpoint: string | undefined, env: Environment): BucketFolder {
  try {
    return readBucketUrl(url, endpoint, env);
  } catch (thrown) {
    throw new UsageError(messageOf(thrown));
  }
}

/** The format in `--format`, otherwise that of the file's extension or the default for objects. */
function formatOf(path: string, name: string | undefined): ExportFormat {
  const isColumnar = path.endsWith(".parquet") || path.startsWith(BUCKET_SCHEME);
  if (name === undefined) return isColumnar ? "parquet" : "csv";
  const format = EXPORT_FORMATS.find((known) => known === name);
  if (format === undefined) {
    throw new UsageError(`--format must be one of ${EXPORT_FORMATS.join(", ")}`);
  }
  return format;
}

function claim(store: StoreRules & { readonly kind: "sqlite" }): Disposable | undefined {
  try {
    return claimFile(store.path);
  } catch (thrown) {
    throw new StartError(`Cannot copy ${nameOf(store)}: ${storeReason(thrown)}`);
  }
}

function storeReason(thrown: unknown): string {
  // The messages of these errors do not contain secrets or addresses.
  if (thrown instanceof GatewayError) return thrown.message;
  const isStore = thrown instanceof StoreError || Reflect.get(Object(thrown), "code") === SQLITE;
  return isStore ? messageOf(thrown) : reasonOf(thrown);
}

function fileAt(path: string): StoreRules {
  return toStoreRules(path.startsWith("sqlite:") ? path : `sqlite:${path}`);
}

/** No message repeats the URL, which contains a password. */
function readUrl(name: string, text: string): StoreRules {
  const read = storeUrl.safeParse(text);
  if (read.success) return toStoreRules(text);
  throw new UsageError(`${name} ${read.error.issues[0]?.message}`);
}

function createProgress(): OnProgress {
  let last = systemClock.now();
  return (table, done, rows) => {
    if (systemClock.now() - last < PROGRESS_MS) return;
    last = systemClock.now();
    logMessage(`${table}: ${toText(done)} of ${toText(rows)}`);
  };
}

function toReport(names: string, counts: readonly CopiedCount[]): string {
  const width = Math.max(...counts.map(({ table }) => table.length));
  const lines = counts.map(({ table, rows, unreadable }) => {
    const lost = unreadable === 0 ? "" : `, without ${toText(unreadable)} that cannot be read`;
    return `  ${table.padEnd(width)}  ${toText(rows)}${lost}\n`;
  });
  return `Copied ${names}. Rows:\n${lines.join("")}`;
}

/** A number, or a number with a noun, such as `1 row` or `2,502 rows`. */
function toText(count: number, one?: string): string {
  const noun = one === undefined ? "" : ` ${one}${count === 1 ? "" : "s"}`;
  return `${count.toLocaleString("en-US")}${noun}`;
}

/** The formats of files. */
const EXPORT_FORMATS = ["csv", "parquet"] as const;

/**
 * Writes the individual requests of a store. Afterwards, the file is either complete or does not
 * exist.
 *
 * @throws {Error} when the source cannot be read, or the file exists.
 */
async function exportToFile(
  source: StoreRules,
  { path, format, ...reports }: ExportOptions,
): Promise<CopiedCount> {
  const encoder = await createEncoder(format);
  const run = (write: WriteBytes) =>
    withSource(source, reports, (from) => exportRequests(from, encoder, write, reports.onProgress));
  if (path === "-") return await run((bytes) => writeAll(Deno.stdout, bytes));
  return await replaceFile(path, true, async (partial) => {
    using file = Deno.openSync(partial, { write: true });
    return await run((bytes) => writeAll(file, bytes));
  });
}

/** The metadata member with the number of requests in an object. */
const REQUESTS = "sluice-requests";

/**
 * The metadata member with the version of the column names. Missing in exports before version 2.
 */
const COLUMNS = "sluice-columns";

const COLUMNS_VERSION = "2";

/** Opens a bucket, with the credentials of the machine. */
function openBucket(place: BucketPlace, env: Environment): S3Bucket {
  return new S3Bucket(place, env, { ...createNetworkClients(), clock: systemClock, readFile });
}

/**
 * Writes the requests of each day to an object in a bucket, except for days whose object is
 * complete. Exported for tests.
 *
 * @throws {Error} when the source cannot be read, or an object cannot be written.
 */
export async function exportToBucket(
  source: StoreRules,
  { bucket, prefix, format, ...reports }: BucketExportOptions,
): Promise<DailyCounts> {
  return await withSource(source, reports, (from) =>
    exportDays(from, {
      ...{ folder: openFolder(bucket, prefix), extension: format },
      ...{ createEncoder: () => createEncoder(format), onProgress: reports.onProgress },
    }));
}

function openFolder(bucket: S3Bucket, prefix: string): ObjectFolder {
  return {
    async find(name) {
      const head = await bucket.head(prefix + name);
      if (head === undefined) return undefined;
      const requests = Number(head.metadata(REQUESTS) ?? NaN);
      const isCurrent = head.metadata(COLUMNS) === COLUMNS_VERSION;
      if (Number.isInteger(requests)) return { requests, isCurrent };
      throw new StoreError(`'${prefix}${name}' exists and is no export`, "setup");
    },
    async replace(name, requests, fill) {
      const key = prefix + name;
      const metadata = { [REQUESTS]: String(requests), [COLUMNS]: COLUMNS_VERSION };
      const upload = new S3Upload(bucket, key, metadata);
      try {
        await fill((bytes) => upload.write(bytes));
        const size = await upload.end();
        const head = await bucket.head(key);
        if (head?.size === size && head.metadata(REQUESTS) === String(requests)) return;
      } catch (thrown) {
        await upload.abandon().catch(() => {});
        throw thrown;
      }
      throw new StoreError(`'${key}' is not what was written`, "setup");
    },
  };
}

/** Creates the encoder of one file. */
async function createEncoder(format: ExportFormat): Promise<RequestEncoder> {
  if (format === "csv") return createCsvEncoder();
  // The package is loaded here because only this command needs it.
  const { ParquetEncoder } = await import("../governance/store_copy/parquet_export.ts");
  return new ParquetEncoder();
}

function writeAll(to: Pick<Deno.FsFile, "writeSync">, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(to.writeSync(rest));
}

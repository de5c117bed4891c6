/** Exports the single requests of a store to a file, to standard output, or to a bucket. */

import type { StoreRules } from "../config/shared_store.ts";
import type { CopiedCount } from "../governance/store_copy/copy.ts";
import {
  createCsvEncoder,
  type DailyCounts,
  exportDays,
  exportRequests,
  type ObjectFolder,
  type RequestEncoder,
  type WriteBytes,
} from "../governance/store_copy/request_export.ts";
import { systemClock } from "../core/clock.ts";
import { StoreError } from "../governance/ledger/usage_store.ts";
import { type BucketPlace, S3Bucket, S3Upload } from "../upstream/object_storage/s3_bucket.ts";
import { createNetworkClients } from "../process/config/network_clients.ts";
import { type Environment, readFile } from "../process/system/files.ts";
import { type CopyReports, replaceFile, withSource } from "./copy_stores.ts";

/** The formats of files. */
export const EXPORT_FORMATS = ["csv", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Where an export goes, and in which format. */
export interface ExportOptions extends CopyReports {
  /** A new file, or `-` for standard output. */
  readonly path: string;
  readonly format: ExportFormat;
}

/**
 * Writes the single requests of a store. A file is complete afterwards, or not there.
 *
 * @throws {Error} when the source cannot be read, or the file exists.
 */
export async function exportToFile(
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

/** The member of an object's metadata with the number of its requests. */
const REQUESTS = "sluice-requests";
/** The member with the version of its columns' names. Exports before version 2 lack it. */
const COLUMNS = "sluice-columns";
const COLUMNS_VERSION = "2";

/** Where an export goes, and in which format. */
export interface BucketExportOptions extends CopyReports {
  readonly bucket: S3Bucket;
  /** What the names of objects begin with; empty, or with a slash at its end. */
  readonly prefix: string;
  readonly format: ExportFormat;
}

/** Opens a bucket, with the credentials of the machine. */
export function openBucket(place: BucketPlace, env: Environment): S3Bucket {
  return new S3Bucket(place, env, { ...createNetworkClients(), clock: systemClock, readFile });
}

/**
 * Writes the requests of each day to an object in a bucket, but for days whose object has them.
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
  // Only this command needs the package.
  const { ParquetEncoder } = await import("../governance/store_copy/parquet_export.ts");
  return new ParquetEncoder();
}

function writeAll(to: Pick<Deno.FsFile, "writeSync">, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(to.writeSync(rest));
}

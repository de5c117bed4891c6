/** Exports the single requests of a store to a file, or to standard output. */

import type { StoreRules } from "../../config/store_url.ts";
import type { CopiedCount } from "../../governance/store_copy/copy.ts";
import { createCsvEncoder } from "../../governance/store_copy/csv_export.ts";
import {
  exportRequests,
  type RequestEncoder,
  type WriteBytes,
} from "../../governance/store_copy/request_export.ts";
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

/** Creates the encoder of one file. */
export async function createEncoder(format: ExportFormat): Promise<RequestEncoder> {
  if (format === "csv") return createCsvEncoder();
  // Only this command needs the package.
  const { ParquetEncoder } = await import("../../governance/store_copy/parquet_export.ts");
  return new ParquetEncoder();
}

function writeAll(to: Pick<Deno.FsFile, "writeSync">, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(to.writeSync(rest));
}

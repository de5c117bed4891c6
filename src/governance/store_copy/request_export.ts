/** Writes the single requests of a store in a format of files. */

import { ATTEMPTS } from "../ledger/column_types.ts";
import { ROW_COLUMNS, type RowColumn } from "../ledger/columns.ts";
import { StoreError } from "../ledger/usage_store.ts";
import type { CopiedCount, CopySource, DayRange, OnProgress } from "./copy.ts";
import {
  type CopiedColumn,
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  TABLES,
} from "./tables.ts";

/** A format of files. Its bytes are written in the order in which they are returned. */
export interface RequestEncoder {
  /** The bytes before all rows. */
  begin(): Uint8Array;
  /** Adds rows. The bytes of rows may be returned later. */
  add(rows: readonly CopiedRow[]): Uint8Array;
  /** The bytes that are left. */
  end(): Uint8Array;
}

/** Where the bytes go. */
export type WriteBytes = (bytes: Uint8Array) => void | Promise<void>;

/** The table of requests. */
export const REQUESTS: CopiedTable = requestTable();

/** A column of an export. */
export interface ExportedColumn extends CopiedColumn {
  /** The value of a request. */
  readonly of: (row: CopiedRow) => CopiedValue;
}

/** The columns of an export, with the names that reports have. */
export const EXPORTED_COLUMNS: readonly ExportedColumn[] = ROW_COLUMNS.flatMap(toExported);

function toExported({ name, report, type }: RowColumn): readonly ExportedColumn[] {
  const at = REQUESTS.columns.findIndex((column) => column.name === name);
  const copied = REQUESTS.columns[at];
  if (report === undefined || copied === undefined) return [];
  if (type !== ATTEMPTS) return [{ ...copied, name: report, of: (row) => row[at] ?? null }];
  // Attempts are text in stores, with the names of members that the code has.
  const of = (row: CopiedRow) => ATTEMPTS.report(ATTEMPTS.read(row[at])) as CopiedValue;
  return [{ name: report, kind: "json", of }];
}

/**
 * Writes the requests in the order of the store, or those of one day in the order of time. At most
 * one page and what the format keeps is in memory.
 *
 * @throws {StoreError} when not all rows were read.
 */
export async function exportRequests(
  source: CopySource,
  encoder: RequestEncoder,
  write: WriteBytes,
  onProgress: OnProgress,
  day?: DayRange,
): Promise<CopiedCount> {
  const table = REQUESTS;
  const all = day === undefined ? await source.count(table) : day.rows;
  let [done, unreadable] = [0, 0];
  await write(encoder.begin());
  for await (const page of source.pages(table, day)) {
    const rows = page.filter((row) => row !== undefined);
    const bytes = encoder.add(rows);
    if (bytes.length > 0) await write(bytes);
    done += page.length;
    unreadable += page.length - rows.length;
    onProgress(table.name, done, all);
  }
  if (done !== all) throw new StoreError(`'${table.name}' has ${all} rows, and ${done} were read`);
  await write(encoder.end());
  return { table: table.name, rows: done - unreadable, unreadable };
}

function requestTable(): CopiedTable {
  const [table] = TABLES;
  if (table === undefined) throw new TypeError("There is no table of requests");
  return table;
}

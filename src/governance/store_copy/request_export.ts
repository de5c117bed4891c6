/** Writes a store's individual requests in a file format. */

import { ATTEMPTS, fromStored } from "../ledger/column_types.ts";
import { ROW_COLUMNS, type RowColumn } from "../ledger/columns.ts";
import { StoreError } from "../ledger/usage_store.ts";
import {
  type CopiedColumn,
  type CopiedCount,
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  type CopySource,
  type DayRange,
  type OnProgress,
  TABLES,
  type ValueKind,
} from "./copy.ts";
import { toCsv } from "../../core/text.ts";

/** A file format. Bytes are written in the order in which they are returned. */
export interface RequestEncoder {
  /** The bytes before all rows. */
  begin(): Uint8Array;
  /** Adds rows. Rows' bytes may be returned later. */
  add(rows: readonly CopiedRow[]): Uint8Array;
  /** The remaining bytes. */
  end(): Uint8Array;
}

/** The destination of the bytes. */
export type WriteBytes = (bytes: Uint8Array) => void | Promise<void>;

/** The request table. */
const REQUESTS: CopiedTable = requestTable();

/** An export column. */
interface ExportedColumn extends CopiedColumn {
  /** A request's value. */
  readonly of: (row: CopiedRow) => CopiedValue;
}

/** An export's columns, named as in reports. */
export const EXPORTED_COLUMNS: readonly ExportedColumn[] = ROW_COLUMNS.flatMap(toExported);

function toExported({ name, report, type }: RowColumn): readonly ExportedColumn[] {
  const at = REQUESTS.columns.findIndex((column) => column.name === name);
  const copied = REQUESTS.columns[at];
  if (report === undefined || copied === undefined) return [];
  if (type !== ATTEMPTS) return [{ ...copied, name: report, of: (row) => row[at] ?? null }];
  // Attempts are stored as text, with the member names used in the code.
  const of = (row: CopiedRow) => ATTEMPTS.report(ATTEMPTS.read(row[at])) as CopiedValue;
  return [{ name: report, kind: "json", of }];
}

/**
 * Writes the requests in store order, or one day's requests in time order. At most one page and the
 * format's buffer are in memory.
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
  if (table === undefined) throw new TypeError("There is no request table");
  return table;
}

/**
 * A line with the column names, and one for each request. Times are in UTC; lists, prices and
 * attempts are JSON. Unknown amounts are empty.
 */
export function createCsvEncoder(): RequestEncoder {
  const encoder = new TextEncoder();
  return {
    begin: () => encoder.encode(toCsv([EXPORTED_COLUMNS.map(({ name }) => name)])),
    add: (rows) =>
      encoder.encode(
        toCsv(rows.map((row) => EXPORTED_COLUMNS.map(({ kind, of }) => toCell(kind, of(row))))),
      ),
    end: () => new Uint8Array(),
  };
}

function toCell(kind: ValueKind, value: CopiedValue): string | number | null {
  if (value === null) return null;
  switch (kind) {
    case "time":
      return new Date(Number(value)).toISOString();
    case "list":
      return JSON.stringify((value as readonly string[]).map(fromStored));
    case "json":
      return JSON.stringify(value);
    case "text":
      return fromStored(String(value));
    default:
      return Number(value);
  }
}

const DAY_MS = 86_400_000;

/** An object from an earlier export. */
interface ExportedObject {
  readonly requests: number;
  /** Whether its columns have this version's export names. */
  readonly isCurrent: boolean;
}

/** Object storage. */
export interface ObjectFolder {
  /** Undefined if there is no object with this name. */
  find(name: string): Promise<ExportedObject | undefined>;
  /**
   * Atomically writes an object with this number of requests, and verifies it.
   *
   * @param fill writes the content
   */
  replace(
    name: string,
    requests: number,
    fill: (write: WriteBytes) => Promise<void>,
  ): Promise<void>;
}

interface DailyExport {
  readonly folder: ObjectFolder;
  /** The extension of object names, such as `csv`. */
  readonly extension: string;
  readonly createEncoder: () => Promise<RequestEncoder>;
  readonly onProgress: OnProgress;
}

/** The result of an export. */
export interface DailyCounts {
  readonly rows: number;
  readonly unreadable: number;
  /**
   * The number of written objects, and the number of objects that already had all of their day's
   * requests.
   */
  readonly written: number;
  readonly skipped: number;
}

/**
 * Exports `date=YYYY-MM-DD/requests.EXTENSION` for each day in UTC that has requests. An object is
 * rewritten if its day has more requests, or if its columns have other names, and left unchanged if
 * `keep` has removed some of its requests.
 *
 * @throws {StoreError} when not all rows were read.
 */
export async function exportDays(
  source: CopySource,
  { folder, extension, createEncoder, onProgress }: DailyExport,
): Promise<DailyCounts> {
  const all = await source.count(REQUESTS);
  const days = await source.countDays();
  const sum = days.reduce((total, { rows }) => total + rows, 0);
  if (sum !== all) throw new StoreError(`the days have ${sum} of ${all} rows`);
  const counts = { rows: 0, unreadable: 0, written: 0, skipped: 0 };
  let done = 0;
  for (const { start, rows } of days) {
    done += rows;
    if (start === undefined) {
      counts.unreadable += rows;
      continue;
    }
    const name = `date=${new Date(start).toISOString().slice(0, 10)}/requests.${extension}`;
    if (isComplete(await folder.find(name), rows)) {
      counts.skipped++;
    } else {
      await folder.replace(name, rows, async (write) => {
        const range = { from: start, to: start + DAY_MS, rows };
        const day = await exportRequests(source, await createEncoder(), write, () => {}, range);
        counts.rows += day.rows;
        counts.unreadable += day.unreadable;
      });
      counts.written++;
    }
    onProgress("requests", done, all);
  }
  return counts;
}

function isComplete(found: ExportedObject | undefined, rows: number): boolean {
  if (found === undefined || found.requests < rows) return false;
  return found.isCurrent || found.requests > rows;
}

/** Copies all rows of a store into an empty one, and verifies the copy. */

import { StoreError } from "../ledger/usage_store.ts";
import {
  type Checksums,
  type CopiedRow,
  type CopiedTable,
  differenceOf,
  RowChecksums,
  type StoreMarks,
  TABLES,
} from "./tables.ts";

/** The number of rows in memory at once. */
export const PAGE_ROWS = 1000;

/** The requests of a day in UTC. */
export interface DayCount {
  /** Milliseconds since the Unix epoch; undefined for rows without a readable time. */
  readonly start: number | undefined;
  readonly rows: number;
}

/** Reads what a database returned. */
export function readDayCount({ start, rows }: Readonly<Record<string, unknown>>): DayCount {
  return { start: start === null ? undefined : Number(start), rows: Number(rows) };
}

/** A period, and the number of its requests. */
export interface DayRange {
  /** Milliseconds since the Unix epoch; `to` is not in the range. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** A snapshot of a store: it excludes changes after it was opened. */
export interface CopySource {
  count(table: CopiedTable): Promise<number>;
  /** The days that have requests, in order. */
  countDays(): Promise<readonly DayCount[]>;
  /**
   * The rows in order, at most {@linkcode PAGE_ROWS} at once; undefined stands for an unreadable
   * row.
   *
   * @param range only the requests of this time, by time
   */
  pages(
    table: CopiedTable,
    range?: DayRange,
  ): AsyncIterable<readonly (CopiedRow | undefined)[]>;
  readMarks(): Promise<StoreMarks>;
}

/** A store that is being filled. It is invisible to others before it is complete. */
export interface CopyTarget {
  /** The first table that has rows. */
  findFilled(): Promise<CopiedTable | undefined>;
  write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>;
  writeMarks(marks: StoreMarks): Promise<void>;
  checksums(table: CopiedTable): Promise<Checksums>;
}

/** The rows of a table that were copied. */
export interface CopiedCount {
  readonly table: string;
  readonly rows: number;
  /** Rows that another program has corrupted and that are not copied. */
  readonly unreadable: number;
}

/** Called after each page, with the numbers of rows done and of all rows. */
export type OnProgress = (table: string, done: number, rows: number) => void;

/** @throws {StoreError} when the target has rows, or when the copy differs from the source. */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  onProgress: OnProgress,
): Promise<readonly CopiedCount[]> {
  const filled = await target.findFilled();
  if (filled !== undefined) throw notEmpty(filled);
  const counts: CopiedCount[] = [];
  for (const table of TABLES) counts.push(await copyTable(table, source, target, onProgress));
  await target.writeMarks(await source.readMarks());
  return counts;
}

/** The error for a target that has rows. */
export function notEmpty({ name }: CopiedTable): StoreError {
  return new StoreError(`it is not empty: '${name}' has rows, and nothing is overwritten`, "setup");
}

async function copyTable(
  table: CopiedTable,
  source: CopySource,
  target: CopyTarget,
  onProgress: OnProgress,
): Promise<CopiedCount> {
  const all = await source.count(table);
  const sums = new RowChecksums(table);
  let done = 0;
  let unreadable = 0;
  for await (const page of source.pages(table)) {
    const rows = page.filter((row) => row !== undefined);
    for (const row of rows) sums.add(row);
    await target.write(table, rows);
    done += page.length;
    unreadable += page.length - rows.length;
    onProgress(table.name, done, all);
  }
  if (done !== all) throw differs(`'${table.name}' has ${all} rows, and ${done} were read`);
  const difference = differenceOf(table, sums.sums, await target.checksums(table));
  if (difference !== undefined) throw differs(difference);
  return { table: table.name, rows: done - unreadable, unreadable };
}

function differs(difference: string): StoreError {
  return new StoreError(`the copy differs: ${difference}`, "setup");
}

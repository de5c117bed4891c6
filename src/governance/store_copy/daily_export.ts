/** Exports the requests of each day to an object, and skips the days that were exported before. */

import { StoreError } from "../ledger/usage_store.ts";
import type { CopySource, OnProgress } from "./copy.ts";
import {
  exportRequests,
  type RequestEncoder,
  REQUESTS,
  type WriteBytes,
} from "./request_export.ts";

const DAY_MS = 86_400_000;

/** An object of an earlier export. */
export interface ExportedObject {
  readonly requests: number;
  /** Whether its columns have the names that exports of this version have. */
  readonly isCurrent: boolean;
}

/** Where objects are. */
export interface ObjectFolder {
  /** Undefined if there is no object of this name. */
  find(name: string): Promise<ExportedObject | undefined>;
  /**
   * Writes an object with this number of requests, whole or not at all, and verifies it.
   *
   * @param fill writes the content
   */
  replace(
    name: string,
    requests: number,
    fill: (write: WriteBytes) => Promise<void>,
  ): Promise<void>;
}

export interface DailyExport {
  readonly folder: ObjectFolder;
  /** The end of objects' names, such as `csv`. */
  readonly extension: string;
  readonly createEncoder: () => Promise<RequestEncoder>;
  readonly onProgress: OnProgress;
}

/** What was exported. */
export interface DailyCounts {
  readonly rows: number;
  readonly unreadable: number;
  /** The objects that were written, and those that had all requests of their day. */
  readonly written: number;
  readonly skipped: number;
}

/**
 * Exports `date=YYYY-MM-DD/requests.EXTENSION` for each day in UTC that has requests. An object is
 * written again if its day has more requests than it, or if its columns have other names, and kept
 * if `keep` has removed some.
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

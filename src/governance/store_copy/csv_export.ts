/** The single requests of a store as comma-separated values. */

import { toCsv } from "../../core/csv.ts";
import { fromStored } from "../ledger/stored_text.ts";
import { StoreError } from "../ledger/usage_store.ts";
import type { CopiedCount, CopySource, OnProgress } from "./copy.ts";
import { type CopiedValue, TABLES, type ValueKind } from "./tables.ts";

/**
 * Writes a line with the names of the columns, and one for each request in the order of the store.
 * Times are in UTC; lists, prices and attempts are JSON. An amount that is not known is empty.
 *
 * @throws {StoreError} when not all rows were read.
 */
export async function exportRequests(
  source: CopySource,
  write: (text: string) => void,
  onProgress: OnProgress,
): Promise<CopiedCount> {
  const [table] = TABLES;
  if (table === undefined) throw new TypeError("There is no table of requests");
  // Not the number of the row.
  const [, ...columns] = table.columns;
  const all = await source.count(table);
  let [done, unreadable] = [0, 0];
  write(toCsv([columns.map(({ name }) => name)]));
  for await (const page of source.pages(table)) {
    const rows = page.filter((row) => row !== undefined);
    write(
      toCsv(
        rows.map((row) => columns.map(({ kind }, index) => toCell(kind, row[index + 1] ?? null))),
      ),
    );
    done += page.length;
    unreadable += page.length - rows.length;
    onProgress(table.name, done, all);
  }
  if (done !== all) throw new StoreError(`'${table.name}' has ${all} rows, and ${done} were read`);
  return { table: table.name, rows: done - unreadable, unreadable };
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

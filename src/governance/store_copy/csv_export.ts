/** The single requests of a store as comma-separated values. */

import { toCsv } from "../../core/csv.ts";
import { fromStored } from "../ledger/stored_text.ts";
import { EXPORTED_COLUMNS, type RequestEncoder } from "./request_export.ts";
import type { CopiedValue, ValueKind } from "./tables.ts";

/**
 * A line with the names of the columns, and one for each request. Times are in UTC; lists, prices
 * and attempts are JSON. An amount that is not known is empty.
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

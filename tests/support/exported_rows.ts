/** Rows of the ledger, and their Parquet export. */

import { assertEquals } from "@std/assert";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import { ParquetEncoder } from "../../src/governance/store_copy/parquet_export.ts";
import { exportRequests } from "../../src/governance/store_copy/request_export.ts";
import { SqliteCopySource } from "../../src/governance/store_copy/sqlite_copy.ts";
import { ROW_TIME, usageRow, writeRows } from "./usage_rows.ts";

/** Exports rows in groups. Returns the bytes of the file. */
export async function exportOf(rows: readonly LedgerRow[], groupRows: number): Promise<Uint8Array> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-" });
  try {
    const store = new SqliteUsageStore(`${folder}/s.db`);
    await writeRows(store, rows);
    await store.close();
    using source = new SqliteCopySource(`${folder}/s.db`);
    const parts: Uint8Array[] = [];
    const counted = await exportRequests(
      source,
      new ParquetEncoder(groupRows),
      (bytes) => void parts.push(bytes),
      () => {},
    );
    assertEquals([counted.rows, counted.unreadable], [rows.length, 0]);
    return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A row with every value. */
export const FULL = usageRow({
  ...{ id: "full\0␀", tags: ["é", "🦥", "a,b"], key: "=1+1", usd: 0.1 + 0.2, firstTokenMs: 7.25 },
  ...{ input: 2 ** 53 - 1, time: ROW_TIME + 1, session: "s_1", error: "rate_limit_exceeded" },
});
/** A row without optional values. */
export const EMPTY = usageRow({
  id: "",
  tags: [],
  usd: undefined,
  prices: undefined,
  model: undefined,
});

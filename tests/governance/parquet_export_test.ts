/** Exports as Parquet, read back by another library than the one that writes them. */

import { assertEquals } from "@std/assert";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import { ParquetEncoder } from "../../src/governance/store_copy/parquet_export.ts";
import {
  EXPORTED_COLUMNS,
  exportRequests,
} from "../../src/governance/store_copy/request_export.ts";
import { SqliteCopySource } from "../../src/governance/store_copy/sqlite_copy.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { ROW_TIME, usageRow, writeRows } from "../support/usage_rows.ts";

/** Exports rows in groups. Returns the bytes of the file. */
async function exportOf(rows: readonly LedgerRow[], groupRows: number): Promise<Uint8Array> {
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

const FULL = usageRow({
  ...{ id: "full\0␀", tags: ["é", "🦥", "a,b"], key: "=1+1", usd: 0.1 + 0.2, firstTokenMs: 7.25 },
  ...{ input: 2 ** 53 - 1, time: ROW_TIME + 1, session: "s_1", error: "rate_limit_exceeded" },
});
const EMPTY = usageRow({ id: "", tags: [], usd: undefined, prices: undefined, model: undefined });

Deno.test("a Parquet export has every value of every request", async () => {
  const many = Array.from({ length: 250 }, (_, index) => usageRow({ id: `req_${index}` }));
  const bytes = await exportOf([FULL, EMPTY, ...many], 100);
  const file = bytes.buffer as ArrayBuffer;
  const metadata = parquetMetadata(file);
  assertEquals(metadata.row_groups.map(({ num_rows }) => num_rows), [100n, 100n, 52n]);
  const rows = await parquetReadObjects({ file });
  assertEquals(rows.length, 252);
  assertEquals(Object.keys(rows[0] ?? {}), EXPORTED_COLUMNS.map(({ name }) => name));
  const [full, empty] = rows;
  assertEquals(
    [full?.id, full?.tags, full?.key, full?.usd, full?.input, full?.time, full?.first_token_ms],
    [FULL.id, FULL.tags, FULL.key, FULL.usd, BigInt(FULL.input), new Date(FULL.time), 7.25],
  );
  assertEquals(full?.prices, { ...FULL.prices });
  assertEquals([empty?.id, empty?.tags, empty?.usd, empty?.prices], ["", [], null, null]);
  assertEquals(new Set(rows.slice(2).map(({ id }) => id)).size, 250);
});

Deno.test("an export without requests is a valid file", async () => {
  const bytes = await exportOf([], 100);
  assertEquals(await parquetReadObjects({ file: bytes.buffer as ArrayBuffer }), []);
});

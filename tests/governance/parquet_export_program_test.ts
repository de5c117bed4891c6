/** Exports as Parquet, read back by another library than the one that writes them. */

import { assert, assertEquals } from "@std/assert";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import { ParquetEncoder } from "../../src/governance/store_copy/parquet_export.ts";
import { exportRequests } from "../../src/governance/store_copy/request_export.ts";
import { SqliteCopySource } from "../../src/governance/store_copy/sqlite_copy.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { hasModule, PYTHON } from "../support/python_clients.ts";
import { ROW_TIME, usageRow, writeRows } from "../support/usage_rows.ts";

const HAS_PYARROW = hasModule("pyarrow");

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

const NEEDS_PYARROW = HAS_PYARROW ? "" : " (needs SLUICE_TEST_PYTHON with pyarrow)";

Deno.test(`Apache Arrow reads the types${NEEDS_PYARROW}`, { ignore: !HAS_PYARROW }, async () => {
  const path = await Deno.makeTempFile({ suffix: ".parquet" });
  try {
    await Deno.writeFile(path, await exportOf([FULL, EMPTY], 1));
    const program = "import sys, json, pyarrow.parquet as p; t = p.read_table(sys.argv[1]);" +
      "print(json.dumps([{f.name: str(f.type) for f in t.schema}, t.to_pylist()], default=str))";
    const { stdout, success } = await new Deno.Command(PYTHON, { args: ["-c", program, path] })
      .output();
    assert(success);
    const [types, [full, empty]] = JSON.parse(new TextDecoder().decode(stdout));
    assertEquals(
      [types.time, types.tags, types.input_tokens, types.cost_usd, types.id],
      ["timestamp[ms, tz=UTC]", "list<element: string not null>", "int64", "double", "string"],
    );
    assertEquals([full.id, full.tags, full.input_tokens], [FULL.id, FULL.tags, FULL.input]);
    assertEquals([empty.cost_usd, empty.tags], [null, []]);
  } finally {
    await Deno.remove(path);
  }
});

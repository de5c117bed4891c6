/** Lists of requests of the stores that need no program. */

import { assert, assertEquals } from "@std/assert";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import type { RowPosition } from "../../src/governance/ledger/usage_store.ts";
import { LOCAL_STORES, testStores } from "../support/store_kinds.ts";
import { ROW_TIME, usageRow, writeRows } from "../support/usage_rows.ts";
import { listAll, REQUEST_LISTS } from "./request_lists.ts";

testStores(LOCAL_STORES, REQUEST_LISTS);

Deno.test("SQLite: a step counts a bounded number of rows, and the next one goes on", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const store = new SqliteUsageStore(path);
  const keys = ["a", "a", "b"];
  await writeRows(
    store,
    Array.from(
      { length: 12_000 },
      (_, index) => usageRow({ id: `req_${index}`, time: ROW_TIME + index, key: keys[index % 3] }),
    ),
  );
  for (const [filter, expected, steps] of [[{}, 12_000, 2], [{ key: "a" }, 8000, 4]] as const) {
    let count = 0;
    let taken = 0;
    let before: RowPosition | undefined;
    do {
      const page = await store.count({ ...filter, before, step: 1000 });
      count += page.counts.reduce((sum, { requests }) => sum + requests, 0);
      before = page.next;
      taken++;
    } while (before !== undefined);
    assertEquals(count, expected);
    assert(taken >= steps && taken <= steps + 1, `${taken} steps`);
  }
  await store.close();
  await Deno.remove(path);
});

Deno.test("SQLite: a page examines a bounded number of rows, and returns where to continue", async () => {
  const directory = await Deno.makeTempDir();
  const store = new SqliteUsageStore(`${directory}/usage.db`);
  const rows = Array.from(
    { length: 5000 },
    (_, index) => usageRow({ time: ROW_TIME + index, model: index === 0 ? "old" : "m" }),
  );
  await writeRows(store, rows);
  const first = await store.list({ model: "old", limit: 5 });
  assertEquals(first, { rows: [], next: { time: ROW_TIME + 3000, row: 3001 } });
  const { rows: found, pages } = await listAll(store, { model: "old" }, 5);
  assertEquals([found.length, pages], [1, 3]);
  await store.close();
  await Deno.remove(directory, { recursive: true });
});

Deno.test("memory: requests that were replaced are gone, and the order is that of their end", async () => {
  const store = new MemoryUsageStore();
  for (let index = 0; index < 10_050; index++) {
    await store.write([usageRow({ id: `req_${index}`, time: ROW_TIME + (index ^ 1) })]);
  }
  const { rows } = await listAll(store, {}, 200);
  assertEquals([rows.length, rows[0]?.id, rows.at(-1)?.id], [10_000, "req_10048", "req_51"]);
});

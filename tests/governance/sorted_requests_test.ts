/** Sorted lists of the stores that need no program. */

import { assert } from "@std/assert";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import { LOCAL_STORES, testStores } from "../support/store_kinds.ts";
import { writeRows } from "../support/usage_rows.ts";
import { sortAll, SORTED_REQUESTS, toRows } from "./sorted_requests.ts";

testStores(LOCAL_STORES, SORTED_REQUESTS);

Deno.test("SQLite: a step of a sorted list examines a bounded number of requests", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const store = new SqliteUsageStore(path);
  await writeRows(store, toRows());
  for (const [filter, steps] of [[{}, 2], [{ key: "a" }, 3]] as const) {
    const { pages } = await sortAll(store, filter, { by: "ms", isRising: false });
    assert(pages >= steps && pages <= steps + 1, `${pages} steps`);
  }
  await store.close();
  await Deno.remove(path);
});

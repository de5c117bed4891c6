/** The stores of the ledger, for tests that hold for all of them. */

import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import type { UsageStore } from "../../src/governance/ledger/usage_store.ts";
import { openInThread } from "../../src/process/stores/store_thread.ts";

/** A kind of store that tests can open. */
export interface StoreKind {
  readonly name: string;
  /** Runs with an empty store. */
  run(test: (store: UsageStore) => Promise<void>): Promise<void>;
}

/** A test that holds for every store. */
export interface StoreTest {
  readonly what: string;
  readonly run: (store: UsageStore, kind: string) => Promise<void>;
}

/** Registers each test for each kind of store. */
export function testStores(
  kinds: readonly StoreKind[],
  tests: readonly StoreTest[],
  { ignore = false, toName = (name: string) => name } = {},
): void {
  for (const { name, run } of kinds) {
    for (const test of tests) {
      Deno.test({
        name: toName(`${name}: ${test.what}`),
        ignore,
        fn: () => run((store) => test.run(store, name)),
      });
    }
  }
}

/** The stores that need no program. */
export const LOCAL_STORES: readonly StoreKind[] = [
  { name: "memory", run: (test) => test(new MemoryUsageStore()) },
  sqlite("SQLite", (path) => new SqliteUsageStore(path)),
  sqlite("SQLite in a thread", (path) => openInThread(path)),
];

function sqlite(name: string, open: (path: string) => UsageStore | Promise<UsageStore>): StoreKind {
  return {
    name,
    async run(test) {
      const directory = await Deno.makeTempDir();
      const store = await open(`${directory}/usage.db`);
      try {
        await test(store);
      } finally {
        await store.close();
        await Deno.remove(directory, { recursive: true });
      }
    },
  };
}

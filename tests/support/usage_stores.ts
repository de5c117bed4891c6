/** The stores of the ledger, for tests that hold for all of them. */

import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import type { UsageStore } from "../../src/governance/ledger/usage_store.ts";
import { type PostgresRules, toStoreRules } from "../../src/config/store_url.ts";
import { openInThread } from "../../src/process/stores/store_thread.ts";
import { HAS_POSTGRES, PostgresServer } from "./postgres.ts";

/** A kind of store that tests can open. */
export interface StoreKind {
  readonly name: string;
  /** Whether its programs are installed. */
  readonly isAvailable: boolean;
  /** Runs with an empty store. */
  run(test: (store: UsageStore) => Promise<void>): Promise<void>;
}

let server: Promise<PostgresServer> | undefined;
let databases = 0;

/** A server for all tests of a file. The file calls {@linkcode stopPostgres} after its tests. */
export function sharedPostgres(): Promise<PostgresServer> {
  return server ??= PostgresServer.start();
}

/** Stops the server if a test has started it. */
export async function stopPostgres(): Promise<void> {
  await (await server)?.stop();
  server = undefined;
}

/** The rules of an empty database. */
export async function emptyDatabase(): Promise<PostgresRules> {
  const url = await (await sharedPostgres()).createDatabase(`database_${++databases}`);
  return toStoreRules(url) as PostgresRules;
}

function sqlite(name: string, open: (path: string) => UsageStore | Promise<UsageStore>): StoreKind {
  return {
    name,
    isAvailable: true,
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

export const STORE_KINDS: readonly StoreKind[] = [
  {
    name: "memory",
    isAvailable: true,
    run: (test) => test(new MemoryUsageStore()),
  },
  sqlite("SQLite", (path) => new SqliteUsageStore(path)),
  sqlite("SQLite in a thread", (path) => openInThread(path)),
  {
    name: "PostgreSQL",
    isAvailable: HAS_POSTGRES,
    async run(test) {
      const store = new PostgresUsageStore(await emptyDatabase());
      try {
        await test(store);
      } finally {
        await store.close();
      }
    },
  },
];

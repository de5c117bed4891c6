/** The ledger in PostgreSQL: one server for the tests of a file, and empty databases in it. */

import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { type PostgresRules, toStoreRules } from "../../src/config/store_url.ts";
import { PostgresServer } from "./postgres.ts";
import type { StoreKind } from "./store_kinds.ts";

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

/** A store in an empty database. */
export const POSTGRES: StoreKind = {
  name: "PostgreSQL",
  async run(test) {
    const store = new PostgresUsageStore(await emptyDatabase());
    try {
      await test(store);
    } finally {
      await store.close();
    }
  },
};

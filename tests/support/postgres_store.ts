/** The ledger in PostgreSQL: one server for the tests of a file, and empty databases in it. */

import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { type PostgresRules, toStoreRules } from "../../src/config/shared_store.ts";
import { PostgresServer } from "./postgres.ts";
import type { StoreKind } from "./store_kinds.ts";

/** The variable with the port of a server that all files share. */
export const SHARED_POSTGRES = "SLUICE_TEST_POSTGRES";

let server: Promise<PostgresServer> | undefined;
let databases = 0;

/**
 * A server for all tests of a file, which must not stop it: other files may share it. The file
 * calls {@linkcode stopPostgres} after its tests.
 */
export function sharedPostgres(): Promise<PostgresServer> {
  const port = Deno.env.get(SHARED_POSTGRES);
  return server ??= port
    ? Promise.resolve(PostgresServer.at(Number(port)))
    : PostgresServer.start();
}

/** Stops the server if a test of this file has started it. */
export async function stopPostgres(): Promise<void> {
  await (await server)?.stop();
  server = undefined;
}

/** The rules of an empty database. */
export async function emptyDatabase(): Promise<PostgresRules> {
  const url = await (await sharedPostgres()).createDatabase(`database_${Deno.pid}_${++databases}`);
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

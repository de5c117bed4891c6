/** Rows that something else has changed do not make reports and lists fail. */

import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { PostgresConnection } from "../../src/governance/ledger/postgres_connection.ts";
import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import type { UsageStore } from "../../src/governance/ledger/usage_store.ts";
import { HAS_POSTGRES, withPostgres } from "../support/postgres.ts";
import { emptyDatabase, stopPostgres } from "../support/postgres_store.ts";
import { usageRow } from "../support/usage_rows.ts";

Deno.test.afterAll(stopPostgres);

/** @param bad how many of three rows cannot be read */
async function check(store: UsageStore, bad: number) {
  const reports = await store.summarize({ from: 0, to: Date.now() + 3_600_000, groupBy: ["key"] });
  assertEquals(
    reports.map(({ group, requests, usd }) => [group[0], requests, usd]).sort(),
    [["(unreadable)", bad, 0], ["a", 3 - bad, (3 - bad) / 1000]],
  );
  const { rows } = await store.list({ limit: 10 });
  assertEquals(rows.map(({ id }) => id), bad === 2 ? ["good"] : ["two", "good"]);
  await store.close();
}

Deno.test("SQLite: rows with broken tags or times are counted apart", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const writer = new SqliteUsageStore(path);
  await writer.write(["good", "one", "two"].map((id) => usageRow({ id })));
  await writer.close();
  const other = new DatabaseSync(path);
  other.exec("UPDATE requests SET tags = 'broken' WHERE id = 'one'");
  other.exec("UPDATE requests SET time = 9e999 WHERE id = 'two'");
  other.close();
  // Another process, which has no row in memory.
  await check(new SqliteUsageStore(path), 2);
  await Deno.remove(path);
});

Deno.test({
  name: withPostgres("PostgreSQL: rows with broken times are counted apart"),
  ignore: !HAS_POSTGRES,
  async fn() {
    const rules = await emptyDatabase();
    const store = new PostgresUsageStore(rules);
    await store.write(["good", "one", "two"].map((id) => usageRow({ id })), "batch_1");
    const other = new PostgresConnection(rules, undefined, 5000);
    const spoil = "UPDATE sluice_requests SET time = 'infinity' WHERE id = 'one'";
    await other.call((sql) => sql(spoil));
    await other.close();
    await check(store, 1);
  },
});

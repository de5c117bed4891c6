/** The months of the ledger in PostgreSQL, and a replica of version 0.2.0 beside this version. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { PostgresRules } from "../../src/config/shared_store.ts";
import {
  PostgresConnection,
  type RunSql,
} from "../../src/governance/ledger/postgres_connection.ts";
import { dropMonth } from "../../src/governance/ledger/postgres_partitions.ts";
import { divideRequests } from "../../src/governance/ledger/postgres_schema.ts";
import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { StoreError, type UsageStore } from "../../src/governance/ledger/usage_store.ts";
import { HAS_POSTGRES, withPostgres } from "../support/postgres.ts";
import { accepts, createTables, prune, write } from "../support/postgres_0_2_0.ts";
import { emptyDatabase, stopPostgres } from "../support/postgres_store.ts";
import { usageRow } from "../support/usage_rows.ts";

Deno.test.afterAll(stopPostgres);

const DAY_MS = 86_400_000;
/** The start of this month, and of others, in UTC. */
const monthStart = (offset: number) => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset);
};

function testPostgres(
  name: string,
  fn: (rules: PostgresRules, sql: RunSql) => Promise<void>,
): void {
  Deno.test({
    name: withPostgres(name),
    ignore: !HAS_POSTGRES,
    async fn() {
      const rules = await emptyDatabase();
      const connection = new PostgresConnection(rules, undefined, 30_000);
      const sql: RunSql = (...query) => connection.call((run) => run(...query));
      try {
        await fn(rules, sql);
      } finally {
        await connection.close();
      }
    },
  });
}

async function placesOf(sql: RunSql): Promise<Record<string, string>> {
  const rows = await sql("SELECT id, tableoid::regclass::text AS place FROM sluice_requests");
  return Object.fromEntries(
    rows.map(({ id, place }) => [id, String(place).replace("sluice_requests_", "")]),
  );
}

/** Drops one month. */
async function drop(sql: RunSql, before: number): Promise<boolean> {
  await sql("BEGIN");
  const isDropped = await dropMonth(sql, before);
  await sql("COMMIT");
  return isDropped;
}

/** The IDs of a list, and sums by day. */
async function reportsOf(store: UsageStore) {
  const list = await store.list({ limit: 100 });
  const query = { from: monthStart(-3), to: monthStart(4), groupBy: ["day", "key"] } as const;
  const sums = await store.summarize(query);
  return { ids: list.rows.map(({ id }) => id), sums };
}

function nameOf(month: number): string {
  return new Date(monthStart(month)).toISOString().slice(0, 7).replace("-", "_");
}

testPostgres(
  "months of a new database are removed as a whole, and reports stay",
  async (rules, sql) => {
    const store = new PostgresUsageStore(rules);
    const at = (id: string, time: number) => usageRow({ id, time });
    await store.write([
      ...[at("past", monthStart(-2)), at("now", monthStart(0)), at("next", monthStart(1) + DAY_MS)],
      ...[at("after", monthStart(2)), at("future", monthStart(9))],
    ], "batch_1");
    assertEquals(await placesOf(sql), {
      ...{ past: "before", now: nameOf(0), next: nameOf(1), after: nameOf(2), future: "other" },
    });
    const before = await reportsOf(store);
    assertEquals(before.ids, ["future", "after", "next", "now", "past"]);
    assertEquals(await drop(sql, monthStart(1) - 1), false);
    assertEquals(await drop(sql, monthStart(2) + 1), true);
    assertEquals(await drop(sql, monthStart(2) + 1), true);
    assertEquals(await drop(sql, monthStart(2) + 1), false);
    assertEquals(await placesOf(sql), { past: "before", after: nameOf(2), future: "other" });
    const tables = await sql("SELECT to_regclass($1) AS found", [`sluice_requests_${nameOf(1)}`]);
    assertEquals(tables[0]?.found, null);
    // Rows of the other partitions are deleted one by one.
    await store.prune(monthStart(-1));
    const after = await reportsOf(store);
    assertEquals([after.ids, after.sums], [["future", "after"], before.sums]);
    await store.close();
  },
);

testPostgres("with a short keep, requests are deleted within their month", async (rules, sql) => {
  const store = new PostgresUsageStore(rules);
  const rows = [0, 1, 2].map((day) => usageRow({ id: `r${day}`, time: Date.now() - day * DAY_MS }));
  await store.write(rows, "batch_1");
  while (await store.prune(Date.now() - DAY_MS / 2));
  assertEquals(Object.keys(await placesOf(sql)), ["r0"]);
  await store.close();
});

testPostgres("a long keep leaves rows to their month", async (rules, sql) => {
  const store = new PostgresUsageStore(rules);
  await store.open();
  await sql(`CREATE TABLE sluice_requests_1999_12 (LIKE sluice_requests INCLUDING DEFAULTS);
    ALTER TABLE sluice_requests DETACH PARTITION sluice_requests_before;
    ALTER TABLE sluice_requests ATTACH PARTITION sluice_requests_1999_12
      FOR VALUES FROM ('1999-12-01 00:00:00+00') TO ('2000-01-01 00:00:00+00');
    ALTER TABLE sluice_requests ATTACH PARTITION sluice_requests_before
      FOR VALUES FROM ('2000-01-01 00:00:00+00') TO ('2001-01-01 00:00:00+00')`);
  const [first, last] = [Date.UTC(1999, 11, 1), Date.UTC(1999, 11, 31)];
  await store.write([usageRow({ time: first }), usageRow({ time: last })], "batch_1");
  await store.prune(last);
  assertEquals((await sql("SELECT FROM sluice_requests_1999_12")).length, 2);
  while (await store.prune(last + DAY_MS));
  assertEquals(await placesOf(sql), {});
  await store.close();
});

testPostgres("rows that are not counted keep their month", async (rules, sql) => {
  const store = new PostgresUsageStore(rules);
  await store.write([usageRow({ time: monthStart(0) })], "batch_1");
  assertEquals(await drop(sql, monthStart(3)), false);
  assertEquals(Object.values(await placesOf(sql)), [nameOf(0)]);
  await sql("UPDATE sluice_counted SET last_row = (SELECT max(row) FROM sluice_requests)");
  assertEquals(await drop(sql, monthStart(3)), true);
  await store.close();
});

testPostgres(
  "version 0.2.0 reads, writes and prunes beside this version, also after it has connected again",
  async (rules, sql) => {
    await createTables(sql);
    await write(sql, usageRow({ id: "old_1", time: monthStart(-1) }), "batch_old_1");
    const store = new PostgresUsageStore(rules);
    await store.write([usageRow({ id: "new_1", time: monthStart(-1), session: "s" })], "batch_1");
    assert(await accepts(sql));
    await write(sql, usageRow({ id: "old_2", time: monthStart(0) }), "batch_old_2");
    await write(sql, usageRow({ id: "old_2", time: monthStart(0) }), "batch_old_2");
    const { ids, sums } = await reportsOf(store);
    assertEquals(ids, ["old_2", "new_1", "old_1"]);
    assertEquals(sums.reduce((sum, { requests }) => sum + requests, 0), 3);
    assertEquals(await prune(sql, monthStart(0) - 1), 2);
    assertEquals((await reportsOf(store)).ids, ["old_2"]);
    await store.close();
  },
);

testPostgres(
  "a table that is divided later has the same rows, and 0.2.0 removes none",
  async (rules, sql) => {
    await createTables(sql);
    const store = new PostgresUsageStore(rules);
    const rows = [-2, -1, 0].map((month) =>
      usageRow({ id: `row_${month}`, time: monthStart(month) + DAY_MS, key: `key_${month}` })
    );
    await store.write(rows, "batch_1");
    const expected = await reportsOf(store);
    const connection = new PostgresConnection(rules, undefined, 30_000);
    assertEquals(await connection.call(divideRequests), true);
    assertEquals(await connection.call(divideRequests), false);
    await connection.close();
    assertEquals(await reportsOf(store), expected);
    assertEquals(new Set(Object.values(await placesOf(sql))), new Set(["before"]));
    // One that still runs writes on, and its statement would remove rows of other partitions.
    assertEquals(await accepts(sql), false);
    await write(sql, usageRow({ id: "late", time: monthStart(1) }), "batch_old");
    await store.summarize({ from: 0, to: monthStart(4), groupBy: [] });
    assertEquals(await prune(sql, monthStart(4)), 0);
    // Other programs may delete.
    await sql("BEGIN; SET LOCAL application_name = 'psql'");
    await sql("DELETE FROM sluice_requests WHERE id = 'row_-2'");
    await sql("COMMIT");
    const { late, ...others } = await placesOf(sql);
    assertEquals([late, Object.keys(others).length], [nameOf(1), 2]);
    while (await store.prune(monthStart(0)));
    assertEquals((await reportsOf(store)).ids, ["late", "row_0"]);
    await store.write([usageRow({ id: "last", time: monthStart(1) })], "batch_2");
    const numbers = await sql("SELECT row FROM sluice_requests");
    assertEquals(new Set(numbers.map(({ row }) => row)).size, 3);
    await store.close();
  },
);

testPostgres("a database without a store is not divided", async (rules) => {
  const connection = new PostgresConnection(rules, undefined, 30_000);
  await assertRejects(() => connection.call(divideRequests), StoreError, "another version");
  await connection.close();
});

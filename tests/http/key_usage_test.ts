/** What a key has spent of its budget: for admins, and for the key itself. */

import { assertEquals } from "@std/assert";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import type { KeyInfo } from "../../src/governance/keys/key_store.ts";
import { readKeyUsage } from "../../src/http/routes/usage.ts";
import { UsageReader } from "../../src/http/usage_reader.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { usageRow } from "../support/usage_rows.ts";

/** The gateway's time: a Tuesday. */
const NOW = Date.parse("2023-11-14T22:13:20Z");
const DAY_MS = 86_400_000;

const budget = (usd: number, per: string) => ({ budget: { usd, per } });

async function start(): Promise<TestGateway> {
  const usage = new MemoryUsageStore();
  const row = (key: string, days: number, usd: number | undefined) =>
    usageRow({ key, time: NOW - days * DAY_MS, usd });
  await usage.write([
    row("month", 0, 6),
    row("month", 10, 3),
    row("month", 20, 100),
    row("month", 40, 100),
    row("month", 0, undefined),
    row("total", 25, 5),
    row("other", 1, 9),
    row("stored", 2, 0.5),
  ]);
  const key = {
    ...{ id: "key_1", name: "stored", prefix: "sk-sluice-", settings: budget(2, "total") },
    ...{ created: NOW, revoked: undefined, disabled: undefined, previousUntil: undefined },
  } as KeyInfo;
  return createTestGateway({
    usage,
    runKeyCall: ({ type }) =>
      Promise.resolve(type === "find" ? { type: "key", key } : { type: "keys", keys: [key] }),
    config: {
      server: {
        keys: [
          { name: "month", key: "sk-month", ...budget(10, "month") },
          { name: "total", key: "sk-total", ...budget(5, "total") },
          { name: "hour", key: "sk-hour", ...budget(1, "hour") },
          { name: "other", key: "sk-other" },
        ],
        admin_keys: [{ name: "root", key: "sk-root" }],
      },
      providers: { mock: { kind: "mock", models: ["mock-echo"] } },
    },
  });
}

async function get(gateway: TestGateway, path: string, key = "sk-root") {
  const response = await gateway.call(path, undefined, { authorization: `Bearer ${key}` });
  return { status: response.status, body: await response.json() };
}

const MONTH = {
  limit_usd: 10,
  spent_usd: 9,
  remaining_usd: 1,
  unpriced_requests: 1,
  is_used_up: false,
  period_start: "2023-11-01T00:00:00.000Z",
  renews_at: "2023-12-01T00:00:00.000Z",
  // 13.926 of 30 days are over.
  forecast_usd: 19.388297872,
};

Deno.test("an admin sees what a key has spent since its budget was renewed", async () => {
  const gateway = await start();
  const { usage } = (await get(gateway, "/v1/admin/keys/config:month")).body;
  assertEquals(usage.budget, MONTH);
  assertEquals(usage.last_used, "2023-11-14");
  assertEquals(usage.days.length, 30);
  assertEquals(usage.days.at(-1), { requests: 2, cost_usd: 6 });
  assertEquals(usage.days.at(-11), { requests: 1, cost_usd: 3 });
  assertEquals(usage.days.at(-21), { requests: 1, cost_usd: 100 });
  const total = (await get(gateway, "/v1/admin/keys/config:total")).body.usage;
  assertEquals(total.budget, {
    ...{ limit_usd: 5, spent_usd: 5, remaining_usd: 0, unpriced_requests: 0, is_used_up: true },
    ...{ period_start: null, renews_at: null, forecast_usd: null },
  });
  assertEquals((await get(gateway, "/v1/admin/keys/config:other")).body.usage.budget, null);
  const stored = (await get(gateway, "/v1/admin/keys/key_1")).body.usage;
  assertEquals([stored.budget.spent_usd, stored.budget.remaining_usd], [0.5, 1.5]);
  const hour = (await get(gateway, "/v1/admin/keys/config:hour")).body.usage;
  assertEquals([hour.budget.renews_at, hour.last_used], ["2023-11-14T23:00:00.000Z", null]);
});

Deno.test("a list has it for each key if requested", async () => {
  const gateway = await start();
  const plain = (await get(gateway, "/v1/admin/keys")).body.data;
  assertEquals(plain.map((entry: object) => "usage" in entry), [false, false, false, false, false]);
  const { data } = (await get(gateway, "/v1/admin/keys?usage=true")).body;
  assertEquals(
    data.map(({ name, usage }: Record<string, Record<string, unknown>>) => [
      ...[name, (usage?.budget as Record<string, unknown> | null)?.spent_usd, usage?.last_used],
    ]),
    [
      ["month", 9, "2023-11-14"],
      ["total", 5, "2023-10-20"],
      ["hour", 0, null],
      ["other", undefined, "2023-11-13"],
      ["stored", 0.5, "2023-11-12"],
    ],
  );
  assertEquals((await get(gateway, "/v1/admin/keys?usage=x")).body.error.param, "usage");
});

Deno.test("a list without keys does not read the ledger", async () => {
  const store = new MemoryUsageStore();
  store.summarize = () => Promise.reject(new Error("The ledger was read"));
  const usageOf = await readKeyUsage([], new UsageReader(store, undefined), NOW);
  assertEquals(usageOf("month"), undefined);
});

Deno.test("a key sees its own budget with its usage, whatever time it asks for", async () => {
  const gateway = await start();
  const own = (await get(gateway, "/v1/usage?from=2023-11-14", "sk-month")).body;
  assertEquals(own.budget, MONTH);
  assertEquals(own.data[0].cost_usd, 6);
  assertEquals((await get(gateway, "/v1/usage", "sk-other")).body.budget, null);
  assertEquals("budget" in (await get(gateway, "/v1/admin/usage")).body, false);
});

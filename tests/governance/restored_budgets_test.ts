/** A restart does not forget what keys have spent in the running periods of their budgets. */

import { assertEquals, assertRejects } from "@std/assert";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { type KeyBudget, RestoringStore } from "../../src/governance/ledger/restoring_store.ts";
import { StoreError } from "../../src/governance/ledger/usage_store.ts";
import { budgetCounter } from "../../src/governance/counters.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { BUDGET_PERIODS, periodNumber, periodStart } from "../../src/core/budget_period.ts";
import { newId } from "../../src/core/ids.ts";
import { allocateCounters, SharedCounters } from "../../src/governance/shared_counters.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { usageRow } from "../support/usage_rows.ts";

const clock = new ManualClock();
/** 2023-11-14T22:13:20Z, a Tuesday. */
const NOW = clock.wallTime();
const DAY_MS = 86_400_000;

/** Ten dollars at each of these times before now, and one dollar of another key. */
const ROWS = [
  ...[0, 30 * 60_000, 5 * 3_600_000, DAY_MS, 5 * DAY_MS, 20 * DAY_MS, 400 * DAY_MS].map((ago) =>
    usageRow({ key: "a", time: NOW - ago, usd: 10 })
  ),
  usageRow({ key: "b", time: NOW, usd: 1 }),
  usageRow({ key: "a", time: NOW, usd: undefined }),
];

function restoring(store: MemoryUsageStore, budgets: readonly KeyBudget[]) {
  const counters = new LocalCounters();
  const options = { counters, clock, userBudgets: () => [] };
  const spent = ({ name, per }: KeyBudget) =>
    counters.spent(counters.slotOf(budgetCounter(per, name)), periodNumber(per, NOW)) / 1e9;
  return {
    counters,
    spent,
    store: new RestoringStore(store, { ...options, budgets: () => budgets }),
  };
}

Deno.test("each period counts from its start, and keys do not mix", async () => {
  const memory = new MemoryUsageStore();
  await memory.write(ROWS);
  const budgets = BUDGET_PERIODS.flatMap((per) => ["a", "b", "c"].map((name) => ({ name, per })));
  const { store, spent } = restoring(memory, budgets);
  await store.restore();
  await store.restore();
  const of = (name: string) => BUDGET_PERIODS.map((per) => spent({ name, per }));
  // Since 22:00, since midnight, since Monday, since the first of November, since ever.
  assertEquals(of("a"), [10, 30, 40, 50, 70]);
  assertEquals(of("b"), [1, 1, 1, 1, 1]);
  assertEquals(of("c"), [0, 0, 0, 0, 0]);
});

Deno.test("the start of a period lies in it, and the moment before does not", () => {
  for (const per of BUDGET_PERIODS) {
    const start = periodStart(per, NOW);
    assertEquals(periodNumber(per, start), periodNumber(per, NOW));
    if (per !== "total") assertEquals(periodNumber(per, start - 1), periodNumber(per, NOW) - 1);
  }
});

Deno.test("while the ledger cannot be read, requests count and no row is written; then both add up", async () => {
  const memory = new MemoryUsageStore();
  await memory.write([usageRow({ key: "a", time: NOW, usd: 10 })]);
  let isDown = true;
  const failing = Object.assign(new MemoryUsageStore(), {
    summarize: (query: Parameters<MemoryUsageStore["summarize"]>[0]) =>
      isDown ? Promise.reject(new StoreError("gone")) : memory.summarize(query),
    write: (rows: Parameters<MemoryUsageStore["write"]>[0]) => memory.write(rows),
  });
  const budget = { name: "a", per: "month" } as const;
  const { store, spent, counters } = restoring(failing, [budget]);
  await assertRejects(() => store.restore(), StoreError);
  const slot = counters.slotOf(budgetCounter("month", "a"));
  counters.spend(slot, periodNumber("month", NOW), 2e9, 100e9);
  const row = usageRow({ key: "a", time: NOW, usd: 2 });
  await assertRejects(() => store.write([row], "batch_1"), StoreError);
  isDown = false;
  await store.write([row], "batch_1");
  await store.write([row], "batch_2");
  assertEquals(spent(budget), 12);
  const query = { from: 0, to: NOW + 1, groupBy: [] };
  assertEquals((await memory.summarize(query))[0]?.usd, 14);
});

Deno.test("a key that gets a budget later is restored then, and others are left alone", async () => {
  const memory = new MemoryUsageStore();
  await memory.write(ROWS);
  const budgets: KeyBudget[] = [{ name: "a", per: "day" }];
  const { store, spent } = restoring(memory, budgets);
  await store.restore();
  budgets.push({ name: "b", per: "day" });
  store.onKeysChanged();
  await store.restore();
  assertEquals(budgets.map(spent), [30, 1]);
});

Deno.test("what is spent while a budget is off, or on another period, counts when it returns", async () => {
  const memory = new MemoryUsageStore();
  let budgets: KeyBudget[] = [{ name: "a", per: "day" }];
  const counters = new LocalCounters();
  const store = new RestoringStore(memory, {
    ...{ counters, clock, budgets: () => budgets, userBudgets: () => [] },
  });
  const spent = () => {
    const sum = counters.spent(counters.slotOf("budget:day:key:a"), periodNumber("day", NOW));
    counters.release("budget:day:key:a");
    return sum / 1e9;
  };
  const spend = async (usd: number, isCounted: boolean) => {
    await store.write([usageRow({ key: "a", time: NOW, usd })], newId("batch_"));
    const slot = counters.slotOf("budget:day:key:a");
    if (isCounted) counters.spend(slot, periodNumber("day", NOW), usd * 1e9, Infinity);
    counters.release("budget:day:key:a");
  };
  const change = async (to: KeyBudget[]) => {
    budgets = to;
    store.onKeysChanged();
    await store.restore();
  };
  await store.restore();
  await spend(1, true);
  await change([]);
  await spend(2, false);
  await change([{ name: "a", per: "day" }]);
  assertEquals(spent(), 3);
  await change([{ name: "a", per: "month" }]);
  await spend(4, false);
  await change([{ name: "a", per: "day" }]);
  assertEquals(spent(), 7);
  await change([{ name: "a", per: "day" }, { name: "b", per: "day" }]);
  assertEquals(spent(), 7);
});

Deno.test("without a free counter, rows are written all the same", async () => {
  const counters = new SharedCounters(allocateCounters(1));
  for (let index = 0; index < 65_536; index++) counters.slotOf(`requests:key:${index}`);
  const memory = new MemoryUsageStore();
  const budgets = () => [{ name: "a", per: "day" } as const];
  const store = new RestoringStore(memory, {
    ...{ counters, clock, budgets, userBudgets: () => [] },
  });
  await store.write([usageRow({ key: "a", time: NOW, usd: 1 })], "batch_1");
  assertEquals((await memory.summarize({ from: 0, to: NOW + 1, groupBy: [] }))[0]?.usd, 1);
});

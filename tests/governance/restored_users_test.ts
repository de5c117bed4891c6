/** A restart does not forget what end users have spent in the running periods of their budgets. */

import { assertEquals } from "@std/assert";
import { OTHER_USERS, toOwner } from "../../src/governance/end_users.ts";
import { NoCounterError, ownersBudget } from "../../src/governance/counters.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { RestoringStore, type UserBudgets } from "../../src/governance/ledger/restoring_store.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { type BudgetPeriod, periodNumber } from "../../src/core/budget_period.ts";
import { newId } from "../../src/core/ids.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { usageRow } from "../support/usage_rows.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const rulesOf = (per: BudgetPeriod, max = 1000) => ({ budget: { usd: 10, per }, max });

function world(start: readonly UserBudgets[], memory = new MemoryUsageStore()) {
  const clock = new ManualClock();
  const counters = new LocalCounters();
  let userBudgets = start;
  const store = new RestoringStore(memory, {
    ...{ counters, clock, budgets: () => [], userBudgets: () => userBudgets },
  });
  const counterOf = (per: BudgetPeriod, endUser: string) =>
    ownersBudget(per, toOwner({ name: "app", endUser }).id);
  const spent = (per: BudgetPeriod, ...users: string[]) =>
    users.map((user) => {
      const name = counterOf(per, user);
      const sum = counters.spent(counters.slotOf(name), periodNumber(per, clock.wallTime()));
      counters.release(name);
      return sum / 1e9;
    });
  const row = (endUser: string | undefined, usd: number, ago = 0) =>
    usageRow({ key: "app", endUser, usd, time: clock.wallTime() - ago });
  const change = async (to: readonly UserBudgets[]) => {
    userBudgets = to;
    store.onKeysChanged();
    await store.restore();
  };
  return { clock, counters, memory, store, counterOf, spent, row, change };
}

Deno.test("each user has what it spent in the period, and users of other keys do not count", async () => {
  const { memory, store, spent, row } = world([{ name: "app", rules: rulesOf("day") }]);
  await memory.write([
    ...[row("ada", 2), row("ada", 3, HOUR_MS), row("ada", 4, 2 * DAY_MS), row("bob", 1)],
    ...[row(undefined, 50), { ...row("ada", 60), key: "other" }, {
      ...row("ada", 1),
      usd: undefined,
    }],
  ]);
  await store.restore();
  await store.restore();
  assertEquals(spent("day", "ada", "bob", "eve"), [5, 1, 0]);
});

Deno.test("those who spent the most stay separate, and the others have a sum", async () => {
  const { memory, store, spent, row } = world([{ name: "app", rules: rulesOf("month", 2) }]);
  await memory.write([row("a", 1), row("b", 5), row("c", 2), row("d", 7), row("b", 1)]);
  await store.restore();
  assertEquals(spent("month", "a", "b", "c", "d", OTHER_USERS), [0, 6, 0, 7, 3]);
  const all = (await store.userSpending(3)).map(({ key, user, usd, spent }) =>
    `${user} of ${key}: ${spent} of ${usd}`
  );
  assertEquals(all, ["d of app: 7 of 10", "b of app: 6 of 10", "c of app: 2 of 10"]);
});

Deno.test("a reload adds only what is missing", async () => {
  const budgets = () => [{ name: "app", rules: rulesOf("day") }];
  const { store, spent, row, change, counters, counterOf, clock } = world(budgets());
  await store.restore();
  const spend = (user: string, usd: number) => {
    const name = counterOf("day", user);
    const period = periodNumber("day", clock.wallTime());
    counters.spend(counters.slotOf(name), period, usd * 1e9, Infinity);
    counters.release(name);
  };
  await store.write([row("ada", 2), row("bob", 3)], newId("batch_"));
  spend("ada", 2);
  await change(budgets());
  assertEquals(spent("day", "ada", "bob"), [2, 3]);
  await store.write([row("ada", 1)], newId("batch_"));
  spend("ada", 1);
  await change(budgets());
  assertEquals(spent("day", "ada", "bob"), [3, 3]);
  await change([]);
  await store.write([row("bob", 4)], newId("batch_"));
  await change(budgets());
  assertEquals(spent("day", "bob"), [7]);
});

Deno.test("counters of restored users stay until the period ends, and are reused then", async () => {
  const { memory, store, row, counters, clock, counterOf } = world([
    { name: "app", rules: rulesOf("day") },
  ]);
  await memory.write([row("ada", 2)]);
  await store.restore();
  const ada = counters.slotOf(counterOf("day", "ada"));
  counters.release(counterOf("day", "ada"));
  const isReused = (names: readonly string[]) =>
    names.map((name) => counters.slotOf(name)).includes(ada);
  assertEquals(isReused(["a", "b", "c"]), false);
  clock.advance(DAY_MS);
  await store.write([row("bob", 1)], newId("batch_"));
  assertEquals(isReused(["d", "e", "f"]), true);
});

/** Counters of which one more is free. */
class FullCounters extends LocalCounters {
  #free = 1;

  override slotOf(name: string): number {
    if (--this.#free < 0) throw new NoCounterError();
    return super.slotOf(name);
  }
}

Deno.test("without a free counter, rows are written all the same", async () => {
  const memory = new MemoryUsageStore();
  const clock = new ManualClock();
  const row = usageRow({ key: "app", endUser: "ada", time: clock.wallTime(), usd: 1 });
  await memory.write([row]);
  const store = new RestoringStore(memory, {
    ...{ counters: new FullCounters(), clock, budgets: () => [] },
    userBudgets: () => [{ name: "app", rules: rulesOf("day") }],
  });
  await store.write([row], "batch_1");
  const query = { from: 0, to: clock.wallTime() + 1, groupBy: [] };
  assertEquals((await memory.summarize(query))[0]?.usd, 2);
});

/** Which conditions of alerts hold. */

import { assert, assertEquals } from "@std/assert";
import { Conditions, type ConditionSources } from "../../src/alerts/conditions.ts";
import type { AlertName } from "../../src/config/alerts.ts";
import { loadConfig } from "../../src/config/config.ts";
import { HealthBoard } from "../../src/console/health/health_board.ts";
import { periodNumber } from "../../src/core/budget_period.ts";
import { NANO_USD } from "../../src/governance/cost.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { adapters } from "../../src/providers/registry.ts";
import { ManualClock } from "../support/manual_clock.ts";

const CONFIG = loadConfig("providers: { p: { kind: mock, models: [m] } }", {
  ...{ source: "config.yaml", adapters, now: () => 0, newKey: () => "sk-x" },
  env: () => undefined,
  readFile: () => "",
});

/** The conditions of one rule, over sources that a test sets. */
class Rig {
  readonly clock = new ManualClock();
  readonly counters = new LocalCounters();
  readonly board = new HealthBoard({ clock: this.clock, keepsTexts: () => false });
  readonly sources: { -readonly [Name in keyof ConditionSources]: ConditionSources[Name] } = {
    clock: this.clock,
    config: () => CONFIG,
    stale: () => undefined,
    counters: this.counters,
    badTargets: () => this.board.bad(),
    budgets: () => [],
    userBudgets: () => Promise.resolve([]),
    isLedgerFailing: () => false,
    isSharedStoreLost: () => false,
    countRequests: () => Promise.resolve(0),
    hasTraffic: () => Promise.resolve(undefined),
  };
  readonly #conditions = new Conditions(this.sources);

  async read(name: AlertName, levels: readonly number[] = [80, 100]) {
    const rules = [{ name, afterMs: 0, levels }];
    return await this.#conditions.read({ webhook: undefined, periodMs: 3_600_000, rules });
  }

  attempts(count: number, hasFailed: boolean, target = { provider: "p", upstream: "m" }): void {
    const failure = {
      ...{ error: "upstream_error", status: 502, cause: undefined, isRescued: false },
      ended: 0,
    };
    for (let index = 0; index < count; index++) {
      this.board.add([{
        ...{ ...target, time: this.clock.wallTime(), request: "req_1" },
        ...(hasFailed && { failure }),
      }]);
    }
  }
}

Deno.test("a target that is failing is a condition until it is OK again", async () => {
  const rig = new Rig();
  const read = async () => (await rig.read("failing_target")).map(({ text }) => text);
  rig.attempts(4, true);
  assertEquals(await read(), []);
  rig.attempts(1, true);
  const text =
    "m at p is failing: 5 of the last 5 attempts failed, the last one with upstream_error";
  assertEquals(await read(), [text]);
  // Without attempts nothing says that it is OK.
  rig.clock.advance(20 * 60_000);
  assertEquals(await read(), [text]);
  rig.attempts(8, false);
  assertEquals(await read(), []);
});

Deno.test("a target that is not configured, and one that is degraded, is no condition", async () => {
  const rig = new Rig();
  rig.attempts(5, true, { provider: "p", upstream: "other" });
  rig.attempts(5, true, { provider: "other", upstream: "m" });
  rig.attempts(30, false);
  rig.attempts(3, true);
  assertEquals(rig.board.bad().map(({ state }) => state), ["failing", "failing", "degraded"]);
  assertEquals(await rig.read("failing_target"), []);
});

Deno.test("a budget is a condition at each of its levels, in its period", async () => {
  const rig = new Rig();
  const now = rig.clock.wallTime();
  const budget = { name: "team", usd: 10, per: "month" } as const;
  rig.sources.budgets = () => [budget];
  const spend = (usd: number) => {
    const slot = rig.counters.slotOf("budget:month:key:team");
    rig.counters.spend(slot, periodNumber("month", now), usd * NANO_USD, Infinity);
  };
  spend(7.99);
  assertEquals(await rig.read("budget"), []);
  spend(0.01);
  const [first] = await rig.read("budget");
  assertEquals([first?.object, first?.text], [
    "team",
    "The key 'team' has spent 80 % of its budget: $8.00 of $10 per month",
  ]);
  assertEquals(first?.id, `budget:80:month:${periodNumber("month", now)}:team`);
  spend(2);
  assertEquals((await rig.read("budget")).length, 2);
  assertEquals((await rig.read("budget", [50, 60, 70])).length, 3);
  rig.clock.advance(31 * 86_400_000);
  assertEquals(await rig.read("budget"), []);
});

Deno.test("the budget of an end user is a condition, also while the ledger fails", async () => {
  const rig = new Rig();
  const budget = { key: "webui", usd: 5, per: "day" } as const;
  const spent = { ada: 4, bob: 3.99 };
  let isFailing = false;
  rig.sources.userBudgets = () =>
    isFailing ? Promise.reject(new Error("The store fails")) : Promise.resolve(
      Object.entries(spent).map(([user, spent]) => ({ ...budget, user, spent })),
    );
  const [first, ...others] = await rig.read("budget");
  assertEquals([first?.object, first?.text, others], [
    "ada of webui",
    "The end user 'ada' of the key 'webui' has spent 80 % of its budget: $4.00 of $5 per day",
    [],
  ]);
  spent.bob = 5;
  // The ledger is read once a minute.
  assertEquals((await rig.read("budget")).length, 1);
  rig.clock.advance(60_000);
  assertEquals((await rig.read("budget")).map(({ object }) => object), [
    "ada of webui",
    "bob of webui",
    "bob of webui",
  ]);
  isFailing = true;
  rig.clock.advance(60_000);
  assertEquals((await rig.read("budget")).length, 3);
  rig.clock.advance(86_400_000);
  assertEquals(await rig.read("budget"), []);
});

Deno.test("10,000 budgets do not use up the counters", async () => {
  const rig = new Rig();
  rig.sources.budgets = () =>
    Array.from({ length: 10_000 }, (_, index) => ({ name: `k${index}`, usd: 1, per: "day" }));
  assertEquals(await rig.read("budget"), []);
  // A released counter is used again.
  assert(rig.counters.slotOf("another") < 10);
});

Deno.test("no traffic is a condition unless a request has ended since, at any replica", async () => {
  const rig = new Rig();
  let requests = 5;
  rig.sources.countRequests = () => Promise.resolve(requests);
  const count = async () => (await rig.read("no_traffic")).length;
  assertEquals([await count(), await count()], [0, 1]);
  requests = 6;
  assertEquals([await count(), await count()], [0, 1]);
  // A worker has been replaced.
  requests = 2;
  assertEquals(await count(), 1);
  requests = 3;
  assertEquals(await count(), 0);
  rig.sources.hasTraffic = () => Promise.resolve(true);
  assertEquals(await count(), 0);
});

Deno.test("a stale configuration and failing stores are conditions", async () => {
  const rig = new Rig();
  const objects = async (name: AlertName) => (await rig.read(name)).map(({ object }) => object);
  assertEquals([await objects("stale_config"), await objects("store_down")], [[], []]);
  rig.sources.stale = () => ({ reason: "The file has 1 error; see the log", faults: ["secret"] });
  rig.sources.isLedgerFailing = rig.sources.isSharedStoreLost = () => true;
  assertEquals(await objects("store_down"), ["shared_store", "store"]);
  const [stale] = await rig.read("stale_config");
  assertEquals(
    stale?.text,
    "The configuration file is not used, the one before it is: The file has 1 error; see the log",
  );
});

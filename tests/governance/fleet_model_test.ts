/** The arithmetic of a fleet in tests/bench, and the constants that it takes from the product. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import type { ServiceKey } from "../../src/config/keys.ts";
import { systemClock } from "../../src/core/clock.ts";
import { budgetCounter, ledgerCounter } from "../../src/governance/counters.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { allocateCounters, SharedCounters } from "../../src/governance/shared_counters.ts";
import { boundsOf, type Costs, limitOf, shareOf } from "../bench/fleet_model.ts";

const COSTS: Costs = {
  ...{ renewUs: 50, pollUs: 10, requestUs: 70, keyBytes: 1024, insertUs: 2000, countUs: 20 },
};

function boundNamed(part: string) {
  const bound = boundsOf(COSTS).find(({ name }) => name.includes(part));
  if (bound === undefined) throw new Error(part);
  return bound;
}

Deno.test("the bounds of a fleet are what its servers have, divided by what it needs", () => {
  assertEquals(limitOf(boundNamed("without PgBouncer")), "32 replicas");
  // 700,000 us for 50 / 5 + 10 us a replica.
  assertEquals(limitOf(boundNamed("common slot")), "35,000 replicas");
  assertEquals(limitOf(boundNamed("processor for requests")), "10,000 requests/s");
  assertEquals(limitOf(boundNamed("1 GiB")), "1,000,000 keys");
  assertEquals(limitOf(boundNamed("inserts")), "280,000 requests/s");
  assertEquals(limitOf(boundNamed("sums")), "50,000 requests/s");
  const fleet = { replicas: 10_000, keys: 100_000 };
  assertEquals(shareOf(boundNamed("1 GiB"), fleet), 100_000 / 2 ** 20);
  assertEquals(shareOf(boundNamed("sums"), fleet), undefined);
});

Deno.test("a process has as many counters as the arithmetic says, and a key needs as many", async () => {
  const { capacity, perKey } = boundNamed("counters of a process");
  const counters = new SharedCounters(allocateCounters(1), 0);
  for (let index = 0; index < capacity; index++) counters.slotOf(`counter ${index}`);
  assertThrows(() => counters.slotOf("one more"));

  const names = new Set<string>();
  const counted = new LocalCounters();
  const slotOf = counted.slotOf.bind(counted);
  counted.slotOf = (name) => slotOf(names.add(name) && name);
  const key = {
    ...{ name: "a", models: undefined, budget: { usd: 1, per: "month", unknownPrices: "allow" } },
    limits: { requests_per_minute: 60, tokens_per_minute: 1e6, concurrent: 5 },
  };
  await new Limiter(counted, systemClock).admit({
    key: key as unknown as ServiceKey,
    targets: [{
      ...{ model: { id: "m", facts: {} }, params: undefined },
    }] as never,
    estimate: () => ({ input: 1, maxOutput: 1 }),
  }, { defaults: {}, models: new Map() } as never);
  const budget = budgetCounter("month", "a");
  assert(names.has(budget));
  // The store of the ledger restores the budget with another one.
  assertEquals(new Set([...names, ledgerCounter(budget)]).size, perKey);
});

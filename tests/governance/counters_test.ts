/**
 * Counters in shared memory: exact in one thread, between threads, and after a thread's end. Those
 * of a single thread do the same.
 */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { NoCounterError } from "../../src/governance/counters.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { GatewayError } from "../../src/core/errors.ts";
import type { ServiceKey } from "../../src/config/keys.ts";
import { ManualClock } from "../support/manual_clock.ts";
import type { Counters } from "../../src/governance/counters.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { allocateCounters, SharedCounters } from "../../src/governance/shared_counters.ts";
import { fuzz } from "../support/fuzz.ts";

const SECOND = 1_000_000;
/** 60 units a minute. */
const RATE = { perUnit: SECOND, burst: 60 * SECOND };

Deno.test("a bucket gives its burst at once, then one unit each time it refills", () => {
  const counters = new SharedCounters(allocateCounters(1));
  const slot = counters.slotOf("requests:key:a");
  const now = 1_790_000_000 * SECOND;
  for (let index = 0; index < 60; index++) assertEquals(counters.take(slot, 1, RATE, now), 0);
  assertEquals(counters.take(slot, 1, RATE, now), SECOND);
  assertEquals(counters.take(slot, 1, RATE, now + SECOND - 1), 1);
  assertEquals(counters.take(slot, 1, RATE, now + SECOND), 0);
  assertEquals(counters.fillTime(slot, now + SECOND), 60 * SECOND);
  assertEquals(counters.fillTime(slot, now + 200 * SECOND), 0);
});

Deno.test("a request that is refused takes nothing", () => {
  const counters = new SharedCounters(allocateCounters(1));
  const slot = counters.slotOf("tokens:key:a");
  assertEquals(counters.take(slot, 50, RATE, 0), 0);
  assertEquals(counters.take(slot, 20, RATE, 0), 10 * SECOND);
  assertEquals(counters.take(slot, 10, RATE, 0), 0);
});

Deno.test("a settlement returns what was not used, or puts the bucket into debt", () => {
  const counters = new SharedCounters(allocateCounters(1));
  const slot = counters.slotOf("tokens:key:a");
  counters.take(slot, 60, RATE, 0);
  counters.adjust(slot, -50, RATE, 0);
  assertEquals(counters.take(slot, 50, RATE, 0), 0);
  counters.adjust(slot, 30, RATE, 0);
  assertEquals(counters.take(slot, 1, RATE, 0), 31 * SECOND);
});

Deno.test("slots are limited, and those of a worker that has ended are freed", () => {
  const memory = allocateCounters(2);
  const [one, two] = [new SharedCounters(memory, 1), new SharedCounters(memory, 2)];
  const slot = one.slotOf("concurrent:key:a");
  assertEquals(two.slotOf("concurrent:key:a"), slot);
  assertEquals([one.enter(slot, 3), two.enter(slot, 3), two.enter(slot, 3)], [true, true, true]);
  assertEquals([one.enter(slot, 3), one.taken(slot)], [false, 3]);
  one.releaseWorker(2);
  assertEquals(one.taken(slot), 1);
  assertEquals([one.enter(slot, 3), one.enter(slot, 3), one.enter(slot, 3)], [true, true, false]);
  one.leave(slot);
  assertEquals(one.taken(slot), 2);
});

Deno.test("a sum starts again with its period, and a late correction does not reach a new one", () => {
  const counters = new SharedCounters(allocateCounters(1));
  const slot = counters.slotOf("budget:day:key:a");
  assertEquals(counters.spend(slot, 20_000, 70, 100), true);
  assertEquals(counters.spend(slot, 20_000, 40, 100), false);
  counters.correct(slot, 20_000, 50);
  assertEquals(counters.spent(slot, 20_000), 120);
  assertEquals(counters.spent(slot, 20_001), 0);
  assertEquals(counters.spend(slot, 20_001, 10, 100), true);
  counters.correct(slot, 20_000, -60);
  assertEquals(counters.spent(slot, 20_001), 10);
});

Deno.test("what a worker that has ended reserved of a budget is released, in its period", () => {
  // The budget of a total has period 0.
  for (const period of [0, 20_000]) {
    const memory = allocateCounters(2);
    const [one, two] = [new SharedCounters(memory, 1), new SharedCounters(memory, 2)];
    const slot = one.slotOf("budget:key:a");
    assertEquals(one.reserve(slot, period, 30, 100), true);
    assertEquals(two.reserve(slot, period, 40, 100), true);
    assertEquals(two.reserve(slot, period, 20, 100), true);
    assertEquals(two.reserve(slot, period, 20, 100), false);
    two.settle(slot, period, 20, 25);
    assertEquals(one.spent(slot, period), 95);
    one.releaseWorker(2);
    assertEquals(one.spent(slot, period), 55, "what was settled stays");
    one.releaseWorker(2);
    assertEquals(one.spent(slot, period), 55);
    one.settle(slot, period, 30, 30);
    assertEquals(one.spent(slot, period), 55);
    one.releaseWorker(1);
    assertEquals(one.spent(slot, period), 55);
  }
  const memory = allocateCounters(2);
  const [one, two] = [new SharedCounters(memory, 1), new SharedCounters(memory, 2)];
  const slot = one.slotOf("budget:day:key:a");
  two.reserve(slot, 20_000, 40, 100);
  two.reserve(slot, 20_001, 10, 100);
  two.settle(slot, 20_000, 40, 40);
  assertEquals(one.spent(slot, 20_001), 10);
  one.reserve(slot, 20_002, 5, 100);
  one.releaseWorker(2);
  assertEquals(one.spent(slot, 20_002), 5, "a new period has begun");
});

for (const kind of ["shared", "local"]) {
  Deno.test(`an amount that exceeds what is left is reserved alone, ${kind}`, () => {
    const memory = allocateCounters(2);
    const local = new LocalCounters();
    const [one, two] = kind === "local"
      ? [local, local]
      : [new SharedCounters(memory, 1), new SharedCounters(memory, 2)];
    const slot = one.slotOf("budget:day:key:a");
    assertEquals(one.reserve(slot, 7, 800, 1000), true);
    assertEquals(two.reserve(slot, 7, 300, 1000), false, "another one is under way");
    assertEquals(two.reserved(slot, 7), 800);
    one.settle(slot, 7, 800, 700);
    assertEquals(two.reserve(slot, 7, 800, 1000), true);
    assertEquals([one.reserved(slot, 7), one.spent(slot, 7)], [800, 1500]);
    assertEquals(one.reserve(slot, 7, 1, 1000), false);
    two.settle(slot, 7, 800, 300);
    assertEquals([one.reserved(slot, 7), one.spent(slot, 7)], [0, 1000]);
    assertEquals(one.reserve(slot, 7, 1, 1000), false, "nothing is left");
    assertEquals(one.reserve(slot, 8, 1, 1000), true);
    assertEquals([one.reserved(slot, 7), one.reserved(slot, 8)], [0, 1]);
  });
}

Deno.test("each name has a separate counter", () => {
  const counters = new SharedCounters(allocateCounters(1));
  const names = Array.from({ length: 5000 }, (_, index) => `requests:key:${index}`);
  assertEquals(new Set(names.map((name) => counters.slotOf(name))).size, names.length);
});

Deno.test("any order of takes, settlements and refusals agrees with a reference model", async () => {
  await fuzz(50, (random) => {
    const counters = new SharedCounters(allocateCounters(1));
    const slot = counters.slotOf("tokens:key:a");
    // The reference counts units that are available, as a bucket does.
    let available = 60;
    let now = 0;
    for (let step = 0; step < 300; step++) {
      const passed = random.below(5) * SECOND;
      now += passed;
      available = Math.min(60, available + passed / SECOND);
      const units = 1 + random.below(40);
      if (random.chance(0.7)) {
        const wait = counters.take(slot, units, RATE, now);
        assertEquals(wait, available >= units ? 0 : (units - available) * SECOND);
        if (wait === 0) available -= units;
      } else {
        const change = random.chance(0.5) ? units : -Math.min(units, 60 - available);
        counters.adjust(slot, change, RATE, now);
        available -= change;
      }
    }
  });
});

Deno.test("the counters of a single thread do what shared ones do, in any order", async () => {
  let [refused, renewed] = [0, 0];
  await fuzz(50, (random) => {
    const [one, other] = [new LocalCounters(), new SharedCounters(allocateCounters(1))] as const;
    const names = ["requests:key:a", "tokens:key:a", "concurrent:key:a", "budget:day:key:a"];
    /** Runs an operation on both, and returns its result. */
    const both = <Result>(
      name: string,
      run: (counters: Counters, slot: number) => Result,
    ): Result => {
      const result = run(one, one.slotOf(name));
      assertEquals(result, run(other, other.slotOf(name)));
      return result;
    };
    const reserved: { readonly period: number; readonly amount: number }[] = [];
    let [now, period, places] = [1_790_000_000 * SECOND, 20_000, 0];
    for (let step = 0; step < 300; step++) {
      now += random.below(3) * SECOND;
      const bucket = random.pick(names.slice(0, 2));
      const [, , place = "", budget = ""] = names;
      const units = random.below(120) / 3;
      const amount = random.below(3000) / 7;
      switch (random.below(10)) {
        case 0:
          if (both(bucket, (of, slot) => of.take(slot, units, RATE, now)) > 0) refused++;
          break;
        case 1:
          both(bucket, (of, slot) => of.adjust(slot, units - 20, RATE, now));
          break;
        case 2:
          both(bucket, (of, slot) => of.setFillTime(slot, amount, now));
          break;
        case 3:
          if (both(place, (of, slot) => of.enter(slot, 4))) places++;
          else refused++;
          break;
        case 4:
          if (random.chance(0.3)) {
            both(place, (of, slot) => of.hold(slot));
            places++;
          } else if (places > 0) {
            both(place, (of, slot) => of.leave(slot));
            places--;
          }
          break;
        case 5:
          if (both(budget, (of, slot) => of.reserve(slot, period, Math.round(amount), 2000))) {
            reserved.push({ period, amount: Math.round(amount) });
          } else refused++;
          break;
        case 6: {
          const open = reserved.pop();
          if (open === undefined) break;
          both(budget, (of, slot) => of.settle(slot, open.period, open.amount, amount));
          break;
        }
        case 7:
          if (!both(budget, (of, slot) => of.spend(slot, period, amount, 2000))) refused++;
          break;
        case 8:
          both(budget, (of, slot) => of.correct(slot, period, amount - 300));
          break;
        case 9: {
          const chance = random.below(5);
          if (chance === 0) {
            period++;
            renewed++;
          } else if (chance === 1) {
            both(budget, (of, slot) => of.setSpent(slot, period, amount - 50));
          }
        }
      }
      both(bucket, (of, slot) => of.fillTime(slot, now));
      both(place, (of, slot) => of.taken(slot));
      both(budget, (of, slot) => of.spent(slot, period));
      both(budget, (of, slot) => of.reserved(slot, period));
    }
  });
  assert(refused > 500 && renewed > 100, `${refused} refused, ${renewed} renewed`);
});

Deno.test("four threads at once take exactly what there is", async () => {
  const memory = allocateCounters(4);
  const code = `
    import { SharedCounters } from "${
    import.meta.resolve("../../src/governance/shared_counters.ts")
  }";
    self.onmessage = ({ data: { memory, worker } }) => {
      const counters = new SharedCounters(memory, worker);
      const slot = counters.slotOf("requests:key:a");
      const place = counters.slotOf("concurrent:key:a");
      const budget = counters.slotOf("budget:day:key:a");
      const alone = counters.slotOf("alone");
      let taken = 0, entered = 0, reserved = 0;
      for (let index = 0; index < 20_000; index++) {
        if (counters.take(slot, 1, { perUnit: 1000, burst: 10_000_000 }, 0) === 0) taken++;
        if (counters.enter(place, 2)) {
          entered++;
          if (counters.taken(place) > 2) throw new Error("too many places");
          counters.leave(place);
        }
        // Two of them exceed the budget: the second one must wait.
        if (counters.reserve(budget, 7, 600, 1000)) {
          reserved++;
          if (!counters.enter(alone, 1)) throw new Error("two at once");
          counters.leave(alone);
          counters.settle(budget, 7, 600, 0);
        }
      }
      self.postMessage({ taken, entered, reserved });
    };`;
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const results = await Promise.all([1, 2, 3, 4].map(async (worker) => {
    const thread = new Worker(url, { type: "module" });
    const { promise, resolve, reject } = Promise.withResolvers<
      { taken: number; entered: number; reserved: number }
    >();
    thread.onmessage = ({ data }) => resolve(data);
    thread.onerror = (event) => reject(event.error ?? new Error(event.message));
    thread.postMessage({ memory, worker });
    try {
      return await promise;
    } finally {
      thread.terminate();
    }
  }));
  URL.revokeObjectURL(url);
  assertEquals(results.reduce((sum, { taken }) => sum + taken, 0), 10_000);
  assert(results.every(({ entered, reserved }) => entered > 0 && reserved > 0));
  const counters = new SharedCounters(memory);
  assertEquals(counters.taken(counters.slotOf("concurrent:key:a")), 0);
  const budget = counters.slotOf("budget:day:key:a");
  assertEquals([counters.spent(budget, 7), counters.reserved(budget, 7)], [0, 0]);
});

Deno.test("counters that no worker uses are used again, unless something of them is taken", () => {
  const memory = allocateCounters(2);
  const main = new SharedCounters(memory, 0);
  const [one, two] = [new SharedCounters(memory, 1), new SharedCounters(memory, 2)];
  const now = (performance.timeOrigin + performance.now()) * 1000;
  const kept = one.slotOf("budget:day:key:kept");
  one.spend(kept, 20_000, 5, 100);
  const held = one.slotOf("concurrent:key:held");
  one.enter(held, 3);
  one.release("concurrent:key:held");
  const full = one.slotOf("tokens:key:full");
  one.setFillTime(full, 60_000_000, now);
  one.release("tokens:key:full");
  // More names than there are counters, one after the other.
  for (let index = 0; index < 70_000; index++) {
    const name = `budget:day:key:${index}`;
    const slot = two.slotOf(name);
    assertEquals(two.spent(slot, 20_000), 0);
    two.spend(slot, 20_000, 7, 100);
    two.release(name);
  }
  assertEquals(main.spent(main.slotOf("budget:day:key:kept"), 20_000), 5);
  assertEquals(main.taken(main.slotOf("concurrent:key:held")), 1);
  assert(main.fillTime(main.slotOf("tokens:key:full"), now) > 0);
});

Deno.test("a counter without a free slot is an error, until a worker ends that uses others", () => {
  const memory = allocateCounters(2);
  const [one, two] = [new SharedCounters(memory, 1), new SharedCounters(memory, 2)];
  for (let index = 0; index < 65_536; index++) two.slotOf(`requests:key:${index}`);
  assertThrows(() => one.slotOf("requests:key:late"), NoCounterError);
  one.releaseWorker(2);
  one.slotOf("requests:key:late");
  // A key without a counter is refused alone.
  for (let index = 0; index < 65_535; index++) one.slotOf(`requests:key:${index}`);
  const limiter = new Limiter(one, new ManualClock());
  const admit = (limits: object) =>
    limiter.admit({
      key: { name: "a", models: undefined, limits } as ServiceKey,
      targets: [],
      estimate: () => ({ input: 1, maxOutput: 1 }),
    }, { defaults: {}, models: new Map() });
  const error = assertThrows(() => admit({ concurrent: 1 }), GatewayError);
  assertEquals(error.kind, "overloaded");
  assertStringIncludes(error.message, "no free counter for the limits of the key 'a'");
  assertEquals(admit({}), undefined);
});

for (
  const [kind, create] of [
    ["of one thread", () => new LocalCounters()],
    ["shared", () => new SharedCounters(allocateCounters(1))],
  ] as const
) {
  Deno.test(`limits are reached exactly: counters ${kind}`, () => {
    const counters: Counters = create();
    const sum = counters.slotOf("budget:day:key:a");
    assertEquals(counters.spend(sum, 1, 60, 100), true);
    assertEquals(counters.spend(sum, 1, 40, 100), true, "a budget is spent to its end");
    assertEquals(counters.spend(sum, 1, 1, 100), false);
    assertEquals(counters.spent(sum, 1), 100);
    assertEquals(counters.reserve(sum, 1, 1, 100), false, "nothing is left");
    const other = counters.slotOf("budget:day:key:b");
    assertEquals(counters.reserve(other, 1, 100, 100), true);
    assertEquals(counters.reserve(other, 1, 1, 100), false);
    assertEquals([counters.reserved(other, 1), counters.reserved(other, 2)], [100, 0]);
    const places = counters.slotOf("concurrent:key:a");
    assertEquals([1, 2, 3].map(() => counters.enter(places, 2)), [true, true, false]);
    assertEquals([counters.taken(places), counters.hold(places), counters.leave(places)], [
      ...[2, 3, 2],
    ]);
  });
}

Deno.test("the counters of one thread are used again", () => {
  const counters = new LocalCounters();
  const used = counters.slotOf("requests:key:used");
  let largest = 0;
  for (let index = 0; index < 1000; index++) {
    const slot = counters.slotOf(`budget:day:key:${index}`);
    assertEquals(counters.spent(slot, 1), 0);
    counters.spend(slot, 1, 7, 100);
    counters.release(`budget:day:key:${index}`);
    largest = Math.max(largest, slot);
  }
  assertEquals(largest, 1);
  assertEquals(counters.slotOf("requests:key:used"), used);
  // One that is released less often than it is used stays, as does a bucket that is not full.
  counters.release("requests:key:used");
  counters.release("requests:key:unknown");
  const now = Date.now() * 1000;
  const busy = counters.slotOf("requests:key:busy");
  counters.setFillTime(busy, 3_600_000_000, now);
  counters.release("requests:key:busy");
  counters.release("requests:key:busy");
  const taken = [1, 2, 3].map((index) => counters.slotOf(`requests:key:new-${index}`));
  assertEquals([taken.includes(used), taken.includes(busy)], [false, false]);
  assertEquals(counters.fillTime(busy, now), 3_600_000_000);
  assertEquals(counters.slotOf("requests:key:busy"), busy);
});

Deno.test("a sum that exceeds its cell does not become another period", () => {
  const counters = new SharedCounters(allocateCounters(1));
  const slot = counters.slotOf("budget:total:key:a");
  counters.spend(slot, 0, 1e16, Infinity);
  counters.correct(slot, 0, 1e16);
  assertEquals(counters.spent(slot, 0), 2 ** 52 - 1);
});

import { assertEquals } from "@std/assert";
import { cacheEffectOf, Payoff, Payoffs } from "../../../src/features/prompt_caching/payoff.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** One request that writes 10,000 tokens, and one that reads them. */
const WRITE = { cost: 2500, saved: 0 };
const READ = { cost: 0, saved: 9000 };

/** Answers with marks at an interval until marks change; returns how many were marked. */
function answer(payoff: Payoff, effect: typeof WRITE, from: number, interval: number, most = 1000) {
  const scope = payoff.scope(from);
  let now = from;
  for (let count = 1; count <= most; count++, now += interval) {
    payoff.answered(effect, scope, now);
    if (payoff.scope(now) !== scope) return { count, now };
  }
  return { count: most, now };
}

Deno.test("the effect of the cache follows the model's prices, else Claude's", () => {
  const usage = {
    prompt_tokens: 2100,
    completion_tokens: 1,
    total_tokens: 2101,
    prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 1000 },
  };
  const usual = cacheEffectOf(usage, undefined);
  assertEquals([Math.round(usual.cost), Math.round(usual.saved)], [250, 900]);
  const prices = { input: 2, output: 10, cached_input: 1, cache_write: 3 };
  assertEquals(cacheEffectOf(usage, prices), { cost: 500, saved: 500 });
  // A vendor that does not bill writes loses nothing.
  const free = { input: 2, output: 10, cached_input: 1, cache_write: 2 };
  assertEquals(cacheEffectOf(usage, free), { cost: 0, saved: 500 });
});

Deno.test("one read pays for three writes: cache markers continue", () => {
  const payoff = new Payoff();
  for (let now = 0; now < 24 * HOUR; now += MINUTE) {
    payoff.answered(now % (4 * MINUTE) === 0 ? READ : WRITE, "all", now);
  }
  assertEquals(payoff.scope(24 * HOUR), "all");
});

Deno.test("cache markers stop where writes are never read, and not before they could have been", () => {
  const payoff = new Payoff();
  const { count, now } = answer(payoff, WRITE, 0, 30 * SECOND);
  assertEquals(payoff.scope(now), "prefix");
  assertEquals(now >= 5 * MINUTE && now <= 15 * MINUTE, true);
  assertEquals(count <= 31, true);
  // Only the prefix is marked, and that is not read either.
  const after = answer(payoff, WRITE, now, 30 * SECOND, 19);
  assertEquals(payoff.scope(after.now), "prefix", "too early to know");
});

Deno.test("many conversations may begin at the same time", () => {
  const payoff = new Payoff();
  for (let count = 0; count < 200; count++) payoff.answered(WRITE, "all", SECOND);
  assertEquals(payoff.scope(SECOND), "all");
  for (let count = 0; count < 200; count++) payoff.answered(READ, "all", 2 * SECOND);
  for (let count = 0; count < 200; count++) payoff.answered(WRITE, "all", 3 * SECOND);
  assertEquals(payoff.scope(3 * SECOND), "all");
});

Deno.test("a flood of prompts that are never read again stops cache markers before they expire", () => {
  const payoff = new Payoff();
  const first = answer(payoff, WRITE, 0, 10);
  assertEquals(first.count, 256);
  const second = answer(payoff, WRITE, first.now, 10);
  assertEquals(payoff.scope(second.now), "none");
  assertEquals(second.count, 32);
});

Deno.test("cache markers are tried again later, ever less often, and continue once they pay", () => {
  const payoff = new Payoff();
  let { now } = answer(payoff, WRITE, 0, 10);
  now = answer(payoff, WRITE, now, 10).now;
  const pauses: number[] = [];
  for (let trial = 0; trial < 8; trial++) {
    const stopped = now;
    while (payoff.scope(now) !== "all") now += MINUTE;
    pauses.push(Math.round((now - stopped) / MINUTE));
    const marked = answer(payoff, WRITE, now, 10);
    now = marked.now;
    assertEquals(marked.count, 32);
    // The prefix alone is tried each fourth time.
    assertEquals(payoff.scope(now), trial % 4 === 3 ? "prefix" : "none");
    if (trial % 4 === 3) now = answer(payoff, WRITE, now, 10).now;
    assertEquals(payoff.scope(now), "none");
  }
  assertEquals(pauses, [20, 40, 80, 160, 320, 360, 360, 360]);
  while (payoff.scope(now) !== "all") now += MINUTE;
  const end = now + HOUR;
  for (; now < end; now += MINUTE) payoff.answered(READ, "all", now);
  assertEquals(payoff.scope(now), "all");
});

Deno.test("a prefix that pays is marked without the rest, until all is tried again", () => {
  const payoff = new Payoff();
  let { now } = answer(payoff, WRITE, 0, 10);
  assertEquals(payoff.scope(now), "prefix");
  for (; payoff.scope(now) === "prefix"; now += SECOND) payoff.answered(READ, "prefix", now);
  assertEquals(payoff.scope(now), "all");
  // Twenty minutes after the prefix was known to pay.
  assertEquals(Math.round(now / MINUTE), 30);
  // An answer of the time before says nothing about the other marks.
  for (let count = 0; count < 1000; count++) payoff.answered(WRITE, "prefix", now);
  assertEquals(payoff.scope(now), "all");
});

Deno.test("rare prompts that are never read again stop as well", () => {
  const { now } = answer(new Payoff(), WRITE, 0, HOUR, 100);
  assertEquals(now < 48 * HOUR, true);
});

Deno.test("a service key learns for itself, and cannot make others forget", () => {
  const payoffs = new Payoffs();
  const place = { key: "one", model: "m", provider: "p", upstream: "u" };
  assertEquals(payoffs.find(place), undefined);
  const payoff = payoffs.of(place);
  answer(payoff, WRITE, 0, 10);
  for (let index = 0; index < 5000; index++) {
    payoffs.of({ ...place, key: "two", model: `m${index}` });
  }
  assertEquals(payoffs.find(place), payoff);
  assertEquals(payoffs.find({ ...place, key: "two", model: "m" }), undefined);
  assertEquals(payoffs.find({ ...place, key: "two", model: "m1" }), undefined);
  assertEquals(payoffs.find({ ...place, key: "two", model: "m4999" })?.scope(0), "all");
  for (let index = 0; index < 1000; index++) payoffs.of({ ...place, key: `key${index}` });
  assertEquals(payoffs.find(place), undefined);
});

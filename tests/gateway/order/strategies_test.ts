/** Each strategy by itself: seeded draws and a clock that the test sets. */

import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { FallbackTarget } from "../../../src/config/config.ts";
import { orderRoute } from "../../../src/gateway/order/order_route.ts";
import { STRATEGIES } from "../../../src/gateway/order/strategies.ts";
import type { Strategy } from "../../../src/gateway/order/strategy.ts";
import {
  answer,
  begin,
  contextOf,
  failNow,
  idsOf,
  targetsOf,
  type TestContext,
} from "../../support/order.ts";
import { readOnly } from "../../../src/gateway/order/rank.ts";

const { p2c, throughput, ttft, weighted } = STRATEGIES;

const EQUALS = [undefined, undefined, undefined];

/** How often each target was first. */
function firsts(
  strategy: Strategy,
  targets: readonly FallbackTarget[],
  context: TestContext,
  draws = 3000,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let draw = 0; draw < draws; draw++) {
    const ids = idsOf(strategy(targets, context));
    assertEquals([...ids].sort().join(""), idsOf(targets), "each target once");
    const [first = ""] = ids;
    counts[first] = (counts[first] ?? 0) + 1;
  }
  return counts;
}

Deno.test("in_order keeps the order", () => {
  const groups = [{ targets: targetsOf(EQUALS), balance: "in_order" as const }];
  assertEquals(idsOf(orderRoute({ groups, policy: {} }, contextOf())), "abc");
});

Deno.test("weighted draws the first target by weight, and keeps the order of the others", () => {
  const drawn = (weights: (number | undefined)[], at: number) =>
    idsOf(weighted(targetsOf(weights), { ...contextOf(), random: () => at }));
  const mixed = [3, undefined, 1];
  assertEquals([0, 0.7499, 0.75, 0.999999].map((at) => drawn(mixed, at)), [
    "abc",
    "abc",
    "cab",
    "cab",
  ]);
  assertEquals(drawn([0, undefined, 0], 0.9), "abc");
});

Deno.test("weighted draws each target equally often if none has a weight", () => {
  const counts = firsts(weighted, targetsOf(EQUALS), contextOf());
  for (const id of ["a", "b", "c"]) assertAlmostEquals(counts[id] ?? 0, 1000, 100);
});

Deno.test("p2c draws two different targets and prefers the one with less load", () => {
  const context = contextOf();
  const targets = targetsOf(EQUALS);
  const [a, b, c] = targets;
  for (const [target, ms] of [[a, 100], [b, 300], [c, 900]] as const) answer(context, target, ms);
  const counts = firsts(p2c, targets, context);
  // The slowest of three is never the better one of two.
  assertEquals(counts.c, undefined);
  assertAlmostEquals(counts.a ?? 0, 2000, 100);
  assertAlmostEquals(counts.b ?? 0, 1000, 100);
});

Deno.test("p2c counts open requests, and the others follow by their load", () => {
  const context = contextOf();
  const targets = targetsOf([undefined, undefined]);
  for (const target of targets) answer(context, target, 100);
  const [a] = targets;
  assertEquals(Object.keys(firsts(p2c, targets, context)).sort(), ["a", "b"]);
  const open = begin(context, a);
  assertEquals(firsts(p2c, targets, context), { b: 3000 });
  open.answered(undefined, context.clock.time + 1);
});

Deno.test("p2c ignores differences under 15 %", () => {
  const context = contextOf();
  const targets = targetsOf([undefined, undefined]);
  const [a, b] = targets;
  answer(context, a, 1000);
  answer(context, b, 900);
  assertAlmostEquals(firsts(p2c, targets, context).a ?? 0, 1500, 120);
  answer(context, a, 1100);
  assertEquals(firsts(p2c, targets, context).a, undefined);
});

Deno.test("p2c: a new target counts as usual, and gets one request until it has answered", () => {
  const context = contextOf();
  const targets = targetsOf(EQUALS);
  const [a, b, c] = targets;
  answer(context, a, 100);
  answer(context, b, 100);
  assertAlmostEquals(firsts(p2c, targets, context).c ?? 0, 1000, 100);
  const probe = begin(context, c);
  assertEquals(firsts(p2c, targets, context).c, undefined);
  probe.left();
  assertAlmostEquals(firsts(p2c, targets, context).c ?? 0, 1000, 100);
});

Deno.test("p2c: a target that fails is avoided, until one request finds out that it works", () => {
  const context = contextOf();
  const targets = targetsOf(EQUALS);
  const [, , c] = targets;
  for (const target of targets) answer(context, target, 100);
  failNow(context, c);
  assertEquals(firsts(p2c, targets, context).c, undefined);
  context.clock.time += 5000;
  assertEquals(firsts(p2c, targets, context), { c: 3000 }, "the next request finds out");
  const probe = begin(context, c);
  assertEquals(firsts(p2c, targets, context).c, undefined);
  probe.left();
  context.clock.time += 1000;
  answer(context, c, 100);
  answer(context, c, 100);
  assertAlmostEquals(firsts(p2c, targets, context).c ?? 0, 1000, 100);
});

Deno.test("ttft: the fastest first, and a switch needs 15 %", () => {
  const context = contextOf();
  const targets = targetsOf(EQUALS);
  const [a, b, c] = targets;
  for (const [target, ms] of [[a, 500], [b, 400], [c, 900]] as const) answer(context, target, ms);
  assertEquals(idsOf(ttft(targets, context)), "bac");
  // A mean of 380 is better than 400, but not by 15 %.
  answer(context, a, 350);
  answer(context, a, 290);
  assertEquals(idsOf(ttft(targets, context)), "bac");
  for (let turn = 0; turn < 9; turn++) answer(context, a, 250);
  assertEquals(idsOf(ttft(targets, context)), "abc");
  const explained = { ...context, state: readOnly(context.state) };
  for (let turn = 0; turn < 50; turn++) answer(context, c, 1);
  assertEquals(idsOf(ttft(targets, explained)), "cab");
  assertEquals(context.state.leaders.get(targets, true), a, "an explanation changes nothing");
});

Deno.test("ttft: a target without figures is measured by one request, even beside a faster one", () => {
  const context = contextOf();
  const targets = targetsOf(EQUALS);
  const [a, b, c] = targets;
  answer(context, a, 100);
  answer(context, c, 200);
  assertEquals(idsOf(ttft(targets, context)), "bac");
  const probe = begin(context, b);
  assertEquals(idsOf(ttft(targets, context)).slice(0, 1), "a");
  probe.left();
  failNow(context, b);
  assertEquals(idsOf(ttft(targets, context)), "acb");
});

Deno.test("throughput: the shortest time per token, and streams are not mixed with whole answers", () => {
  const context = contextOf();
  const targets = targetsOf([undefined, undefined]);
  const [a, b] = targets;
  answer(context, a, 900, 5);
  answer(context, b, 100, 20);
  assertEquals(idsOf(throughput(targets, context)), "ab");
  assertEquals(idsOf(ttft(targets, context)), "ba");
  context.stream = false;
  answer(context, a, 100, 40);
  answer(context, b, 100, 10);
  assertEquals(idsOf(throughput(targets, context)), "ba");
  assertEquals(idsOf(ttft(targets, context)), "ba", "of whole answers, by their time per token");
  context.stream = true;
  assertEquals(idsOf(throughput(targets, context)), "ab");
});

Deno.test("answers without output tokens are compared by their duration", () => {
  const context = contextOf();
  context.stream = false;
  const targets = targetsOf([undefined, undefined]);
  const { time } = context.clock;
  for (const [target, ms] of [[targets[0], 800], [targets[1], 100]] as const) {
    begin(context, target, time - ms).answered(undefined, time);
  }
  assertEquals(idsOf(throughput(targets, context)), "ba");
});

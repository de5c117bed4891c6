/** What a request reserves of limits and budgets before it is sent. */

import type { TokenEstimate } from "../../src/core/units.ts";
import { assertEquals, assertThrows } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { LIMIT_KINDS, type LimitKindName } from "../../src/core/limit_kinds.ts";
import {
  isBilled,
  isCostKnown,
  type LimitedTarget,
  maxOutputOf,
  toReservation,
  UsualOutput,
} from "../../src/governance/reservation.ts";
import { type AppliedLimits, NOTHING_USED } from "../../src/governance/counters.ts";

/** One US dollar per million tokens of input, two of output. */
const PRICES = { input: 1, output: 2 };

function targetOf(
  facts: LimitedTarget["model"]["facts"] = {},
  params?: LimitedTarget["params"],
): LimitedTarget {
  return { model: { id: "m", facts }, params };
}

/** Limits of the kinds that are named, and a budget in US dollars. */
function limitsOf(
  limits: { readonly [Name in LimitKindName]?: number },
  usd?: number,
): AppliedLimits {
  const buckets = LIMIT_KINDS.flatMap((kind) => {
    const limit = limits[kind.name];
    if (limit === undefined) return [];
    const rate = { perUnit: 1, burst: 1 };
    const rest = { limitText: String(limit), rate, owner: "key 'a'", isOfModel: false };
    return [{ name: kind.counter, slot: 0, kind, limit, ...rest }];
  });
  const counter = { name: "budget:day:key:a", slot: 1, period: 1, owner: "key 'a'" } as const;
  return {
    ...{ id: "key:a", buckets, concurrency: [] },
    budget: usd === undefined ? undefined : { ...counter, usd, per: "day" },
  };
}

function reserved(
  limits: AppliedLimits,
  targets: readonly LimitedTarget[],
  estimate: Partial<TokenEstimate> = {},
  usual = new UsualOutput(),
) {
  return toReservation(
    limits,
    targets,
    () => ({ input: 10, maxOutput: undefined, ...estimate }),
    usual,
  );
}

Deno.test("the usual output is an average in which a new answer counts a tenth", () => {
  const usual = new UsualOutput();
  const target = targetOf();
  const of = (estimate: Partial<TokenEstimate> = {}) =>
    usual.of(target, { input: 1, maxOutput: undefined, ...estimate });
  assertEquals(of(), 500, "of a model that has not answered");
  usual.learn(target, 100);
  assertEquals(of(), 100, "the first answer counts alone");
  usual.learn(target, 200);
  assertEquals(of(), 110);
  usual.learn(target, 10);
  assertEquals(of(), 100);
  assertEquals([of({ maxOutput: 7 }), of({ maxOutput: 7, choices: 3 })], [7, 21]);
  assertEquals(usual.of(targetOf(), { input: 1, maxOutput: undefined }), 500, "of another model");
});

Deno.test("the most output is the caller's limit, else the target's, else the model's", () => {
  const most = (target: LimitedTarget, estimate: Partial<TokenEstimate> = {}) =>
    maxOutputOf(target, { input: 1, maxOutput: undefined, ...estimate });
  const facts = { max_output_tokens: 1000, context_window: 5000 };
  assertEquals(most(targetOf()), 128_000);
  assertEquals(most(targetOf({ context_window: 5000 })), 5000);
  assertEquals(most(targetOf(facts)), 1000);
  assertEquals(most(targetOf(facts, { max_tokens: 30 })), 30);
  assertEquals(most(targetOf(facts, { max_completion_tokens: 20, max_tokens: 30 })), 20);
  assertEquals(most(targetOf(facts, { max_completion_tokens: null, max_tokens: 30 })), 30);
  assertEquals(most(targetOf(facts, { max_tokens: 30 }), { maxOutput: 40 }), 40);
  assertEquals(most(targetOf(facts), { maxOutput: 0 }), 0);
  assertEquals(most(targetOf(facts), { maxOutput: 2000 }), 1000, "no model writes more");
  assertEquals(most(targetOf({ context_window: 5 }), { maxOutput: 9 }), 9, "not a limit of output");
  assertEquals(most(targetOf(facts), { maxOutput: 40, choices: 3 }), 120);
});

Deno.test("a cost is known with prices, or where unknown ones are allowed", () => {
  const budget = { usd: 1, per: "day" } as const;
  assertEquals(isCostKnown(budget, targetOf()), false);
  assertEquals(isCostKnown({ ...budget, unknown_prices: "deny" }, targetOf()), false);
  assertEquals(isCostKnown({ ...budget, unknown_prices: "allow" }, targetOf()), true);
  assertEquals(isCostKnown(budget, targetOf({ prices: PRICES })), true);
});

Deno.test("a request without input, output and units is not billed", () => {
  assertEquals(isBilled({ input: 0, maxOutput: 0 }), false);
  assertEquals(isBilled({ input: 1, maxOutput: 0 }), true);
  assertEquals(isBilled({ input: 0, maxOutput: 1 }), true);
  assertEquals(isBilled({ input: 0, maxOutput: undefined }), true);
  assertEquals(isBilled({ input: 0, maxOutput: 0, units: { images: 1 } }), true);
});

Deno.test("nothing is estimated if no limit needs it", () => {
  const estimate = () => {
    throw new Error("estimated");
  };
  const limits = limitsOf({ requests_per_minute: 1 });
  const usual = new UsualOutput();
  assertEquals(toReservation(limits, [targetOf()], estimate, usual), NOTHING_USED);
  assertThrows(() => toReservation(limitsOf({}, 1), [targetOf()], estimate, usual), "estimated");
});

Deno.test("tokens are reserved for the first target, and no money without a budget", () => {
  const usual = new UsualOutput();
  const [first, other] = [targetOf({ prices: PRICES }), targetOf({ prices: PRICES })];
  usual.learn(first, 40);
  usual.learn(other, 900);
  const limits = limitsOf({ tokens_per_minute: 10 });
  const units = { images: 2 };
  assertEquals(reserved(limits, [first, other], { units }, usual), {
    ...{ tokens: 50, units, microUsd: 0 },
  });
  assertEquals(reserved(limits, []).tokens, 10, "nothing is written without a target");
});

Deno.test("an input above a limit is refused, and one that equals it is not", () => {
  const refused = (limits: AppliedLimits, estimate: Partial<TokenEstimate>) =>
    assertThrows(() => reserved(limits, [targetOf()], estimate), GatewayError);
  const tokens = limitsOf({ requests_per_minute: 0, tokens_per_minute: 10 });
  assertEquals(reserved(tokens, [targetOf()]).tokens, 510);
  const error = refused(tokens, { input: 10.5 });
  assertEquals(error.kind, "too_many_tokens");
  assertEquals(
    error.message,
    "The request has about 11 tokens, but the limit of the key 'a' is 10 tokens per minute",
  );
  const images = limitsOf({ images_per_day: 2 });
  assertEquals(reserved(images, [targetOf()], { units: { images: 2 } }).units, { images: 2 });
  assertEquals(
    refused(images, { units: { images: 3 } }).message,
    "The request has about 3 images, but the limit of the key 'a' is 2 images per day",
  );
});

Deno.test("of a budget, the most that any target may cost is reserved, and at most all of it", () => {
  const cheap = targetOf({ prices: PRICES, max_output_tokens: 100 });
  const dear = targetOf({ prices: { input: 10, output: 20 }, max_output_tokens: 100 });
  const free = targetOf();
  const money = (usd: number, targets: readonly LimitedTarget[], estimate = {}) =>
    reserved(limitsOf({}, usd), targets, estimate).microUsd;
  assertEquals(money(1, [cheap]), 210);
  for (const targets of [[cheap, dear, free], [dear, free, cheap]]) {
    assertEquals(money(1, targets), 2100);
  }
  assertEquals(money(1, [free]), 0);
  assertEquals(money(0.001, [dear]), 1000);
  assertEquals(money(1, [cheap], { maxOutput: 5, choices: 2 }), 30);
  const image = targetOf({ prices: { input: 0, output: 0, units: { images: 0.04 } } });
  assertEquals(money(1, [image], { maxOutput: 0, units: { images: 2 } }), 80_000);
});

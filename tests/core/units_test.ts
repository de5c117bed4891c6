/** Amounts of units, and their sums. */

import { assertEquals } from "@std/assert";
import { addUsage } from "../../src/apis/chat/token_counts.ts";
import { addUnits, hasUnits, UNITS } from "../../src/core/units.ts";
import { microUsdOf } from "../../src/governance/cost.ts";
import { readUsage } from "../../src/apis/usage.ts";

Deno.test("addUnits() adds what either has", () => {
  assertEquals(addUnits(undefined, undefined), undefined);
  assertEquals(addUnits({ images: 1 }, undefined), { images: 1 });
  assertEquals(addUnits({ images: 1, seconds: 0.5 }, { images: 2, searches: 1 }), {
    images: 3,
    seconds: 0.5,
    searches: 1,
  });
});

Deno.test("hasUnits() is false for amounts of 0", () => {
  assertEquals([undefined, {}, { images: 0 }, { seconds: 0.1 }].map(hasUnits), [
    false,
    false,
    false,
    true,
  ]);
});

Deno.test("addUsage() adds units", () => {
  const tokens = { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 };
  const sum = addUsage({ ...tokens, [UNITS]: { images: 1 } }, {
    ...tokens,
    [UNITS]: { images: 2 },
  });
  assertEquals(sum?.[UNITS], { images: 3 });
  assertEquals(Object.getOwnPropertySymbols(addUsage(tokens, tokens)), []);
});

Deno.test("a vendor's usage cannot contain units", () => {
  const usage = readUsage({ prompt_tokens: 1, units: { images: 9 }, "Symbol(units)": 1 });
  assertEquals(usage?.[UNITS], undefined);
});

Deno.test("microUsdOf() adds units at their prices, and knows when a price is missing", () => {
  const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const some = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 };
  const tokens = { input: 2, output: 4 };
  const prices = { ...tokens, units: { images: 0.04 } };
  const images = { [UNITS]: { images: 2 } };
  assertEquals(microUsdOf({ usage: { ...none, ...images }, prices }), 80_000);
  assertEquals(microUsdOf({ usage: { ...some, ...images }, prices }), 80_020);
  assertEquals(microUsdOf({ usage: { ...none, ...images }, prices: tokens }), undefined);
  assertEquals(microUsdOf({ usage: { ...some, ...images }, prices: tokens }), 20);
  const tiers = new Map([["flex", 0.5]]);
  const tier = { usage: { ...none, ...images }, prices: { ...prices, tiers }, tier: "flex" };
  assertEquals(microUsdOf(tier), 40_000);
});

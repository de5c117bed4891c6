/** Each strategy by itself: pure functions with seeded draws. */

import { assertAlmostEquals, assertEquals } from "@std/assert";
import { DEFAULT_ON_FAILURES, type FallbackTarget } from "../../../src/config/config.ts";
import { inOrder } from "../../../src/routing/order/in_order.ts";
import { weighted } from "../../../src/routing/order/weighted.ts";
import { loadTestConfig } from "../../support/gateway.ts";
import { Random } from "../../support/random.ts";

const CONFIG = loadTestConfig({
  providers: { p: { kind: "mock", models: ["a", "b", "c"] } },
});

function targets(weights: readonly (number | undefined)[]): FallbackTarget[] {
  return ["a", "b", "c"].flatMap((model, index) =>
    (config(model) ?? []).map(({ target }) => ({
      target,
      weight: weights[index],
      onFailures: DEFAULT_ON_FAILURES,
    }))
  );
}

const config = (model: string) => CONFIG.resolve(model);

const idsOf = (chain: readonly FallbackTarget[]) =>
  chain.map(({ target }) => target.model.id).join("");

Deno.test("in_order keeps the order", () => {
  assertEquals(idsOf(inOrder(targets([]), { random: () => 0.9 })), "abc");
});

Deno.test("weighted draws the first target by weight, and keeps the order of the others", () => {
  const drawn = (at: number) => idsOf(weighted(targets([3, undefined, 1]), { random: () => at }));
  assertEquals([0, 0.7499, 0.75, 0.999999].map(drawn), ["abc", "abc", "cab", "cab"]);
  assertEquals(idsOf(weighted(targets([0, undefined, 0]), { random: () => 0.9 })), "abc");
});

Deno.test("weighted draws each target equally often if none has a weight", () => {
  const seeded = new Random(1);
  const random = () => seeded.next();
  const counts = new Map<string, number>();
  for (let draw = 0; draw < 3000; draw++) {
    const first = idsOf(weighted(targets([]), { random })).slice(0, 1);
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  for (const id of ["a", "b", "c"]) assertAlmostEquals(counts.get(id) ?? 0, 1000, 100);
});

/** What was learned about prompt caching stays with its key, model, provider and upstream name. */

import { assertEquals } from "@std/assert";
import { type MarkedPlace, Payoffs } from "../../../src/features/prompt_caching/payoff.ts";

const PLACE: MarkedPlace = { key: "k", model: "m", provider: "p", upstream: "u" };

Deno.test("each breakpoint has a separate payoff, which is found again", () => {
  const payoffs = new Payoffs();
  assertEquals(payoffs.find(PLACE), undefined);
  const known = payoffs.of(PLACE);
  assertEquals([payoffs.of({ ...PLACE }) === known, payoffs.find(PLACE) === known], [true, true]);
  for (const name of ["key", "model", "provider", "upstream"]) {
    const other = { ...PLACE, [name]: "other" };
    assertEquals(payoffs.find(other), undefined, name);
    assertEquals(payoffs.of(other) === known, false, name);
  }
});

Deno.test("the memory is bounded: 200 entries per key, and 1,000 keys", () => {
  const payoffs = new Payoffs();
  for (let index = 0; index <= 200; index++) payoffs.of({ ...PLACE, model: `m${index}` });
  assertEquals(payoffs.find({ ...PLACE, model: "m0" }), undefined);
  assertEquals(payoffs.find({ ...PLACE, model: "m1" }) !== undefined, true);
  for (let index = 0; index < 1000; index++) payoffs.of({ ...PLACE, key: `k${index}` });
  assertEquals(payoffs.find({ ...PLACE, model: "m1" }), undefined);
  assertEquals(payoffs.find({ ...PLACE, key: "k0" }) !== undefined, true);
});

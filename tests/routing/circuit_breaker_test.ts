import { assertEquals } from "@std/assert";
import { Breaker } from "../../src/routing/circuit_breaker.ts";

/** A breaker that has failed this often, a second apart, the last time at 0. */
function failing(times: number): Breaker {
  const breaker = new Breaker();
  for (let at = 1 - times; at <= 0; at++) breaker.failed(at * 1000);
  return breaker;
}

Deno.test("five failures in a row open a breaker for 30 s", () => {
  assertEquals(failing(4).state(0), "closed");
  const breaker = failing(5);
  assertEquals([breaker.state(0), breaker.isShut(0)], ["open", true]);
  assertEquals([breaker.state(29_999), breaker.state(30_000)], ["open", "half_open"]);
});

Deno.test("failures over more than 30 s do not open it", () => {
  const breaker = new Breaker();
  for (let at = 0; at < 50; at++) breaker.failed(at * 7500);
  assertEquals(breaker.state(49 * 7500), "closed");
  breaker.failed(49 * 7500 + 1);
  assertEquals(breaker.state(49 * 7500 + 1), "open");
});

Deno.test("a success forgets the failures before it", () => {
  const breaker = failing(4);
  breaker.succeeded();
  breaker.failed(1);
  assertEquals([breaker.state(1), breaker.report(1).failures], ["closed", 1]);
});

Deno.test("a half-open breaker lets one through at a time", () => {
  const breaker = failing(5);
  assertEquals(breaker.isShut(30_000), false);
  assertEquals(breaker.enter(30_000), true);
  assertEquals(breaker.isShut(30_000), true);
  assertEquals(breaker.enter(30_001), false, "another is out already");
  breaker.left(false);
  assertEquals(breaker.isShut(30_002), true, "only the one that tries may say that it has left");
  breaker.left(true);
  assertEquals(breaker.isShut(30_003), false);
});

Deno.test("the one that tries closes it, or opens it for another 30 s", () => {
  const well = failing(5);
  well.enter(30_000);
  well.succeeded();
  assertEquals([well.state(30_000), well.isShut(30_000)], ["closed", false]);
  const ill = failing(5);
  ill.enter(40_000);
  ill.failed(41_000);
  assertEquals([ill.state(70_999), ill.state(71_000)], ["open", "half_open"]);
});

Deno.test("a report says when an open breaker lets one through", () => {
  const breaker = failing(5);
  assertEquals(breaker.report(1000), { state: "open", failures: 5, tries_again_in_ms: 29_000 });
  assertEquals(breaker.report(31_000), { state: "half_open", failures: 0 });
  assertEquals(new Breaker().report(0), { state: "closed", failures: 0 });
});

Deno.test("a breaker remembers no more failures than it takes to open it", () => {
  const breaker = new Breaker();
  for (let at = 0; at < 10_000; at++) breaker.failed(at);
  assertEquals(breaker.report(10_000).failures, 5);
});

import { assertEquals } from "@std/assert";
import { Breaker, type BreakerChange } from "../../src/gateway/circuit_breaker.ts";

/** A breaker that has failed this often, a second apart, the last time at 0. */
function failing(times: number): Breaker {
  const breaker = new Breaker();
  for (let at = 1 - times; at <= 0; at++) breaker.failed(undefined, at * 1000);
  return breaker;
}

Deno.test("five consecutive failures open a breaker for 30 s", () => {
  assertEquals(failing(4).state(0), "closed");
  const breaker = failing(5);
  assertEquals([breaker.state(0), breaker.isOpen(0)], ["open", true]);
  assertEquals([breaker.state(29_999), breaker.state(30_000)], ["open", "half_open"]);
});

Deno.test("failures spread over more than 30 s do not open it", () => {
  const breaker = new Breaker();
  for (let at = 0; at < 50; at++) breaker.failed(undefined, at * 7500);
  assertEquals(breaker.state(49 * 7500), "closed");
  breaker.failed(undefined, 49 * 7500 + 1);
  assertEquals(breaker.state(49 * 7500 + 1), "open");
});

Deno.test("a success resets the failures", () => {
  const breaker = failing(4);
  breaker.succeeded("a", 1);
  breaker.failed(undefined, 1);
  assertEquals([breaker.state(1), breaker.report(1).failures], ["closed", 1]);
});

Deno.test("a half-open breaker allows one request at a time", () => {
  const breaker = failing(5);
  assertEquals(breaker.isOpen(30_000), false);
  assertEquals(breaker.enter(30_000), true);
  assertEquals(breaker.isOpen(30_000), true);
  assertEquals(breaker.enter(30_001), false, "another is out already");
  breaker.left(false);
  assertEquals(breaker.isOpen(30_002), true, "only the one that tries may say that it has left");
  breaker.left(true);
  assertEquals(breaker.isOpen(30_003), false);
});

Deno.test("the test request closes it, or opens it for another 30 s", () => {
  const well = failing(5);
  well.enter(30_000);
  well.succeeded("a", 30_000);
  assertEquals([well.state(30_000), well.isOpen(30_000)], ["closed", false]);
  const ill = failing(5);
  ill.enter(40_000);
  ill.failed(undefined, 41_000);
  assertEquals([ill.state(70_999), ill.state(71_000)], ["open", "half_open"]);
});

Deno.test("a report shows when an open breaker allows a request", () => {
  const breaker = failing(5);
  assertEquals(breaker.report(1000), { state: "open", failures: 5, tries_again_in_ms: 29_000 });
  assertEquals(breaker.report(31_000), { state: "half_open", failures: 0 });
  assertEquals(new Breaker().report(0), { state: "closed", failures: 0 });
});

Deno.test("a breaker stores only as many failures as open it", () => {
  const breaker = new Breaker();
  for (let at = 0; at < 10_000; at++) breaker.failed(undefined, at);
  assertEquals(breaker.report(10_000).failures, 5);
});

/** The state of a breaker after failures that the prompts of these callers may have caused. */
function blamed(breaker: Breaker, callers: readonly (string | undefined)[], now: number) {
  for (const caller of callers) breaker.failed(caller, now);
  return breaker.state(now);
}

const FIVE = (caller: string | undefined) => Array.from({ length: 5 }, () => caller);

Deno.test("failures of one caller do not open it while another caller succeeds", () => {
  const breaker = new Breaker();
  breaker.succeeded("b", 0);
  assertEquals(blamed(breaker, [...FIVE("a"), ...FIVE("a")], 29_999), "closed");
  assertEquals(blamed(breaker, ["b"], 29_999), "open", "now another caller has failed too");
  const later = new Breaker();
  later.succeeded("b", 0);
  assertEquals(blamed(later, FIVE("a"), 30_000), "open", "that answer is too long ago");
});

Deno.test("failures of one caller open it if no other caller succeeds", () => {
  assertEquals(blamed(new Breaker(), FIVE("a"), 0), "open");
  const own = new Breaker();
  own.succeeded("a", 0);
  assertEquals(blamed(own, FIVE("a"), 1), "open");
});

Deno.test("another caller's success counts, also where the caller's own came after it", () => {
  const breaker = new Breaker();
  breaker.succeeded("b", 0);
  breaker.succeeded("a", 1);
  breaker.succeeded("a", 2);
  assertEquals(blamed(breaker, FIVE("a"), 3), "closed");
});

Deno.test("failures that no prompt can cause always open it", () => {
  const breaker = new Breaker();
  breaker.succeeded("b", 0);
  assertEquals(blamed(breaker, FIVE(undefined), 1), "open");
  const mixed = new Breaker();
  mixed.succeeded("b", 0);
  assertEquals(blamed(mixed, ["a", "a", "a", undefined, undefined], 1), "closed");
});

Deno.test("a report counts the failures of the last 30 s", () => {
  const breaker = new Breaker();
  for (const at of [0, 1, 2]) breaker.failed(undefined, at);
  assertEquals([29_999, 30_000, 30_002].map((now) => breaker.report(now).failures), [3, 2, 0]);
});

Deno.test("after a reset, the next half-open breaker allows a request again", () => {
  const breaker = failing(5);
  assertEquals(breaker.enter(30_000), true);
  breaker.reset();
  for (const caller of FIVE(undefined)) breaker.failed(caller, 31_000);
  assertEquals([breaker.isOpen(61_000), breaker.enter(61_000)], [false, true]);
});

Deno.test("a reset closes it and returns whether it was open", () => {
  const breaker = failing(5);
  assertEquals([breaker.reset(), breaker.state(0), breaker.reset()], [true, "closed", false]);
  assertEquals(breaker.report(0).failures, 0);
});

Deno.test("others learn when it opens and closes, and whether one caller is the reason", () => {
  const changes: BreakerChange[] = [];
  const breaker = new Breaker((change) => void changes.push(change));
  for (const caller of FIVE("a")) breaker.failed(caller, 0);
  breaker.enter(30_000);
  breaker.succeeded("a", 30_000);
  breaker.succeeded("a", 30_001);
  for (const caller of FIVE(undefined)) breaker.failed(caller, 31_000);
  assertEquals(changes, [
    { openUntil: 30_000, byOneCaller: true },
    { openUntil: undefined, byOneCaller: false },
    { openUntil: 61_000, byOneCaller: false },
  ]);
  const mixed = new Breaker((change) => void changes.push(change));
  for (const caller of ["a", "b", "a", "b", "a"]) mixed.failed(caller, 0);
  assertEquals(changes.at(-1), { openUntil: 30_000, byOneCaller: false });
});

Deno.test("a breaker that others opened says so, and closes again with them", () => {
  const breaker = new Breaker();
  assertEquals(breaker.openedElsewhere({ openUntil: 20_000, byOneCaller: false }, 0), true);
  const remote = { state: "open", failures: 0, tries_again_in_ms: 20_000, source: "remote" };
  assertEquals(breaker.report(0) as unknown, remote);
  assertEquals(breaker.openedElsewhere({ openUntil: 20_000, byOneCaller: false }, 0), false);
  assertEquals(breaker.closedElsewhere(1), true);
  assertEquals(breaker.report(1), { state: "closed", failures: 0 });
  assertEquals(breaker.closedElsewhere(1), false);
  breaker.openedElsewhere({ openUntil: 90_000, byOneCaller: false }, 1000);
  assertEquals(breaker.report(1000).tries_again_in_ms, 30_000, "not longer than by its own");
});

Deno.test("a breaker that this replica opened stays its own, and is tried when others close theirs", () => {
  const breaker = failing(5);
  assertEquals(breaker.openedElsewhere({ openUntil: 30_001, byOneCaller: false }, 1000), true);
  assertEquals(breaker.report(1000).source, undefined);
  assertEquals(breaker.closedElsewhere(2000), true);
  assertEquals([breaker.state(2000), breaker.enter(2000)], ["half_open", true]);
});

Deno.test("what one caller may have caused elsewhere does not close a target that answers here", () => {
  const change = { openUntil: 50_000, byOneCaller: true };
  const breaker = new Breaker();
  breaker.succeeded("b", 10_000);
  assertEquals(breaker.openedElsewhere(change, 39_999), false);
  assertEquals(breaker.openedElsewhere({ ...change, byOneCaller: false }, 39_999), true);
  const later = new Breaker();
  later.succeeded("b", 10_000);
  assertEquals(later.openedElsewhere(change, 40_000), true);
  assertEquals(new Breaker().openedElsewhere(change, 0), true);
});

Deno.test("after a success here, openings elsewhere are ignored for a while, until a failure or a reset", () => {
  const change = { openUntil: 60_000, byOneCaller: false };
  const opened = () => {
    const breaker = new Breaker();
    breaker.openedElsewhere({ openUntil: 1000, byOneCaller: false }, 0);
    assertEquals(breaker.enter(1000), true);
    breaker.succeeded("a", 1000);
    return breaker;
  };
  const later = opened();
  assertEquals(later.openedElsewhere({ ...change, openUntil: 400_000 }, 380_000), true);
  assertEquals([later.isOpen(400_000), later.enter(400_000)], [false, true]);
  assertEquals(opened().openedElsewhere(change, 1001), false);
  const failed = opened();
  for (const caller of FIVE(undefined)) failed.failed(caller, 1001);
  assertEquals(failed.openedElsewhere(change, 1002), true);
  const reset = opened();
  reset.reset();
  assertEquals(reset.openedElsewhere(change, 1001), true);
});

Deno.test("after a reset while a request probes, an opening elsewhere is probed again", () => {
  const breaker = failing(5);
  assertEquals(breaker.enter(30_000), true);
  breaker.reset();
  breaker.openedElsewhere({ openUntil: 50_000, byOneCaller: false }, 31_000);
  assertEquals([breaker.isOpen(49_999), breaker.isOpen(50_000)], [true, false]);
  assertEquals(breaker.enter(50_000), true);
});

import { assertEquals } from "@std/assert";
import type { ErrorKind, SuspensionScope } from "../../src/core/errors.ts";
import { KeyPool } from "../../src/gateway/key_pool.ts";

const KEYS = ["one", "two"];

/** A pool whose first key has failed at 0. */
function suspended(kind: ErrorKind, scope: SuspensionScope, wait?: number): KeyPool {
  const pool = new KeyPool();
  pool.suspend("one", KEYS, "m", { kind, scope, wait }, 0);
  return pool;
}

Deno.test("a rejected key is suspended for five minutes, regardless of Retry-After", () => {
  for (const kind of ["upstream_auth", "quota"] as const) {
    const pool = suspended(kind, "key", 1000);
    assertEquals(pool.pick(KEYS, "m", 299_999), "two");
    assertEquals(pool.pick(KEYS, "other", 299_999), "two");
    assertEquals(pool.pick(KEYS, "m", 300_000), "one");
  }
});

Deno.test("a key that may not use a model is suspended only for that model", () => {
  const pool = suspended("upstream_auth", "model");
  assertEquals(pool.pick(KEYS, "m", 299_999), "two");
  assertEquals(pool.pick(KEYS, "other", 0), "one");
});

Deno.test("a rate-limited key is suspended until its Retry-After, for that model", () => {
  const pool = suspended("rate_limited", "model", 7000);
  assertEquals(pool.pick(KEYS, "m", 6999), "two");
  assertEquals(pool.pick(KEYS, "other", 0), "one");
  assertEquals(pool.pick(KEYS, "m", 7000), "one");
});

Deno.test("without a Retry-After it is suspended for 10 s, and never for more than an hour", () => {
  const pool = suspended("rate_limited", "model");
  assertEquals([pool.pick(KEYS, "m", 9999), pool.pick(KEYS, "m", 10_000)], ["two", "one"]);
  const long = suspended("rate_limited", "model", 1e15);
  assertEquals([long.pick(KEYS, "m", 3_599_999), long.pick(KEYS, "m", 3_600_000)], ["two", "one"]);
});

Deno.test("the last key that can be used for a model is never suspended", () => {
  for (const kind of ["upstream_auth", "quota", "rate_limited"] as const) {
    const pool = suspended(kind, "key", 60_000);
    pool.suspend("two", KEYS, "m", { kind, scope: "key", wait: undefined }, 1);
    assertEquals([pool.pick(KEYS, "m", 1), pool.countSuspended(KEYS, 1)], ["two", 1]);
    // Another key has come back, so this one is no longer the last.
    pool.suspend("two", KEYS, "m", { kind, scope: "key", wait: undefined }, 300_000);
    assertEquals(pool.pick(KEYS, "m", 300_000), "one");
  }
});

Deno.test("when every key is suspended for a model, the earliest end is returned", () => {
  const pool = suspended("upstream_auth", "key");
  const limit = { kind: "rate_limited", scope: "model", wait: 5000 } as const;
  // The last key of `m`, but not of `other`.
  pool.suspend("two", [...KEYS, "three"], "other", limit, 0);
  assertEquals(pool.pick(KEYS, "other", 0), undefined);
  assertEquals(pool.pickSoonest(KEYS, "other", 0), "two");
  assertEquals(pool.firstLimitEnd(KEYS, "other", 0), 5000);
  assertEquals(pool.firstLimitEnd(KEYS, "m", 0), undefined, "a refusal has no end to wait for");
  assertEquals(pool.pickSoonest(KEYS, "m", 0), "two", "it is not suspended at all");
});

Deno.test("a report lists models, reasons and ends of current suspensions", () => {
  const pool = suspended("upstream_auth", "key");
  pool.suspend("one", KEYS, "m", { kind: "rate_limited", scope: "model", wait: 9000 }, 1000);
  assertEquals(pool.report("one", 4000), [
    { reason: "upstream_auth", ends_in_ms: 296_000 },
    { model: "m", reason: "rate_limited", ends_in_ms: 6000 },
  ]);
  assertEquals(pool.report("one", 10_000).length, 1);
  assertEquals([pool.countSuspended(KEYS, 10_000), pool.countSuspended(KEYS, 300_000)], [1, 0]);
  assertEquals(pool.report("two", 0), []);
});

Deno.test("clear() ends all suspensions, and keep() those of removed keys and models", () => {
  const pool = suspended("upstream_auth", "key");
  assertEquals([pool.clear(1), pool.clear(1), pool.pick(KEYS, "m", 1)], [1, 0, "one"]);
  const limited = suspended("rate_limited", "model", 5000);
  limited.keep(new Set(KEYS), new Set(["other"]));
  assertEquals(limited.pick(KEYS, "m", 0), "one");
  const refused = suspended("quota", "key");
  refused.keep(new Set(["two"]), new Set(["m"]));
  assertEquals(refused.countSuspended(KEYS, 0), 0);
});

Deno.test("a key that others suspended is suspended here, unless it is the last one of a model", () => {
  const change = { key: "one", model: undefined, kind: "quota", until: 60_000 } as const;
  const pool = new KeyPool();
  assertEquals(pool.suspendedElsewhere(change, KEYS, 0), true);
  assertEquals(pool.report("one", 0), [{ reason: "quota", ends_in_ms: 60_000, source: "remote" }]);
  assertEquals(pool.suspendedElsewhere(change, KEYS, 0), false, "it is suspended as long");
  assertEquals(pool.suspendedElsewhere({ ...change, until: 60_001 }, KEYS, 0), true);
  assertEquals(pool.suspendedElsewhere({ ...change, key: "two" }, KEYS, 0), false);
  assertEquals(pool.suspendedElsewhere(change, KEYS, 70_000), false, "it has ended");
  assertEquals(pool.suspendedElsewhere({ ...change, until: 1e9 }, KEYS, 70_000), true);
  assertEquals([pool.pick(KEYS, "m", 369_999), pool.pick(KEYS, "m", 370_000)], ["two", "one"]);
  const ofModel = new KeyPool();
  ofModel.suspend("two", KEYS, "m", { kind: "rate_limited", scope: "model", wait: 5000 }, 0);
  assertEquals(ofModel.suspendedElsewhere(change, KEYS, 0), false, "the last one for 'm'");
  assertEquals(ofModel.suspendedElsewhere({ ...change, model: "n" }, KEYS, 0), true);
  assertEquals([ofModel.pick(KEYS, "n", 1), ofModel.pick(KEYS, "m", 1)], ["two", "one"]);
});

Deno.test("of two suspensions of a key the later end counts", () => {
  const keys = ["one", "two", "three"];
  const pool = new KeyPool();
  pool.suspend("one", keys, "m", { kind: "rate_limited", scope: "model", wait: 400_000 }, 0);
  pool.suspend("one", keys, "m", { kind: "quota", scope: "key", wait: undefined }, 0);
  assertEquals(pool.firstLimitEnd(["one"], "m", 0), 400_000);
  assertEquals(pool.pick(["one", "two"], "m", 300_000), "two");
  assertEquals(pool.pick(["one", "two"], "other", 300_000), "one");
});

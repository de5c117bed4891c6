import { assertEquals } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { allRest, KeyPool } from "../../src/routing/key_pool.ts";

const KEYS = ["one", "two"];

Deno.test("a key that was refused rests for five minutes, whatever the model", () => {
  for (const kind of ["upstream_auth", "quota"] as const) {
    const pool = new KeyPool();
    assertEquals(pool.rest("one", "m", kind, 1000, 0), true);
    assertEquals(pool.pick(KEYS, "m", 299_999), "two");
    assertEquals(pool.pick(KEYS, "other", 299_999), "two");
    assertEquals(pool.pick(KEYS, "m", 300_000), "one");
  }
});

Deno.test("a rate-limited key rests until its Retry-After, for that model", () => {
  const pool = new KeyPool();
  pool.rest("one", "m", "rate_limited", 7000, 0);
  assertEquals(pool.pick(KEYS, "m", 6999), "two");
  assertEquals(pool.pick(KEYS, "other", 0), "one");
  assertEquals(pool.pick(KEYS, "m", 7000), "one");
});

Deno.test("without a Retry-After it rests for 10 s, and never for more than an hour", () => {
  const pool = new KeyPool();
  pool.rest("one", "m", "rate_limited", undefined, 0);
  assertEquals([pool.pick(KEYS, "m", 9999), pool.pick(KEYS, "m", 10_000)], ["two", "one"]);
  pool.rest("one", "m", "rate_limited", 1e15, 10_000);
  assertEquals(pool.pick(KEYS, "m", 10_000 + 3_600_000), "one");
});

Deno.test("failures that are not about the key let none rest", () => {
  const pool = new KeyPool();
  for (const kind of ["upstream_error", "upstream_timeout", "invalid_request"] as const) {
    assertEquals(pool.rest("one", "m", kind, 9000, 0), false);
  }
  assertEquals([pool.pick(KEYS, "m", 0), pool.resting(KEYS, 0)], ["one", 0]);
});

Deno.test("when all rest, the soonest is known, and why", () => {
  const pool = new KeyPool();
  pool.rest("one", "m", "upstream_auth", undefined, 0);
  pool.rest("two", "m", "rate_limited", 5000, 0);
  assertEquals(pool.pick(KEYS, "m", 0), undefined);
  const soonest = pool.soonest(KEYS, "m", 0);
  assertEquals(soonest, { until: 5000, kind: "rate_limited" });
  const error = allRest("v", soonest, 1500);
  assertEquals([error.status, error.headers], [429, { "retry-after": "4" }]);
  assertEquals(pool.resting(KEYS, 0), 2);
  assertEquals(pool.resting(KEYS, 5000), 1);
});

Deno.test("the vendor's own words are kept where they say the same", () => {
  const headers = { "retry-after-ms": "90000" };
  const last = new GatewayError("rate_limited", "Words", { headers });
  const same = allRest("v", { until: 2500, kind: "rate_limited" }, 0, last);
  assertEquals([same.message, same.headers], [
    "Words",
    { "retry-after-ms": "2500", "retry-after": "3" },
  ]);
  const other = allRest("v", { until: 2500, kind: "quota" }, 0, last);
  assertEquals([other.status, other.headers["x-should-retry"]], [429, "false"]);
});

Deno.test("keys that are no longer configured are forgotten", () => {
  const pool = new KeyPool();
  pool.rest("one", "m", "rate_limited", 5000, 0);
  pool.rest("two", "m", "quota", 5000, 0);
  pool.keep(new Set(["two"]));
  assertEquals(pool.resting(KEYS, 0), 1);
  assertEquals(pool.pick(KEYS, "m", 0), "one");
});

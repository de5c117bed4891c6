/** IDs that sort like the time of their requests. */

import { assertEquals, assertMatch } from "@std/assert";
import { newId, sortableTime } from "../../src/core/ids.ts";

Deno.test("times are written with seven characters that sort like them", () => {
  const times = [0, 1, 63, 64, 4095, 4096, 1_795_657_460_000, 1_795_657_460_001, 2 ** 42 - 1];
  const texts = times.map(sortableTime);
  assertEquals(texts.toSorted(), texts);
  assertEquals(new Set(texts).size, times.length);
  for (const text of texts) assertMatch(text, /^[\w-]{7}$/);
});

Deno.test("fractions of a millisecond, and times before 1970, are rounded to a valid time", () => {
  assertEquals(sortableTime(1_795_657_460_000.9), sortableTime(1_795_657_460_000));
  assertEquals(sortableTime(-1), sortableTime(0));
});

Deno.test("IDs of the same millisecond differ in 24 random characters", () => {
  const ids = Array.from({ length: 1000 }, () => newId(`req_${sortableTime(5)}`));
  assertEquals(new Set(ids.map((id) => id.slice(-24))).size, 1000);
  assertMatch(ids[0] ?? "", /^req_[\w-]{31}$/);
});

import { assertEquals } from "@std/assert";
import { backoff, retryAfterOf } from "../../src/gateway/target_attempts.ts";

Deno.test("backoff() doubles from 250 ms up to 8 s, with full jitter", () => {
  const most = Array.from({ length: 8 }, (_, retry) => backoff(retry, () => 1));
  assertEquals(most, [250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  assertEquals([0, 3, 9].map((retry) => backoff(retry, () => 0)), [0, 0, 0]);
  assertEquals(backoff(1, () => 0.5), 250);
  assertEquals(backoff(2000, () => 1), 8000);
});

const NOW = Date.parse("2026-11-21T12:00:00Z");

/** The headers of a vendor, and the wait they ask for in milliseconds. */
const ROWS: readonly (readonly [Record<string, string>, number | undefined])[] = [
  [{}, undefined],
  [{ "retry-after": "7" }, 7000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "1.5" }, 1500],
  [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
  [{ "retry-after-ms": "", "retry-after": "7" }, 7000],
  [{ "retry-after-ms": "Infinity" }, undefined],
  [{ "retry-after-ms": "-1" }, undefined],
  [{ "retry-after": "Sat, 21 Nov 2026 12:00:09 GMT" }, 9000],
  [{ "retry-after": "Saturday, 21-Nov-26 12:00:09 GMT" }, 9000],
  [{ "retry-after": "2026-11-21T12:00:09Z" }, 9000],
  [{ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  // The engine would read a month out of this.
  [{ "retry-after": "in 5 minutes" }, undefined],
  [{ "retry-after": "5s" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after-ms": "999999999999" }, 999_999_999_999],
  [{ "retry-after-ms": "9999999999999" }, undefined],
  [{ "retry-after": "Sat, 21 Nov 2026 12:00:00 GMT" }, 0],
  [{ "retry-after": `${" ".repeat(71)}Sat, 21 Nov 2026 12:00:09 GMT` }, 9000],
  [{ "retry-after": `${" ".repeat(72)}Sat, 21 Nov 2026 12:00:09 GMT` }, undefined],
  [{ "retry-after": "Sat, 41 Nov 2026 12:00:09 GMT" }, undefined],
];

for (const [headers, wait] of ROWS) {
  Deno.test(`retryAfterOf() reads ${JSON.stringify(headers)} as ${wait} ms`, () => {
    assertEquals(retryAfterOf(headers, NOW), wait);
  });
}

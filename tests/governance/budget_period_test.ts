/** Calendar periods in UTC. */

import { assertEquals } from "@std/assert";
import {
  BUDGET_PERIODS,
  nextPeriod,
  periodNumber,
  periodStart,
} from "../../src/core/budget_period.ts";

const at = (text: string) => Date.parse(text);

for (
  const [period, time, next] of [
    ["hour", "2026-11-22T14:59:59.999Z", "2026-11-22T15:00:00Z"],
    ["day", "2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z"],
    // A Sunday, and the Monday of the same week.
    ["week", "2026-11-22T12:00:00Z", "2026-11-23T00:00:00Z"],
    ["week", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"],
    ["month", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"],
    ["month", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"],
  ] as const
) {
  Deno.test(`the ${period} of ${time} ends at ${next}`, () => {
    assertEquals(nextPeriod(period, at(time)), at(next));
    assertEquals(periodNumber(period, at(next)), periodNumber(period, at(time)) + 1);
    assertEquals(periodNumber(period, at(next) - 1), periodNumber(period, at(time)));
    assertEquals(periodStart(period, at(next)), at(next));
    const start = periodStart(period, at(time));
    assertEquals(start <= at(time) && nextPeriod(period, start) === at(next), true);
  });
}

Deno.test("a total never ends, and no period number shrinks with time", () => {
  assertEquals(nextPeriod("total", at("2026-11-22")), undefined);
  assertEquals(periodStart("total", at("2026-11-22")), 0);
  for (const period of BUDGET_PERIODS) {
    let before = -1;
    for (let day = 0; day < 800; day++) {
      const number = periodNumber(period, at("2026-01-01") + day * 86_400_000);
      assertEquals(number >= before, true);
      before = number;
    }
  }
});

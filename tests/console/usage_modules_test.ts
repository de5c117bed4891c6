/** The pure modules of the view of usage: periods, changes, durations and links. */

import { assertEquals } from "@std/assert";
import { linesOf, ticksOf, timeText } from "../../src/console/assets/views/usage/chart_shapes.js";
import {
  monthOf,
  periodOf,
  previousOf,
  readChoice,
  timesOf,
} from "../../src/console/assets/views/usage/choice.js";
import {
  changeText,
  tagNote,
  toLatencyChart,
} from "../../src/console/assets/views/usage/figures.js";
import { requestsAt, requestsOfGroup } from "../../src/console/assets/views/usage/links.js";

const HOUR_MS = 3_600_000;

Deno.test("periods begin with whole hours or days of the zone, and compare with the same length", () => {
  const choice = readChoice(new URLSearchParams("range=7d"));
  const now = Date.parse("2026-11-22T20:30:00Z");
  const iso = (time: number) => new Date(time).toISOString();
  const tokyo = periodOf(choice, now, 9 * HOUR_MS);
  // It is the 23rd in Tokyo.
  assertEquals([iso(tokyo.from), tokyo.unit], ["2026-11-16T15:00:00.000Z", "day"]);
  assertEquals(timesOf(tokyo).utc_offset, "+09:00");
  assertEquals(timesOf(periodOf(choice, now, -5 * HOUR_MS)).utc_offset, "-05:00");
  assertEquals("utc_offset" in timesOf(periodOf(choice, now, 0)), false);
  const custom = readChoice(new URLSearchParams("from=2026-11-01&to=2026-11-02"));
  assertEquals(iso(periodOf(custom, now, 9 * HOUR_MS).from), "2026-10-31T15:00:00.000Z");
  const before = previousOf(tokyo);
  assertEquals([before.to, before.to - before.from], [tokyo.from, tokyo.to - tokyo.from]);
  const month = monthOf(Date.parse("2026-11-30T20:00:00Z"), 9 * HOUR_MS);
  assertEquals(iso(month.from), "2026-11-30T15:00:00.000Z");
  assertEquals(Math.round(month.share * 31 * 24), 5);
});

Deno.test("changes are percentages of what was before, and nothing without it", () => {
  assertEquals(
    [[3, 2], [1, 2], [2, 2], [5, 0], [5, undefined], [null, 2]].map(([now, before]) =>
      changeText(now, before)
    ),
    ["+50 %", "−50 %", "±0 %", "", "", ""],
  );
});

Deno.test("durations are lines with gaps, in the hours of the zone", () => {
  const from = Date.parse("2026-11-22T00:00:00Z");
  const period = { from, to: from + 3 * HOUR_MS, unit: "hour", offset: 2 * HOUR_MS };
  const entry = (hour: string, ms: number) => ({
    ...{ hour: `2026-11-22T${hour}Z`, p50_ms: ms, p95_ms: 2 * ms, first_token_p50_ms: null },
  });
  const chart = toLatencyChart([entry("00:00", 10), entry("02:00", 30)], period, entry("", 20));
  assertEquals(chart.times.map((time: number) => timeText(time, "hour")), [
    ...["2026-11-22 02:00", "2026-11-22 03:00", "2026-11-22 04:00"],
  ]);
  assertEquals(chart.series.map(({ values }: { values: unknown }) => values), [
    ...[[20, null, 60], [10, null, 30], [null, null, null]],
  ]);
  assertEquals(chart.series.map(({ total }: { total: unknown }) => total), [40, 20, null]);
  const area = { left: 0, top: 0, width: 30, height: 60 };
  assertEquals(linesOf(chart.series, 60, area), ["M5 40h0M25 0h0", "M5 50h0M25 30h0", ""]);
  assertEquals(ticksOf(chart.series, { isWhole: false, isLines: true }).at(-1), 60);
});

Deno.test("requests of a figure have its filters and its time; what stands for several has none", () => {
  const choice = readChoice(new URLSearchParams("model=m&key=k"));
  const period = { from: 0, to: HOUR_MS, unit: "hour", offset: 2 * HOUR_MS };
  const times = "from=1970-01-01T00%3A00%3A00.000Z&to=1970-01-01T01%3A00%3A00.000Z";
  assertEquals(
    requestsOfGroup(choice, period, "tag", "t", "error"),
    `#/requests?key=k&model=m&status=error&tag=t&${times}`,
  );
  assertEquals(requestsAt(choice, period, 2 * 3600), `#/requests?key=k&model=m&${times}`);
  for (const value of [null, undefined, "(other)"]) {
    assertEquals(requestsOfGroup(choice, period, "tag", value), undefined);
  }
});

Deno.test("usage by tag says that it counts requests several times, and by how much", () => {
  const entry = (requests: number, cost_usd: number) => ({
    ...{ requests, errors: 0, input_tokens: 0, output_tokens: 0, cost_usd, unpriced_requests: 0 },
  });
  assertEquals(
    tagNote(entry(10, 49.54), [entry(8, 30), entry(6, 26.4)], false),
    "A request with several tags counts for each of them: the rows add up to 14 requests and " +
      "$56.40, all requests are 10 and $49.54.",
  );
  const rule =
    "A request with several tags counts for each of them, so the rows may add up to more " +
    "than the total.";
  assertEquals(tagNote(entry(10, 1), [entry(10, 1)], false), rule);
  assertEquals(tagNote(entry(10, 1), [entry(20, 2)], true), rule);
  assertEquals(tagNote(undefined, [], false), rule);
});

/** The pure modules of the view of usage: periods, changes, durations and links. */

import { assertEquals, assertMatch } from "@std/assert";
import {
  linesOf,
  monthShapes,
  ticksOf,
  timeText,
} from "../../src/console/assets/views/usage/chart_shapes.js";
import {
  comparedPeriods,
  nameOf,
  periodOf,
  readChoice,
  timesOf,
} from "../../src/console/assets/views/usage/choice.js";
import {
  changeText,
  prefixesOf,
  tagNote,
  toLatencyChart,
  withPrefix,
} from "../../src/console/assets/views/usage/figures.js";
import {
  budgetOfKeys,
  courseOf,
  forecastOf,
  headlineOf,
} from "../../src/console/assets/views/usage/forecast.js";
import { fileName, toText } from "../../src/console/assets/views/usage/csv_text.js";
import {
  priceEdits,
  priceFields,
  targetsOf,
} from "../../src/console/assets/views/usage/price_edits.js";
import { requestsAt, requestsOfGroup } from "../../src/console/assets/views/usage/links.js";

const HOUR_MS = 3_600_000;

const iso = (time: number) => new Date(time).toISOString();

Deno.test("days of a report are those of the zone, also where daylight saving time begins", () => {
  const now = Date.parse("2026-11-22T20:30:00Z");
  const choice = readChoice(new URLSearchParams("range=7d"));
  const kolkata = periodOf(choice, now, "Asia/Kolkata");
  // It is the 23rd there.
  assertEquals([iso(kolkata.from), kolkata.unit], ["2026-11-16T18:30:00.000Z", "day"]);
  assertEquals(kolkata.starts.length, 7);
  assertEquals(nameOf(kolkata.starts[6] ?? 0, kolkata), "2026-11-23");
  assertEquals(timesOf(kolkata, "Asia/Kolkata").time_zone, "Asia/Kolkata");
  assertEquals("time_zone" in timesOf(kolkata, "UTC"), false);
  const custom = readChoice(new URLSearchParams("from=2026-03-28&to=2026-03-30"));
  const berlin = periodOf(custom, now, "Europe/Berlin");
  assertEquals(berlin.starts.map(iso), [
    ...["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"],
  ]);
  assertEquals(iso(berlin.end), "2026-03-30T22:00:00.000Z");
});

Deno.test("full days are compared: of a month with the same days of the month before", () => {
  const now = Date.parse("2026-11-22T20:30:00Z");
  const compared = (query: string) => {
    const choice = readChoice(new URLSearchParams(query));
    const found = comparedPeriods(choice, periodOf(choice, now, "UTC"));
    return found &&
      [found.now, found.before].map(({ from, to }) =>
        `${iso(from).slice(0, 10)} ${iso(to).slice(0, 10)}`
      );
  };
  assertEquals(compared("range=month"), ["2026-11-01 2026-11-22", "2026-10-01 2026-10-22"]);
  assertEquals(compared("range=last-month"), ["2026-10-01 2026-11-01", "2026-09-01 2026-10-01"]);
  assertEquals(compared("range=7d"), ["2026-11-16 2026-11-22", "2026-11-10 2026-11-16"]);
  assertEquals(compared("range=1h"), undefined);
});

Deno.test("a forecast adds the mean of the last full days, and has none under three", () => {
  const now = Date.parse("2026-11-26T12:00:00Z");
  const costs = new Map(
    [10, 20, 30, 40, 50, 60, 70].map((cost, index) => [`2026-11-${19 + index}`, cost] as const),
  );
  const month = { spent: 1000, costs, now, zone: "UTC" };
  const forecast = forecastOf(month);
  // 4.5 days are left.
  assertEquals([forecast?.usd, forecast?.left, forecast?.mean], [1180, 4.5, 40]);
  assertEquals([forecast?.low, forecast?.high].map((usd) => Math.round(usd ?? 0)), [1072, 1288]);
  assertEquals(forecastOf({ ...month, since: Date.parse("2026-11-24") }), undefined);
  assertEquals(forecastOf({ ...month, since: Date.parse("2026-11-23") })?.mean, 60);
  const report = { ...{ now, zone: "UTC", rangeName: "This month", isMonth: true, unpriced: 0 } };
  assertEquals(
    headlineOf({ ...report, spent: 1000, requests: 5, forecast, budget: 1100 }).title,
    "November will end near $1,180, $80.00 over the budgets",
  );
  assertEquals(
    headlineOf({ ...report, spent: 5, requests: 5, forecast: undefined, budget: undefined }),
    { title: "November has cost $5.00 so far", text: "A forecast needs three full days." },
  );
  assertEquals(
    headlineOf({
      ...report,
      isMonth: false,
      rangeName: "Last month",
      spent: null,
      requests: 2,
      forecast: undefined,
      budget: undefined,
    }).title,
    "Last month: an unknown cost",
  );
});

Deno.test("the course of a month ends now, below its budget, and the band begins there", () => {
  const now = Date.parse("2026-11-03T12:00:00Z");
  const costs = new Map([["2026-11-01", 10], ["2026-10-31", 99]]);
  const course = courseOf({ spent: 15, costs, now, zone: "UTC" });
  assertEquals(course.points.map(({ time, usd }) => [iso(time).slice(5, 13), usd]), [
    ...[["11-01T00", 0], ["11-02T00", 10], ["11-03T00", 10], ["11-03T12", 15]],
  ]);
  assertEquals(iso(course.end), "2026-12-01T00:00:00.000Z");
  const forecast = { usd: 100, low: 80, high: 150 };
  const { ticks, ...shapes } = monthShapes({ course, forecast, budget: 100, width: 672 });
  assertEquals(ticks, [0, 50, 100, 150]);
  assertEquals(shapes.spent, "M64 214L84 200.7L104 200.7L114 194");
  assertEquals(shapes.band, "M114 194L664 14V107.3z");
  assertEquals([shapes.line, shapes.budget], ["M114 194L664 80.7", "M64 80.7H664"]);
  const bare = monthShapes({ course, forecast: undefined, budget: undefined, width: 672 });
  assertEquals([bare.band, bare.line, bare.budget], [undefined, undefined, undefined]);
});

Deno.test("budgets are compared only with what their keys spend", () => {
  const key = (name: string, budget: unknown, team = "a") => ({
    ...{ name, budget, team, owner: null, status: "active" },
  });
  const month = (usd: number) => ({ per: "month", usd });
  const keys = [key("one", month(10)), key("two", month(5), "b"), key("free", null)];
  const none = { team: "", owner: "", key: "" };
  const spent = (...names: string[]) => names.map((key) => ({ key, cost_usd: 1 }));
  assertEquals(budgetOfKeys(keys, spent("one"), none), 15);
  assertEquals(budgetOfKeys(keys, [...spent("one"), { key: "free", cost_usd: 0 }], none), 15);
  assertEquals(budgetOfKeys(keys, spent("one", "free"), none), undefined);
  assertEquals(budgetOfKeys(keys, spent("two"), { ...none, team: "b" }), 5);
  assertEquals(budgetOfKeys([key("day", { per: "day", usd: 1 })], spent("day"), none), undefined);
});

Deno.test("a price is set at the model's entry, in the units that it was used in", () => {
  const object = {
    path: ["providers", "p"],
    fields: [{
      path: ["models"],
      items: [{ name: "a", is_text: false }, { name: "b", is_text: true }],
    }],
  };
  const used = { input_tokens: 5, output_tokens: 1, images: 0 };
  const fields = priceFields(used);
  assertEquals(fields.map(({ name }) => name), ["input", "output", "cached_input"]);
  const edit = (model: string, texts: Record<string, string>, objects = [object]) =>
    priceEdits(objects, "p", model, fields, texts);
  const prices = { input: 1, output: 2.5 };
  const texts = { input: "1", output: "2.5" };
  const path = [...object.path, "models"];
  assertEquals(edit("a", texts).edits, [{ path: [...path, 0], value: { id: "a", prices } }]);
  assertEquals(edit("b", texts).edits, [{ path: [...path, 1, "prices"], value: prices }]);
  assertEquals(edit("c", texts).edits, [{ path: [...path, 2], value: { id: "c", prices } }]);
  assertEquals([edit("a", { input: "1" }), edit("a", { ...texts, output: "-1" })], [{}, {}]);
  assertMatch(edit("a", texts, []).fault ?? "", /no such provider/);
  assertMatch(edit("a", texts, [{ ...object, fields: [] }]).fault ?? "", /no list of models/);
  const images = priceFields({ ...used, input_tokens: 0, output_tokens: 0, images: 3 });
  assertEquals(images.map(({ name }) => name), ["image"]);
  const both = priceFields({ ...used, images: 3 });
  assertEquals(priceEdits([object], "p", "b", both, { image: "0.04" }).edits, [
    { path: [...path, 1, "prices"], value: { image: 0.04 } },
  ]);
  const routes = {
    data: [{ id: "ours", steps: [{ targets: [{ provider: "p", upstream: "up" }] }] }],
    targets: [{ provider: "p", id: "a", upstream: "up" }, {
      provider: "q",
      id: "x",
      upstream: "up",
    }],
  };
  assertEquals(targetsOf(routes, "ours", "p"), ["a"]);
  assertEquals(targetsOf(routes, "gone", "p"), ["gone"]);
});

Deno.test("the CSV has its period and groups in the name, the totals, and no formulas", () => {
  const entry = { requests: 2, errors: 0, cost_usd: 0.5 };
  const data = {
    ...{ by: "team", then: "model", total: { ...entry, requests: 3 } },
    period: { from: Date.parse("2026-11-01"), to: Date.parse("2026-11-26T12:00Z"), zone: "UTC" },
    groups: [],
    detailed: [{ ...entry, team: "=1+1", model: "m,1" }, {
      ...entry,
      requests: 1,
      team: null,
      model: "m",
    }],
  };
  assertEquals(fileName(data), "usage_2026-11-01_2026-11-26_team_model.csv");
  assertEquals(toText(data).split("\n"), [
    "team,model,requests,errors,input_tokens,cached_input_tokens,output_tokens,cost_usd," +
    "unused_cost_usd,unpriced_requests",
    `'=1+1,"m,1",2,0,0,0,0,0.5,0,0`,
    "no team,m,1,0,0,0,0,0.5,0,0",
    "Total,,3,0,0,0,0,0.5,0,0",
    "",
  ]);
});

Deno.test("tags are grouped by their prefix", () => {
  const tags = ["team:search", "env:prod", "team:mobile", "bare", null];
  const entries = tags.map((tag, index) => ({ tag, requests: 5 - index }));
  assertEquals(prefixesOf(entries), ["team", "env"]);
  assertEquals(withPrefix(entries, "team").map(({ tag }: { tag: string }) => tag), [
    "search",
    "mobile",
  ]);
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
  const starts = [0, 1, 2].map((hour) => from + hour * HOUR_MS);
  const period = { from, to: from + 3 * HOUR_MS, unit: "hour", zone: "Africa/Cairo", starts };
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

Deno.test("the link of a figure has its filters and its time; a figure of several groups has none", () => {
  const choice = readChoice(new URLSearchParams("model=m&key=k"));
  const period = { from: 0, to: HOUR_MS, end: HOUR_MS, starts: [0] };
  const times = "from=1970-01-01T00%3A00%3A00.000Z&to=1970-01-01T01%3A00%3A00.000Z";
  assertEquals(
    requestsOfGroup(choice, period, "tag", "t", "error"),
    `#/requests?key=k&model=m&status=error&tag=t&${times}`,
  );
  assertEquals(requestsAt(choice, period, 0), `#/requests?key=k&model=m&${times}`);
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

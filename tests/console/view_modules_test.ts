/**
 * The modules of the views that need no browser: figures, periods, shapes and settings. Those that
 * import Preact are not imported here, because its types replace some of the runtime's.
 */

import { assert, assertEquals } from "@std/assert";
import { usd, usdLike } from "../../src/console/assets/lib/format.js";
import { barsOf, ticksOf, timeTicks } from "../../src/console/assets/views/usage/chart_shapes.js";
import { periodOf, readChoice, toAddress } from "../../src/console/assets/views/usage/choice.js";
import { costText, toChart } from "../../src/console/assets/views/usage/figures.js";
import { joinCsv } from "../../src/console/assets/views/shared/csv.js";
import { readPages } from "../../src/console/assets/views/usage/pages.js";
import { LIMIT_KINDS } from "../../src/core/limit_kinds.ts";
import {
  LIMITS,
  toChanges,
  toFields,
  toNewKey,
} from "../../src/console/assets/views/keys/settings.js";
import { addressOf, readFilters } from "../../src/console/assets/views/requests/addresses.js";

const NOON = Date.parse("2026-11-22T12:34:56Z");
const WHOLE = { isWhole: true };

/** An entry of the report of usage. */
function entry(members: Record<string, unknown>) {
  const none = { errors: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, unpriced_requests: 0 };
  return { requests: 1, ...none, ...members };
}

interface Series {
  readonly name: string;
  readonly total: number | null;
  readonly isPartial: boolean;
  readonly values: readonly (number | null)[];
}

/** The series of a chart, as [name, total, whether it is partial, values that are not 0]. */
function seriesOf({ series }: { readonly series: readonly Series[] }) {
  return series.map(({ name, total, isPartial, values }) => [
    ...[name, total, isPartial],
    values.filter((value) => value !== 0),
  ]);
}

Deno.test("periodOf() begins with a whole hour or day, and includes now", () => {
  const day = periodOf({ range: "24h", from: "", to: "" }, NOON, "UTC");
  assertEquals(new Date(day.from).toISOString(), "2026-11-21T13:00:00.000Z");
  assertEquals([day.to, day.unit], [NOON + 1, "hour"]);
  const week = periodOf({ range: "7d", from: "", to: "" }, NOON, "UTC");
  assertEquals([new Date(week.from).toISOString(), week.unit], ["2026-11-16T00:00:00.000Z", "day"]);
  const custom = periodOf({ range: "custom", from: "2026-11-01", to: "2026-11-02" }, NOON, "UTC");
  assertEquals(custom.to - custom.from, 48 * 3_600_000);
  assertEquals(custom.unit, "hour");
});

Deno.test("readChoice() takes what is unknown as the default, and toAddress() is its inverse", () => {
  const read = (address: string) => readChoice(new URLSearchParams(address.split("?")[1] ?? ""));
  const usual = read("");
  assertEquals(toAddress(usual), "#/usage?range=month");
  for (
    const wrong of ["?range=1y&by=color&show=x", "?from=2026-11-02&to=2026-11-01", "?from=x&to=y"]
  ) {
    assertEquals(read(wrong), usual, wrong);
  }
  const addresses = [
    "#/usage?range=24h&by=tag&prefix=team&show=tokens",
    "#/usage?from=2026-11-01&to=2026-11-30&by=team&then=model&tab=bill",
    "#/usage?range=month&show=latency&key=a&team=s&owner=o&model=%26&provider=p&tag=t&end_user=u",
  ];
  for (const address of addresses) assertEquals(toAddress(read(address)), address);
});

function daysFrom(from: string, to: string) {
  return periodOf(
    { range: "custom", from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` },
    NOON,
    "UTC",
  );
}

Deno.test("toChart() has one value for each time, and the largest groups first", () => {
  const period = daysFrom("2026-11-20", "2026-11-23");
  const data = [
    ...["a", "b", "c", "d", "e", "f", "g"].map((model, index) =>
      entry({ day: "2026-11-21", model, requests: 10 - index })
    ),
    entry({ day: "2026-11-22", model: null, requests: 100 }),
    entry({ day: "2026-12-24", model: "a", requests: 1000 }),
  ];
  const chart = toChart(data, period, { by: "model", show: "requests" });
  assertEquals(chart.times.length, 3);
  assertEquals(seriesOf(chart), [
    ["no model", 100, false, [100]],
    ["a", 10, false, [10]],
    ["b", 9, false, [9]],
    ["c", 8, false, [8]],
    ["d", 7, false, [7]],
    ["3 others", 15, false, [15]],
  ]);
});

Deno.test("toChart() shows all groups together if there are too many", () => {
  const period = daysFrom("2026-11-21", "2026-11-24");
  const data = [
    entry({ day: "2026-11-21", requests: 3 }),
    entry({ day: "2026-11-22", requests: 4 }),
  ];
  const chart = toChart(data, period, { by: null, show: "requests" });
  assertEquals(seriesOf(chart), [["all", 7, false, [3, 4]]]);
});

Deno.test("an unknown cost is never 0", () => {
  const period = daysFrom("2026-11-21", "2026-11-24");
  const data = [
    entry({ day: "2026-11-21", key: "a", cost_usd: 2 }),
    entry({ day: "2026-11-22", key: "a", unpriced_requests: 1 }),
    entry({ day: "2026-11-22", key: "b", unpriced_requests: 3 }),
    entry({ day: "2026-11-22", key: "c" }),
  ];
  const chart = toChart(data, period, { by: "key", show: "cost" });
  assertEquals(seriesOf(chart), [
    ["a", 2, true, [2, null]],
    ["c", 0, false, []],
    ["b", null, true, [null]],
  ]);
  assertEquals(chart.unpriced, 4);
  assertEquals(data.map(costText), ["$2.00", "unknown", "unknown", "$0"]);
  assertEquals(costText(entry({ cost_usd: 2, unpriced_requests: 1 })), "≥ $2.00");
});

Deno.test("ticksOf() ends at or above the highest bar, with round numbers", () => {
  const cases: readonly (readonly [number, boolean, readonly number[]])[] = [
    [0, true, [0, 1]],
    [1, true, [0, 1]],
    [3, true, [0, 1, 2, 3]],
    [17, true, [0, 5, 10, 15, 20]],
    [100, true, [0, 20, 40, 60, 80, 100]],
    [0.3, false, [0, 0.1, 0.2, 0.3]],
    [0.00021, false, [0, 0.00005, 0.0001, 0.00015, 0.0002, 0.00025]],
  ];
  for (const [highest, isWhole, expected] of cases) {
    const series = [{ values: [highest, null] }];
    assertEquals(ticksOf(series, { isWhole }), expected, String(highest));
  }
  for (let highest = 1; highest < 3e9; highest = Math.ceil(highest * 1.37)) {
    const ticks = ticksOf([{ values: [highest] }], WHOLE);
    assert((ticks.at(-1) ?? 0) >= highest && ticks.length <= 6, `${highest}: ${ticks}`);
  }
});

Deno.test("barsOf() puts the bars of a time on top of each other", () => {
  const area = { left: 0, top: 0, width: 20, height: 100 };
  const series = [{ values: [5, 0] }, { values: [5, null] }, { values: [0, 10] }];
  assertEquals(barsOf(series, 10, area), [
    "M1.3 50h7.5V100h-7.5z",
    "M1.3 0h7.5V50h-7.5z",
    "M11.3 0h7.5V100h-7.5z",
  ]);
});

Deno.test("timeTicks() returns as many ticks as there is room for", () => {
  const start = Date.parse("2026-11-22T11:00:00Z") / 1000;
  const hours = Array.from({ length: 24 }, (_, hour) => start + hour * 3600);
  const texts = (width: number) =>
    timeTicks(hours, "hour", width).map(({ text }: { text: string }) => text);
  assertEquals(texts(400), ["12:00", "18:00", "00:00", "06:00"]);
  assert(texts(2000).length === 24);
  assertEquals(timeTicks([NOON / 1000], "day", 100), [{ index: 0, text: "22 Nov" }]);
});

Deno.test("the settings of a key become a body, and only what changed is sent", () => {
  const fields = {
    ...toFields(),
    name: " web ",
    models: "gpt-*\n, b ,",
    usd: "5",
    concurrent: "2",
  };
  assertEquals(toNewKey(fields), {
    name: "web",
    models: ["gpt-*", "b"],
    limits: { concurrent: 2 },
    budget: { usd: 5, per: "month" },
  });
  assertEquals(toNewKey({ ...toFields(), name: "a" }), { name: "a" });
  const key = {
    name: "web",
    models: ["a"],
    limits: { requests_per_minute: 5, tokens_per_minute: null, concurrent: null },
    budget: null,
    expires: Date.parse("2027-01-01") / 1000,
  };
  const shown = toFields(key);
  assertEquals(shown.expires, "2027-01-01");
  assertEquals(toChanges(shown, key), {});
  const allowing = { ...key, budget: { usd: 5, per: "day", unknown_prices: "allow" } };
  assertEquals(toChanges({ ...toFields(allowing), usd: "6" }, allowing), {
    budget: { usd: 6, per: "day", unknown_prices: "allow" },
  });
  assertEquals(toChanges({ ...shown, models: "", requests_per_minute: "x", expires: "" }, key), {
    models: null,
    limits: { requests_per_minute: "x" },
    expires: null,
  });
});

Deno.test("the filters of requests are in the address", () => {
  const values = { ...readFilters(new URLSearchParams()), model: "a/b&c", status: "429" };
  assertEquals(addressOf(values), "#/requests?model=a%2Fb%26c&status=429&range=24h");
  const address = addressOf(values, "req/1", "2026-11-22T12:00:00.000Z");
  assertEquals(
    address,
    "#/requests/req%2F1?model=a%2Fb%26c&status=429&range=24h&time=2026-11-22T12%3A00%3A00.000Z",
  );
  assertEquals(readFilters(new URLSearchParams(address.split("?")[1])), values);
});

Deno.test("readPages() follows the pages of a report, and says when there are too many", async () => {
  const asked: Record<string, string>[] = [];
  const pages = (count: number) => (page: Record<string, string>) => {
    asked.push(page);
    const part = Number(page.after ?? 0);
    return Promise.resolve({ part, next: part + 1 < count ? String(part + 1) : null });
  };
  assertEquals(await readPages(pages(3)), { parts: [0, 1, 2], hasMore: false });
  assertEquals(asked.map(({ after }) => after), [undefined, "1", "2"]);
  assertEquals(new Set(asked.map(({ limit }) => limit)), new Set(["5000"]));
  const { parts, hasMore } = await readPages(pages(1000));
  assertEquals([parts.length, hasMore], [20, true]);
});

Deno.test("joinCsv() keeps the names of the columns once", () => {
  const pages = ["model,requests\na,1\n", 'model,requests\n"b,c",2\n', "model,requests\n"];
  assertEquals(joinCsv(pages), 'model,requests\na,1\n"b,c",2\n');
});

Deno.test("the form of a key has each kind of limit", () => {
  const names = [...LIMIT_KINDS.map(({ name }) => name), "concurrent"];
  assertEquals(LIMITS.map(([name]: readonly string[]) => name).sort(), names.sort());
});

Deno.test("amounts of a column have the digits of the largest one", () => {
  assertEquals([3.349, 0.5262, 0.004].map((value) => usdLike(value, 3.349)), [
    ...["$3.35", "$0.53", "< $0.01"],
  ]);
  assertEquals([0.0123, 0.00004].map((value) => usdLike(value, 0.0123)), ["$0.0123", "< $0.0001"]);
  assertEquals([1234.5, 0.5, 0.000_000_1, -2].map(usd), [
    ...["$1,234.50", "$0.5000", "< $0.000001", "−$2.00"],
  ]);
});

/** The pure modules of the view of requests: addresses, written filters, and the histogram. */

import { assertEquals } from "@std/assert";
import {
  addressOf,
  NO_FILTERS,
  readFilters,
  toParameters,
  withTimes,
} from "../../src/console/assets/views/requests/addresses.js";
import {
  addWords,
  toDuration,
  wordsOf,
} from "../../src/console/assets/views/requests/filter_words.js";
import {
  axisOf,
  heightsOf,
  intervalsOf,
  moved,
  placed,
  widened,
} from "../../src/console/assets/views/requests/histogram_shapes.js";
import * as sessionFilters from "../../src/console/assets/views/sessions/filters.js";
import { withNewer, withSorted } from "../../src/console/assets/views/requests/list_pages.js";

const NOW = Date.parse("2026-11-26T12:00:00Z");
const HOUR_MS = 3_600_000;

const filtersOf = (hash: string) => readFilters(new URLSearchParams(hash.split("?")[1]));

Deno.test("a time of requests is in the address, and an invalid one is the default", () => {
  const custom = withTimes(NO_FILTERS, NOW - HOUR_MS, NOW);
  const address = addressOf(custom);
  assertEquals(filtersOf(address), custom);
  assertEquals(toParameters(custom, 0, "UTC").toString(), address.split("?")[1]);
  assertEquals(
    addressOf({ ...NO_FILTERS, range: "7d", model: "m" }),
    "#/requests?model=m&range=7d",
  );
  assertEquals(
    Object.fromEntries(toParameters({ ...NO_FILTERS, range: "1h" }, NOW, "UTC")),
    { from: "2026-11-26T11:00:00.000Z" },
  );
  for (
    const query of [
      "range=2y",
      "range=constructor",
      "from=2026-11-26&to=2026-11-25",
      "from=2026-11-26&to=never",
      "to=2026-11-26",
    ]
  ) {
    assertEquals(filtersOf(`?${query}`), { ...NO_FILTERS, range: "24h" });
  }
});

Deno.test("a selection of the histogram stays at its time while the range moves on", () => {
  const intervals = (first: number, step = 60) =>
    Array.from({ length: 5 }, (_, index) => ({
      start: first + index * step,
      end: first + (index + 1) * step,
    }));
  const made = { anchor: 3, focus: 1, first: 600, step: 60 };
  assertEquals(placed(made, intervals(600)), { anchor: 3, focus: 1 });
  assertEquals(placed(made, intervals(660)), { anchor: 2, focus: 0 });
  // What is left of it remains, and a range with other bars has no place for it.
  assertEquals(placed(made, intervals(780)), { anchor: 0, focus: 0 });
  assertEquals(placed(made, intervals(840)), null);
  assertEquals(placed(made, intervals(600, 15)), null);
  assertEquals(placed(null, intervals(600)), null);
});

Deno.test("an order of requests is in the address, and an unknown one is that by time", () => {
  const sorted = { ...NO_FILTERS, range: "24h", sort: "ms", order: "asc" };
  assertEquals(addressOf(sorted), "#/requests?range=24h&sort=ms&order=asc");
  assertEquals(filtersOf(addressOf(sorted)), sorted);
  for (const query of ["sort=usd", "sort=constructor", "order=asc", "sort=time&order=desc"]) {
    assertEquals(filtersOf(`?${query}`), { ...NO_FILTERS, range: "24h" }, query);
  }
  // Counts and files are by time.
  assertEquals(toParameters(sorted, NOW, "UTC").has("sort"), false);
});

Deno.test("the pages of a sorted list are merged, the newest of equal ones first", () => {
  const row = (id: string, ms: number) => ({ id, ms, time: "2026-11-26T12:00:00Z" });
  const first = { data: [row("a", 5), row("b", 3)], next: "1-1" };
  const second = { data: [row("c", 9), row("d", 3)], next: null };
  const idsOf = (list: { rows: { id: string }[] }) => list.rows.map(({ id }) => id);
  const order = { sort: "ms", order: "" };
  const one = withSorted({ rows: undefined }, first, order, 3);
  assertEquals([idsOf(one), one.isSorting, one.next], [["a", "b"], true, null]);
  const two = withSorted(one, second, order, 3);
  assertEquals([idsOf(two), two.isSorting], [["c", "a", "b"], false]);
  const rising = withSorted(one, second, { sort: "ms", order: "asc" }, 3);
  const names = ["b", "A"].map((model, index) => ({
    ...{ id: String(index), model, path: index === 1 ? ["retry", "queued"] : ["cache"] },
  }));
  const sortedBy = (sort: string) =>
    withSorted({ rows: undefined }, { data: names, next: null }, {
      ...{ sort, order: "asc" },
    }, 3).rows.map(({ id }: { id: string }) => id);
  assertEquals([sortedBy("model"), sortedBy("path")], [["1", "0"], ["0", "1"]]);
  assertEquals(idsOf(rising), ["b", "d", "a"]);
});

Deno.test("sessions have their last hour, and filters in words", () => {
  const filters = sessionFilters.readFilters(new URLSearchParams("key=web&cost=1"));
  assertEquals(sessionFilters.parametersOf(filters), { key: "web" });
  assertEquals(
    sessionFilters.wordsOf(filters).map(({ name, sign, value }) => name + sign + value),
    ["key:web", "cost>1"],
  );
  const added = sessionFilters.addWords('model:"a b" moves>2 abc', filters).filters ?? {};
  assertEquals([added.model, added.moves, added.id], ["a b", "2", "abc"]);
  assertEquals(sessionFilters.addWords("cost>x", filters).fault, "'cost>' needs a number");
  assertEquals(
    sessionFilters.addressOfSessions(added, "s/1"),
    "#/sessions/s%2F1?id=abc&key=web&model=a+b&cost=1&moves=2&range=24h",
  );
  const entry = (session: string | null, hour: string, cost_usd: number) => ({
    ...{ session, hour: `2026-11-22T${hour}:00Z`, cost_usd, requests: 1 },
  });
  const entries = [
    ...[entry("one", "09", 0.75), entry("one", "08", 0.5), entry("two", "07", 1)],
    entry(null, "07", 5),
  ];
  assertEquals(sessionFilters.toSessions(entries, filters), [
    { session: "one", last: "2026-11-22T09:00Z", cost_usd: 1.25, requests: 2 },
  ]);
  const none = sessionFilters.withoutFilters(filters);
  assertEquals(sessionFilters.toSessions(entries, { ...none, id: "TW" }).length, 1);
});

Deno.test("a written duration becomes milliseconds", () => {
  const written = ["2", "1.5 s", "250ms", "2 min", "1H", " 3 S "];
  assertEquals(
    written.map((text) => toDuration(text)),
    ["2", "1500", "250", "120000", "3600000", "3000"],
  );
  assertEquals(toDuration("2", "s"), "2000");
  for (const text of ["", "fast", "-1", "1,5 s", "1 day", "1e3", "s"]) {
    assertEquals(toDuration(text), undefined, text);
  }
});

Deno.test("words become filters, and filters words", () => {
  const add = (text: string) => addWords(text, NO_FILTERS, () => ["gpt-5", "two words"]);
  const set = (text: string) => {
    const added = add(text);
    const filters = "filters" in added ? added.filters : {};
    return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  };
  assertEquals(set("status:error cost>0.3 tag:team: ms>5000"), {
    ...{ status: "error", min_cost_usd: "0.3", tag: "team:*", min_ms: "5000" },
  });
  assertEquals(set("failed"), { status: "error" });
  // A part of a value, unless it is a whole one or a pattern.
  assertEquals(set("model:gpt"), { model: "*gpt*" });
  assertEquals(set("model:gpt-5 key:a*b"), { model: "gpt-5", key: "a*b" });
  assertEquals(set('user:"two words" duration>=1.5s'), { end_user: "two words", min_ms: "1500" });
  assertEquals(set("cost>$2 path:Cache req_1"), { min_cost_usd: "2", path: "cache", id: "req_1" });
  assertEquals(set("https://x:1"), { id: "https://x:1" });
  assertEquals(set("  "), {});
  for (
    const wrong of ["cost>x", "ms>soon", "size>3", "status:good", "path:toString", "model:", "tag:"]
  ) {
    assertEquals("filters" in add(wrong), false, wrong);
  }
  const words = wordsOf({ ...NO_FILTERS, min_ms: "5", end_user: "a", path: "hedge" });
  assertEquals(words.map(({ name, sign, value }) => `${name}${sign}${value}`), [
    ...["user:a", "ms>5", "path:hedge"],
  ]);
});

Deno.test("the axis ends with a round number that no bar exceeds", () => {
  assertEquals([0, 1, 2, 3, 9, 61, 100, 2345].map((highest) => axisOf(highest)[0]), [
    ...[1, 1, 2, 4, 10, 80, 100, 4000],
  ]);
});

Deno.test("all intervals are shown, and one in two pages is added up", () => {
  const head = { from: "2026-11-26T10:00:00.000Z", to: "2026-11-26T12:00:00.000Z" };
  const count = (start: string, requests: number, errors: number) => ({
    start: `2026-11-26T${start}:00.000Z`,
    ...{ requests, errors },
  });
  const pages = [
    { ...head, step_seconds: 1800, data: [count("11:00", 5, 1), count("11:30", 1, 0)] },
    { ...head, step_seconds: 1800, data: [count("11:00", 2, 2), count("13:00", 9, 9)] },
  ];
  assertEquals(
    intervalsOf(pages).map(({ requests, errors }) => [requests, errors]),
    [[0, 0], [0, 0], [7, 3], [1, 0]],
  );
});

Deno.test("keys move, extend and end the selection at the first and the last interval", () => {
  const press = (selection: { anchor: number; focus: number } | null, key: string, shift = false) =>
    moved(selection, { key, shiftKey: shift }, 10);
  assertEquals(press(null, "ArrowRight"), { anchor: 0, focus: 0 });
  assertEquals(press(null, "ArrowLeft", true), { anchor: 9, focus: 9 });
  assertEquals(press({ anchor: 3, focus: 3 }, "ArrowRight", true), { anchor: 3, focus: 4 });
  assertEquals(press({ anchor: 3, focus: 4 }, "ArrowRight"), { anchor: 5, focus: 5 });
  assertEquals(press({ anchor: 3, focus: 4 }, "Home", true), { anchor: 3, focus: 0 });
  assertEquals(press({ anchor: 3, focus: 4 }, "PageDown"), { anchor: 9, focus: 9 });
  assertEquals(press({ anchor: 3, focus: 4 }, "a"), undefined);
  assertEquals(press({ anchor: 3, focus: 4 }, "toString"), undefined);
});

Deno.test("zooming out keeps the middle, and ends now at the latest", () => {
  const period = { from: NOW - 10 * HOUR_MS, to: NOW - 9 * HOUR_MS };
  assertEquals(widened(period, NOW), { from: NOW - 11 * HOUR_MS, to: NOW - 8 * HOUR_MS });
  assertEquals(
    widened({ from: NOW - HOUR_MS, to: NOW }, NOW),
    { from: NOW - 3 * HOUR_MS, to: NOW },
  );
});

Deno.test("one failure among thousands is visible, and no bar is higher than the highest", () => {
  assertEquals(heightsOf({ requests: 0, errors: 0 }, 10_000, 64), { others: 0, errors: 0 });
  assertEquals(heightsOf({ requests: 10_000, errors: 1 }, 10_000, 64), { others: 62, errors: 2 });
  assertEquals(heightsOf({ requests: 1, errors: 1 }, 10_000, 64), { others: 0, errors: 2 });
  assertEquals(heightsOf({ requests: 5, errors: 5 }, 5, 64), { others: 0, errors: 64 });
});

Deno.test("newer requests are put in front once; a gap replaces the list", () => {
  const row = (second: number, id = `r${second}`) => ({
    id,
    time: `2026-11-26T12:00:${String(second).padStart(2, "0")}.000Z`,
  });
  const list = { rows: [row(5), row(3)], next: "old", moreError: undefined };
  const ids = (found: { rows: { id: string }[] }) => found.rows.map(({ id }) => id).join();
  const merged = withNewer(list, { data: [row(9), row(5), row(4), row(3)], has_more: true });
  assertEquals([ids(merged), merged.next], ["r9,r5,r4,r3", "old"]);
  assertEquals(withNewer(list, { data: [row(5)], has_more: true }), list);
  // The same ID at another time is another request.
  assertEquals(ids(withNewer(list, { data: [row(9, "r5"), row(5)], has_more: true })), "r5,r5,r3");
  const apart = withNewer(list, { data: [row(9), row(8)], has_more: true, next: "new" });
  assertEquals([ids(apart), apart.next], ["r9,r8", "new"]);
});

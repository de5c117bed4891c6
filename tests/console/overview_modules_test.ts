/** The pure modules of the overview: its first sentences and the shapes of its strip. */

import { assertEquals, assertMatch } from "@std/assert";
import {
  headlineOf,
  sinceText,
  troubled,
} from "../../src/console/assets/views/overview/headline.js";
import {
  axisTimes,
  positionOf,
  stripPaths,
  stripWindow,
  sumCells,
  sumsWithin,
  topShare,
} from "../../src/console/assets/views/overview/strip_shapes.js";
import { viewsFor } from "../../src/console/assets/lib/view_access.js";
import { setZone } from "../../src/console/assets/lib/zone.js";

const CELL_MS = 300_000;
const END = 1_800_000_000_000;
const LAST = END - END % CELL_MS;

function target(state: string, members: Record<string, unknown> = {}) {
  return {
    ...{ provider: "azure", upstream: "gpt", state, since: "2026-11-29T11:52:00Z" },
    ...{ recent: { attempts: 58, failures: 41 }, last: { attempts: 8, failures: 7 } },
    ...{ day: { attempts: 900, failures: 60 }, last_attempt: "2026-11-29T12:10:00Z" },
    ...{ incident: null, last_failure: { status: 502 } },
    ...members,
  };
}

function health(...targets: readonly unknown[]) {
  const since = "2026-11-28T12:12:00Z";
  return { at: "2026-11-29T12:12:00Z", since, reading: false, targets };
}

Deno.test("the headline is the worst target, since when and why", () => {
  const incident = { attempts: 1300, failures: 1204, rescued: 1117, since: "2026-11-29T11:52:00Z" };
  const worse = target("failing", { incident });
  const { text, title } = headlineOf(
    health(target("ok"), target("silent", { provider: "dc" }), worse, target("slow")),
  );
  assertMatch(title, /^azure gpt has been failing since \d\d:\d\d$/);
  assertEquals(
    text,
    "41 of 58 failed in 10 min; 502. 1,204 of 1,300 failed since then, 1,117 rescued by " +
      "another attempt. 2 more targets need a look.",
  );
});

Deno.test("on a good day the headline says how many are OK, and since when it is known", () => {
  const { text, title } = headlineOf(health(target("ok"), target("unused"), target("ok")));
  assertEquals(title, "All 2 used targets are OK");
  assertMatch(text, /^Known since \d+ Nov, \d\d:\d\d\.$/);
  assertEquals(headlineOf(health()).title, "No target was used in 24 hours");
  assertMatch(headlineOf({ ...health(target("ok")), reading: true }).text, /still being read/);
});

Deno.test("of one state, the target with the most failures is first", () => {
  const few = target("failing", { provider: "few", recent: { attempts: 9, failures: 5 } });
  const rows = troubled([target("unused"), few, target("degraded"), target("failing")]);
  assertEquals(
    rows.map(({ provider, state }: { provider: string; state: string }) => `${provider} ${state}`),
    ["azure failing", "few failing", "azure degraded"],
  );
});

Deno.test("a cell is as high as its share of failures, and small shares are seen", () => {
  const sums = sumCells([
    [[LAST, 10, 5], [LAST - CELL_MS, 4, 0]],
    [[LAST, 10, 5], [LAST - 3 * CELL_MS, 1000, 1]],
  ]);
  const day = stripWindow({ from: END - 288 * CELL_MS, to: END + 1 }, END, CELL_MS);
  const { failed, quiet } = stripPaths(sums, day);
  assertEquals(failed, "M284 88h.8v12h-.8zM287 50h.8v50h-.8z");
  // Of the last cells, only that without attempts is marked.
  assertEquals(quiet.endsWith("M283 95h1v5h-1zM285 95h1v5h-1z"), true);
  assertEquals(stripPaths(sums, day, 0.5).failed.includes("M287 0h.8v100h-.8z"), true);
  assertEquals([topShare(sums), topShare(new Map([[1, [100, 3]]]))], [0.5, 0.04]);
});

Deno.test("changes stand at their time, and those before the strip are left out", () => {
  const day = stripWindow({ from: 0, to: END + 1 }, END, CELL_MS);
  assertEquals(positionOf(LAST + CELL_MS, day), 100);
  assertEquals(positionOf(LAST + CELL_MS - 144 * CELL_MS, day), 50);
  assertEquals(positionOf(LAST - 288 * CELL_MS, day), undefined);
});

Deno.test("a strip shows the cells of the range, and the last day for older ranges", () => {
  const windowOf = (from: number, to: number) => {
    const { count, first, isDay, isNow } = stripWindow({ from, to }, END, CELL_MS);
    return [count, LAST / CELL_MS - first, isDay, isNow];
  };
  assertEquals(windowOf(END - 3_600_000, END + 1), [13, 12, false, true]);
  assertEquals(windowOf(LAST - 6 * CELL_MS, LAST - 3 * CELL_MS), [3, 6, false, false]);
  assertEquals(windowOf(END - 30 * 288 * CELL_MS, END + 1), [288, 287, true, true]);
  // Last month: the gateway does not keep these cells.
  assertEquals(windowOf(0, END - 400 * CELL_MS), [288, 287, true, true]);
  const hour = stripWindow({ from: END - 3_600_000, to: END + 1 }, END, CELL_MS);
  const sums = new Map<number, [number, number]>([[LAST, [2, 1]], [LAST - 13 * CELL_MS, [9, 9]]]);
  assertEquals([...sumsWithin(sums, hour).keys()], [LAST]);
  assertEquals(stripPaths(sums, hour).failed, "M12 50h.8v50h-.8z");
  assertEquals(axisTimes(hour).every((time) => time % 900_000 === 0), true);
  assertEquals(
    [hour, stripWindow({ from: 0, to: END }, END, CELL_MS)].map((window) =>
      axisTimes(window).length
    ),
    [5, 4],
  );
});

Deno.test("views that a person's keys cannot use are absent, but for the current one", () => {
  const views = [
    { id: "overview", needs: "admin" as const },
    { id: "requests" },
    { id: "playground", needs: "service" as const },
  ];
  const ids = (hasAdmin: boolean, hasService: boolean, current = "requests") =>
    viewsFor(views, { hasAdmin, hasService }, current).map(({ id }) => id).join(" ");
  assertEquals(ids(false, true), "requests playground");
  assertEquals(ids(true, false), "overview requests");
  assertEquals(ids(false, true, "overview"), "overview requests playground");
});

Deno.test("times of the overview are those of the tab's zone", () => {
  const now = Date.parse("2026-11-29T06:00:00Z");
  try {
    setZone("Asia/Kolkata");
    assertEquals(sinceText("2026-11-29T05:30:00Z", now), "11:00");
    assertEquals(sinceText("2026-11-27T20:00:00Z", now), "28 Nov, 01:30");
  } finally {
    setZone("UTC");
  }
  assertEquals(sinceText("2026-11-29T05:30:00Z", now), "05:30");
});

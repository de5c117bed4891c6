/** Usage by the days of a zone, and by team and owner: what holds for every store of the ledger. */

import { assertEquals } from "@std/assert";
import { zoneOffsets } from "../../src/core/time_zones.ts";
import type { UsageQuery, UsageStore } from "../../src/governance/ledger/usage_store.ts";
import type { StoreTest } from "../support/store_kinds.ts";
import { usageRow, writeRows } from "../support/usage_rows.ts";

/** The tests. */
export const USAGE_ZONES: StoreTest[] = [];

function add(what: string, run: StoreTest["run"]): void {
  USAGE_ZONES.push({ what, run });
}

/** The groups with their requests, sorted. */
async function groupsOf(store: UsageStore, query: UsageQuery): Promise<string[]> {
  return (await store.summarize(query))
    .map(({ group, requests }) => [...group, requests].join(" ")).sort();
}

async function writeAt(store: UsageStore, times: readonly string[]): Promise<void> {
  await writeRows(store, times.map((time) => usageRow({ time: Date.parse(time) })));
}

function inZone(name: string, from: string, to: string): UsageQuery {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return { from: start, to: end, groupBy: ["day"], zone: zoneOffsets(name, start, end) };
}

add("days at +05:30 begin at half past six in UTC", async (store) => {
  await writeAt(store, [
    ...["2026-11-20T18:29:59Z", "2026-11-20T18:30:00Z", "2026-11-20T18:44:00Z"],
    ...["2026-11-21T18:15:00Z", "2026-11-21T18:30:00Z"],
  ]);
  const all = inZone("Asia/Kolkata", "2026-11-19T18:30:00Z", "2026-11-23T18:30:00Z");
  assertEquals(await groupsOf(store, all), ["2026-11-20 1", "2026-11-21 3", "2026-11-22 1"]);
  const day = inZone("Asia/Kolkata", "2026-11-20T18:30:00Z", "2026-11-21T18:30:00Z");
  assertEquals(await groupsOf(store, day), ["2026-11-21 3"]);
  // The same day without groups of time, with other groups, and with a label.
  assertEquals(await groupsOf(store, { ...day, groupBy: [] }), ["3"]);
  assertEquals(await groupsOf(store, { ...day, groupBy: ["key"] }), ["a 3"]);
  assertEquals(await groupsOf(store, { ...day, groupBy: ["tag", "day"] }), [" 2026-11-21 3"]);
});

add("days have 23 and 25 hours where daylight saving time begins and ends", async (store) => {
  const hours = (from: string, count: number) =>
    Array.from(
      { length: count },
      (_, hour) => new Date(Date.parse(from) + hour * 3_600_000).toISOString(),
    );
  await writeAt(store, hours("2026-03-28T00:10:00Z", 72));
  const spring = inZone("Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-30T22:00:00Z");
  assertEquals(await groupsOf(store, spring), ["2026-03-29 23", "2026-03-30 24"]);
  await writeAt(store, hours("2026-10-24T00:10:00Z", 72));
  const autumn = inZone("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-26T23:00:00Z");
  assertEquals(await groupsOf(store, autumn), ["2026-10-25 25", "2026-10-26 24"]);
  const newfoundland = inZone("America/St_Johns", "2026-03-28T02:30:00Z", "2026-03-30T02:30:00Z");
  assertEquals(await groupsOf(store, newfoundland), ["2026-03-28 24", "2026-03-29 24"]);
});

add("a key that changes its team counts for each of them", async (store) => {
  const row = (time: string, team: string | undefined, owner = "Ada") =>
    usageRow({ time: Date.parse(`2026-11-20T${time}Z`), team, owner, tags: ["x"] });
  await writeRows(store, [row("09:00:00", "old"), row("09:01:00", "old")]);
  await writeRows(store, [row("10:00:00", "new", "Bo"), row("12:00:00", "new"), usageRow()]);
  const query = { from: Date.parse("2026-11-20"), to: Date.parse("2026-11-23") };
  assertEquals(await groupsOf(store, { ...query, groupBy: ["team"] }), [" 1", "new 2", "old 2"]);
  assertEquals(await groupsOf(store, { ...query, groupBy: ["owner", "team", "tag"] }), [
    ...["   1", "Ada new x 1", "Ada old x 2", "Bo new x 1"],
  ]);
  const own = { ...query, team: "old", groupBy: ["key", "day"] } as const;
  assertEquals(await groupsOf(store, own), ["a 2026-11-20 2"]);
  assertEquals(await groupsOf(store, { ...query, owner: "Bo", groupBy: [] }), ["1"]);
});

add("what attempts cost whose answer was not used counts for their provider", async (store) => {
  const attempt = (provider: string, usd: number, error?: string) => ({
    ...{ provider, upstream: "up", startedMs: 0, ms: 10, status: error === undefined ? 200 : 502 },
    ...{ usd, error, source: "vendor" as const, input: 1, output: 1 },
  });
  const shared = { provider: "b", attempts: 2, usd: 0.75 };
  await writeRows(store, [
    usageRow({ ...shared, attemptRows: [attempt("a", 0.25, "timeout"), attempt("b", 0.5)] }),
    usageRow({ ...shared, attemptRows: [attempt("b", 0.25, "abandoned"), attempt("b", 0.5)] }),
    usageRow({ ...shared, usd: undefined, attemptRows: [attempt("a", 0.25, "timeout")] }),
  ]);
  const query = { from: Date.parse("2026-11-20"), to: Date.parse("2026-11-23") };
  const groups = await store.summarize({ ...query, groupBy: ["provider"] });
  assertEquals(
    groups.map(({ group: [name], usd, unusedUsd }) => `${name} ${usd} ${unusedUsd}`).sort(),
    ["a 0.25 0.25", "b 1.25 0.25"],
  );
});

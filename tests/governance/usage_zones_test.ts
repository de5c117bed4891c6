/** Usage by the days of a zone, by team and by owner, of the stores that need no program. */

import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { zoneOffsets } from "../../src/core/time_zones.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import { LOCAL_STORES, testStores } from "../support/store_kinds.ts";
import { usageRow } from "../support/usage_rows.ts";
import { USAGE_ZONES } from "./usage_zones.ts";

testStores(LOCAL_STORES, USAGE_ZONES);

const DAY_MS = 86_400_000;
const FIRST = Date.parse("2026-10-01T18:45:00Z");

/** Requests by day at +05:30, between two days after the first request. */
async function daysOf(store: SqliteUsageStore, from = 0, to = 60): Promise<string[]> {
  const range = { from: FIRST + from * DAY_MS, to: FIRST + to * DAY_MS };
  const zone = zoneOffsets("Asia/Kolkata", range.from, range.to);
  return (await store.summarize({ ...range, groupBy: ["day"], zone }))
    .map(({ group: [day], requests }) => `${day} ${requests}`).sort();
}

Deno.test("SQLite: quarters end after their time, and hours and days stay", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const store = new SqliteUsageStore(path);
  await store.write(
    Array.from({ length: 50 }, (_, day) => usageRow({ time: FIRST + day * DAY_MS })),
  );
  assertEquals((await daysOf(store)).length, 50);
  while (await store.prune(FIRST - DAY_MS, FIRST + 10 * DAY_MS + 1));
  // The quarters of an hour are removed together: 18:00 to 19:00 of the eleventh day has its own.
  assertEquals(await daysOf(store, 10, 12), ["2026-10-12 1", "2026-10-13 1"]);
  // At 18:45 in UTC it is the next day; the hour that holds it begins on the day before.
  // The ends of the range are rounded to hours, too.
  assertEquals(await daysOf(store, 0, 2), ["2026-10-01 1", "2026-10-02 1", "2026-10-03 1"]);
  const [all] = await store.summarize({ from: FIRST, to: FIRST + 60 * DAY_MS, groupBy: [] });
  assertEquals(all?.requests, 50);
  await store.close();
  await Deno.remove(path);
});

Deno.test("SQLite: a file without quarters keeps its hours, and gets quarters of new rows", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const first = new SqliteUsageStore(path);
  await first.write([usageRow({ time: FIRST }), usageRow({ time: FIRST + DAY_MS })]);
  await daysOf(first);
  await first.close();
  const database = new DatabaseSync(path);
  // As version 8 left it.
  database.exec(`DELETE FROM usage_sums WHERE span >= 9;
    ALTER TABLE counted DROP COLUMN quarters_since;
    ALTER TABLE usage_sums DROP COLUMN team; ALTER TABLE usage_sums DROP COLUMN owner;
    ALTER TABLE requests DROP COLUMN team; ALTER TABLE requests DROP COLUMN owner;
    PRAGMA user_version = 8;`);
  database.close();
  const store = new SqliteUsageStore(path);
  assertEquals(await daysOf(store), ["2026-10-01 1", "2026-10-02 1"]);
  const later = Math.floor(Date.now() / DAY_MS + 3) * DAY_MS + 18.5 * 3_600_000;
  await store.write([
    usageRow({ time: later - 1 }),
    usageRow({ time: later, key: "b", team: "t" }),
  ]);
  const range = { from: later - DAY_MS, to: later + DAY_MS };
  const zone = zoneOffsets("Asia/Kolkata", range.from, range.to);
  const days = await store.summarize({ ...range, groupBy: ["day"], zone });
  assertEquals(days.map(({ requests }) => requests), [1, 1]);
  assertEquals((await store.summarize({ ...range, groupBy: ["team"] })).length, 2);
  await store.close();
  await Deno.remove(path);
});

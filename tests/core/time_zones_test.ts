/** The offsets of time zones. */

import { assertEquals } from "@std/assert";
import { offsetAt, zoneOffsets } from "../../src/core/time_zones.ts";

const HOUR_MS = 3_600_000;

/** The offsets of a zone in 2026: the time of each change, and hours. */
function changesOf(zone: string): readonly (readonly [string, number])[] {
  const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
  return (zoneOffsets(zone, from, to) ?? []).map(({ since, ms }) =>
    [new Date(since).toISOString().slice(0, 16), ms / HOUR_MS] as const
  );
}

Deno.test("zoneOffsets() has each change of a zone, to the minute", () => {
  assertEquals(changesOf("UTC"), [["2026-01-01T00:00", 0]]);
  assertEquals(changesOf("Asia/Kolkata"), [["2026-01-01T00:00", 5.5]]);
  assertEquals(changesOf("Europe/Berlin"), [
    ["2026-01-01T00:00", 1],
    ["2026-03-29T01:00", 2],
    ["2026-10-25T01:00", 1],
  ]);
  assertEquals(changesOf("America/St_Johns").slice(0, 2), [
    ["2026-01-01T00:00", -3.5],
    ["2026-03-08T05:30", -2.5],
  ]);
  assertEquals(changesOf("Australia/Lord_Howe").slice(0, 2), [
    ["2026-01-01T00:00", 11],
    ["2026-04-04T15:00", 10.5],
  ]);
});

Deno.test("zoneOffsets() knows no invented zones", () => {
  assertEquals(zoneOffsets("Europe/Atlantis", 0, HOUR_MS), undefined);
  assertEquals(zoneOffsets("", 0, HOUR_MS), undefined);
});

Deno.test("offsetAt() returns the last offset that has begun, and the first one before", () => {
  const offsets = zoneOffsets("Europe/Berlin", Date.UTC(2026, 2, 1), Date.UTC(2026, 3, 1)) ?? [];
  const change = Date.UTC(2026, 2, 29, 1);
  assertEquals(offsetAt(offsets, 0), HOUR_MS);
  assertEquals(offsetAt(offsets, change - 1), HOUR_MS);
  assertEquals(offsetAt(offsets, change), 2 * HOUR_MS);
  assertEquals(offsetAt([], change), 0);
});

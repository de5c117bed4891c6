/** The range and the zone of the console's views: one meaning everywhere, and each day's own offset. */

import { assertEquals } from "@std/assert";
import {
  periodOf,
  RANGES,
  rangeText,
  readRange,
  writeRange,
} from "../../src/console/assets/lib/range.js";
import { noteServerDate, serverNow } from "../../src/console/assets/lib/server_clock.js";
import {
  dayOf,
  fromInput,
  isZone,
  offsetAt,
  startOfDay,
  startOfMonth,
  timeOfClock,
  toInput,
} from "../../src/console/assets/lib/zone.js";

const NOW = Date.parse("2026-11-26T12:34:56Z");
const HOUR_MS = 3_600_000;
const BERLIN = "Europe/Berlin";
const KOLKATA = "Asia/Kolkata";

const iso = (time: number) => new Date(time).toISOString();
const choice = (range: string) => ({ range, from: "", to: "" });

function period(range: string, zone: string): readonly [string, string, boolean] {
  const { from, to, isOpen } = periodOf(choice(range), NOW, zone);
  return [iso(from), iso(to), isOpen];
}

Deno.test("a range up to a day ends now; a longer one has whole days of the zone", () => {
  const now = "2026-11-26T12:34:56.001Z";
  assertEquals(period("1h", "UTC"), ["2026-11-26T11:34:56.000Z", now, true]);
  assertEquals(period("24h", "UTC"), ["2026-11-25T13:00:00.000Z", now, true]);
  assertEquals(period("7d", "UTC"), ["2026-11-20T00:00:00.000Z", now, true]);
  assertEquals(period("7d", KOLKATA), ["2026-11-19T18:30:00.000Z", now, true]);
  assertEquals(period("month", "UTC"), ["2026-11-01T00:00:00.000Z", now, true]);
  assertEquals(period("last-month", "UTC"), [
    ...["2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
    false,
  ]);
});

Deno.test("a month begins and ends with the offsets of its own days", () => {
  // Daylight saving time ended on 25 October.
  assertEquals(period("last-month", BERLIN), [
    ...["2026-09-30T22:00:00.000Z", "2026-10-31T23:00:00.000Z"],
    false,
  ]);
  const day = { range: "custom", from: "2026-10-25", to: "2026-10-25" };
  const { from, to } = periodOf(day, NOW, BERLIN);
  assertEquals((to - from) / HOUR_MS, 25);
  const kiritimati = periodOf({ ...day }, NOW, "Pacific/Kiritimati");
  assertEquals(dayOf(kiritimati.from, "Pacific/Kiritimati"), "2026-10-25");
  assertEquals((kiritimati.to - kiritimati.from) / HOUR_MS, 24);
});

Deno.test("a time of a zone's clock and back, also around the change of daylight saving time", () => {
  for (const zone of ["UTC", BERLIN, KOLKATA, "America/New_York", "Pacific/Chatham"]) {
    for (let time = Date.parse("2026-03-28T00:10Z"); time < NOW; time += 37 * HOUR_MS) {
      assertEquals(timeOfClock(time + offsetAt(time, zone), zone), time, `${zone} ${iso(time)}`);
      assertEquals(fromInput(toInput(time, zone), zone), time);
    }
  }
  assertEquals(offsetAt(NOW, KOLKATA), 5.5 * HOUR_MS);
  // 02:30 does not exist in Berlin on 29 March: the clock goes on to 03:30.
  const gap = Date.parse("2026-03-29T02:30Z");
  assertEquals(iso(timeOfClock(gap, BERLIN)), "2026-03-29T01:30:00.000Z");
  assertEquals(iso(startOfDay(NOW, KOLKATA)), "2026-11-25T18:30:00.000Z");
  assertEquals(iso(startOfMonth(NOW, BERLIN, 1)), "2026-11-30T23:00:00.000Z");
  assertEquals(["UTC", BERLIN, "", "Mars/Base", null].map(isZone), [
    ...[true, true, false, false],
    false,
  ]);
});

Deno.test("an address has a range, or two days or times; anything else is the default", () => {
  const read = (text: string) => readRange(new URLSearchParams(text));
  for (const range of RANGES.keys()) assertEquals(read(`range=${range}`), choice(range));
  const days = { range: "custom", from: "2026-11-01", to: "2026-11-01" };
  assertEquals(read("from=2026-11-01&to=2026-11-01"), days);
  for (
    const wrong of [
      ...["", "range=2y", "range=constructor", "from=2026-11-02&to=2026-11-01", "to=2026-11-01"],
      ...["from=x&to=y", "from=2026-11-01&to=2026-11-01T10:00Z"],
      "from=2026-11-01T10:00Z&to=2026-11-01T10:00Z",
    ]
  ) {
    assertEquals(read(wrong), choice("24h"), wrong);
  }
  const query = new URLSearchParams("model=m&from=2026-11-01&to=2026-11-02");
  writeRange(query, choice("7d"));
  assertEquals(String(query), "model=m&range=7d");
  writeRange(query, days);
  assertEquals(readRange(query), days);
});

Deno.test("rangeText() names a range", () => {
  assertEquals(rangeText(choice("month"), "UTC"), "This month");
  const times = { range: "custom", from: "2026-11-01T08:00Z", to: "2026-11-02T09:30Z" };
  assertEquals(rangeText(times, KOLKATA), "1 Nov, 13:30 – 2 Nov, 15:00");
  assertEquals(
    rangeText({ range: "custom", from: "2026-11-01", to: "2026-11-01" }, KOLKATA),
    "1 Nov",
  );
});

Deno.test("the clock of the gateway is used where that of the browser is wrong", () => {
  const note = (text: string) => noteServerDate(new Headers({ date: text }), NOW);
  const ahead = () => Math.round((serverNow() - Date.now()) / 1000);
  note("Thu, 26 Nov 2026 12:34:55 GMT");
  assertEquals(ahead(), 0);
  note("Thu, 26 Nov 2026 09:34:56 GMT");
  assertEquals(ahead(), -3 * 3600 + 1);
  note("soon");
  assertEquals(ahead(), -3 * 3600 + 1);
  note("Thu, 26 Nov 2026 12:34:56 GMT");
  assertEquals(ahead(), 0);
});

/**
 * The time range of all views. It is part of the URL and remembered for this tab. A range of up to
 * a day ends now; longer ranges consist of whole days of the time zone, including today.
 */

import { readTab, writeTab } from "./session.js";
import { formatterOf, startOfDay, startOfMonth } from "./zone.js";

const NAME = "sluice.range";
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

/** The available ranges: their names in the menu, and their short names. */
export const RANGES = new Map([
  ["15m", { text: "Last 15 minutes", short: "15 min", minutes: 15 }],
  ["1h", { text: "Last hour", short: "1 h", minutes: 60 }],
  ["6h", { text: "Last 6 hours", short: "6 h", minutes: 360 }],
  ["24h", { text: "Last 24 hours", short: "24 h", minutes: 1440 }],
  ["7d", { text: "Last 7 days", short: "7 d", days: 7 }],
  ["30d", { text: "Last 30 days", short: "30 d", days: 30 }],
  ["90d", { text: "Last 90 days", short: "90 d", days: 90 }],
  ["month", { text: "This month", short: "Month", months: 0 }],
  ["last-month", { text: "Last month", short: "Last mo.", months: -1 }],
]);

/** The URL parameters of a range. */
export const RANGE_NAMES = ["range", "from", "to"];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The range in a URL.
 *
 * @param {URLSearchParams} query `from` and `to` are days of the zone, or times in UTC
 * @param {string} [fallback] the range if the URL contains none
 * @returns {{ range: string, from: string, to: string }} `range` is `custom` with two times
 */
export function readRange(query, fallback = "24h") {
  const [from, to] = [query.get("from"), query.get("to")].map(readTime);
  const isValid = from !== "" && to !== "" && (DAY.test(to) ? from <= to : from < to);
  if (isValid && DAY.test(from) === DAY.test(to)) return { range: "custom", from, to };
  const range = query.get("range");
  return { range: RANGES.has(range) ? range : fallback, from: "", to: "" };
}

function readTime(text) {
  const time = Date.parse(text ?? "");
  if (Number.isNaN(time)) return "";
  return DAY.test(text) ? text : new Date(time).toISOString();
}

/** Replaces the range in a URL. */
export function writeRange(query, { range, from, to }) {
  for (const name of RANGE_NAMES) query.delete(name);
  if (range !== "custom") return query.set("range", range);
  query.set("from", from);
  query.set("to", to);
}

/**
 * The period of a range.
 *
 * @param {{ range: string, from: string, to: string }} choice
 * @param {number} now by the clock of the gateway, in milliseconds
 * @param {string} zone
 * @returns {{ from: number, to: number, isOpen: boolean }} `to` is not included; an open period ends
 *   now
 */
export function periodOf({ range, from, to }, now, zone) {
  if (range === "custom") {
    const dayAt = (day, days) => startOfDay(startOfUtcDay(day, zone), zone, days);
    return DAY.test(from)
      ? { from: dayAt(from, 0), to: dayAt(to, 1), isOpen: false }
      : { from: Date.parse(from), to: Date.parse(to), isOpen: false };
  }
  const { days, minutes, months } = RANGES.get(range);
  if (months !== undefined) {
    const start = startOfMonth(now, zone, months);
    return months === 0
      ? { from: start, to: now + 1, isOpen: true }
      : { from: start, to: startOfMonth(now, zone), isOpen: false };
  }
  if (days !== undefined) {
    return { from: startOfDay(now, zone, 1 - days), to: now + 1, isOpen: true };
  }
  const start = now - minutes * MINUTE_MS;
  // Sums cover whole hours, so a day's range begins at a full hour.
  const step = minutes === 1440 ? HOUR_MS : 1;
  return { from: Math.ceil(start / step) * step, to: now + 1, isOpen: true };
}

/** A time on the given day of the zone: around noon, the date is the same in every zone. */
function startOfUtcDay(day, zone) {
  const noon = Date.parse(`${day}T12:00:00Z`);
  const shown = formatterOf(zone, { day: "numeric" }).format(noon);
  return Number(shown) === Number(day.slice(8)) ? noon : noon - 12 * HOUR_MS;
}

/** A range in words, such as `Last 7 days` or `1 Nov, 08:00 – 2 Nov, 09:30`. */
export function rangeText({ range, from, to }, zone) {
  if (range !== "custom") return RANGES.get(range).text;
  const isDays = DAY.test(from);
  const format = formatterOf(isDays ? "UTC" : zone, {
    ...{ day: "numeric", month: "short" },
    ...(!isDays && { hour: "2-digit", minute: "2-digit" }),
  });
  const [first, last] = [from, to].map((time) => format.format(Date.parse(time)));
  return first === last ? first : `${first} – ${last}`;
}

/** Remembers a range for the other views of this tab. */
export function rememberRange(choice) {
  writeTab(NAME, JSON.stringify(choice));
}

/** The range remembered for the tab, if any. */
export function rememberedRange() {
  try {
    const query = new URLSearchParams(JSON.parse(readTab(NAME)));
    return readRange(query, undefined);
  } catch {
    return undefined;
  }
}

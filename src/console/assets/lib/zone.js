/**
 * The time zone in which all views show times: an IANA name, remembered for this tab; and the days of
 * zones. Each day has its own offset, as daylight saving time begins or ends.
 */

import { readTab, writeTab } from "./session.js";

const NAME = "sluice.zone";
const DEFAULT_ZONE = "UTC";

const listeners = new Set();

/** The zone of the browser. */
export const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || DEFAULT_ZONE;

/** The zones that are always listed. */
export const OFFERED_ZONES = [
  "America/Los_Angeles",
  "America/New_York",
  "Europe/London",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Asia/Singapore",
  "Asia/Tokyo",
  "Australia/Sydney",
];

/** The zone of this tab. */
export function currentZone() {
  const name = readTab(NAME);
  return isZone(name) ? name : DEFAULT_ZONE;
}

/** Sets the zone of this tab. An unknown one is ignored. */
export function setZone(name) {
  if (!isZone(name) || name === currentZone()) return;
  writeTab(NAME, name);
  for (const listener of listeners) listener();
}

/** Calls a function when the zone changes. Returns a function that unsubscribes. */
export function onZoneChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const DAY_MS = 86_400_000;
/** A cache of formatters: few are used, and creating one is slow. */
const formatters = new Map();
const MAX_FORMATTERS = 64;

/**
 * The cached formatter of a zone. @param {string} zone @param {Intl.DateTimeFormatOptions} options
 */
export function formatterOf(zone, options) {
  const name = `${zone} ${JSON.stringify(options)}`;
  let formatter = formatters.get(name);
  if (formatter === undefined) {
    if (formatters.size >= MAX_FORMATTERS) formatters.clear();
    formatter = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
    formatters.set(name, formatter);
  }
  return formatter;
}

/** Whether a text is the IANA name of a zone. */
export function isZone(name) {
  if (typeof name !== "string" || name === "") return false;
  try {
    formatterOf(name, {});
    return true;
  } catch {
    return false;
  }
}

const PARTS = {
  ...{ year: "numeric", month: "2-digit", day: "2-digit", hourCycle: "h23" },
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
};

/** The UTC offset of a zone at a time, in milliseconds. */
export function offsetAt(time, zone) {
  if (zone === "UTC") return 0;
  const parts = new Map(
    formatterOf(zone, PARTS).formatToParts(time).map(({ type, value }) => [type, Number(value)]),
  );
  const [year, month, day, hour, minute, second] = [
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
  ].map((type) => parts.get(type));
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
}

/**
 * The time at which a zone's clock shows the given local time, in milliseconds; the end of a gap
 * for a time within it.
 */
export function timeOfClock(clock, zone) {
  const first = clock - offsetAt(clock, zone);
  const second = clock - offsetAt(first, zone);
  return second + offsetAt(second, zone) === clock ? second : Math.max(first, second);
}

/** The start of the day of a time, or of a day some days later. */
export function startOfDay(time, zone, days = 0) {
  const clock = time + offsetAt(time, zone);
  return timeOfClock((Math.floor(clock / DAY_MS) + days) * DAY_MS, zone);
}

/** The start of the month of a time, or of a month some months later. */
export function startOfMonth(time, zone, months = 0) {
  const clock = new Date(time + offsetAt(time, zone));
  return timeOfClock(Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth() + months, 1), zone);
}

/** The day of a time, such as `2026-11-22`. */
export function dayOf(time, zone) {
  return new Date(time + offsetAt(time, zone)).toISOString().slice(0, 10);
}

/** A time as the value of a `datetime-local` field. */
export function toInput(time, zone) {
  return new Date(time + offsetAt(time, zone)).toISOString().slice(0, 19);
}

/** The time of such a field. */
export function fromInput(text, zone) {
  return timeOfClock(Date.parse(`${text}Z`), zone);
}

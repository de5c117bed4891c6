/** The options of the report. They are part of the URL, so that a report can be linked. */

import { periodOf as periodOfRange, readRange, writeRange } from "../../lib/range.js";
import { dayOf, startOfDay, startOfMonth } from "../../lib/zone.js";

const HOUR_MS = 3_600_000;
/** The longest period that is divided into hours instead of days. */
const MAX_HOURS_MS = 48 * HOUR_MS;
/** The default range. */
const DEFAULT_RANGE = "month";

/** The filters, with the names of the parameters of reports. */
export const FILTERS = ["key", "team", "owner", "model", "provider", "tag", "end_user"];
const SHOW = ["requests", "errors", "tokens", "cost", "latency"];
const DEFAULTS = {
  ...{ by: "model", then: "", prefix: "", show: "cost", tab: "use" },
  ...Object.fromEntries(FILTERS.map((name) => [name, ""])),
};

/** Reads the options from a URL. Absent or unknown values become the default. */
export function readChoice(query) {
  const { by, show, then } = Object.fromEntries(query);
  const chosen = FILTERS.includes(by) ? by : DEFAULTS.by;
  return {
    ...readRange(query, DEFAULT_RANGE),
    ...{ by: chosen, then: FILTERS.includes(then) && then !== chosen ? then : "" },
    prefix: query.get("prefix") ?? "",
    show: SHOW.includes(show) ? show : DEFAULTS.show,
    tab: query.get("tab") === "bill" ? "bill" : DEFAULTS.tab,
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])),
  };
}

/** The active filters, as parameters of a report. */
export function filtersOf(choice) {
  return Object.fromEntries(
    FILTERS.filter((name) => choice[name] !== "").map((name) => [name, choice[name]]),
  );
}

/** The URL of a view with these options. */
export function toAddress(choice, view = "usage") {
  const query = new URLSearchParams();
  writeRange(query, choice);
  for (const name of Object.keys(DEFAULTS)) {
    if (choice[name] !== DEFAULTS[name]) query.set(name, choice[name]);
  }
  return `#/${view}?${query}`;
}

/**
 * The period of the options, and the starts of its hours or days.
 *
 * @param {string} zone
 * @returns {{ from: number, to: number, end: number, isOpen: boolean, unit: "hour" | "day", zone:
 * string, starts: number[] }} times in milliseconds; `end` is that of the last hour or day
 */
export function periodOf(choice, now, zone) {
  const { from, isOpen, to } = periodOfRange(choice, now, zone);
  const unit = to - from <= MAX_HOURS_MS ? "hour" : "day";
  const starts = [];
  let at = unit === "hour" ? from - from % HOUR_MS : startOfDay(from, zone);
  while (at < to) {
    starts.push(at);
    at = unit === "hour" ? at + HOUR_MS : startOfDay(at, zone, 1);
  }
  return { from: Math.min(from, starts[0] ?? from), to, end: at, isOpen, unit, zone, starts };
}

/** The label of a start in entries: an hour in UTC, or a day in the zone. */
export function nameOf(start, { unit, zone }) {
  return unit === "hour" ? `${new Date(start).toISOString().slice(0, 16)}Z` : dayOf(start, zone);
}

/**
 * The full days of a period, and the same number of days before them; for a month, those of the
 * previous month. Undefined without a full day.
 *
 * @returns {{ now: { from: number, to: number }, before: { from: number, to: number } } |
 * undefined}
 */
export function comparedPeriods(choice, { from, to, zone, isOpen }) {
  const end = isOpen ? startOfDay(to - 1, zone) : to;
  if (end <= from) return undefined;
  const days = Math.round((end - from) / (24 * HOUR_MS));
  const isMonth = choice.range === "month" || choice.range === "last-month";
  const start = isMonth ? startOfMonth(from, zone, -1) : startOfDay(from, zone, -days);
  const same = startOfDay(start, zone, days);
  return { now: { from, to: end }, before: { from: start, to: Math.min(same, from) } };
}

/** A period as parameters of a report. */
export function timesOf({ from, to }, zone) {
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(zone !== "UTC" && { time_zone: zone }),
  };
}

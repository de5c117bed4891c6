/** Times in the zone of the tab. */

import { serverNow } from "../../lib/server_clock.js";
import { currentZone, dayOf, formatterOf } from "../../lib/zone.js";

const CLOCK = { timeStyle: "medium" };
const DAY_AND_CLOCK = {
  ...{ day: "numeric", month: "short" },
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
};
const FULL = { dateStyle: "medium", timeStyle: "long" };
const DAY = { dateStyle: "medium" };

/**
 * A time; without the date if it is today. @param {number | string} time milliseconds, or ISO 8601
 */
export function shortTime(time, now = serverNow()) {
  const zone = currentZone();
  const date = new Date(time);
  const isToday = dayOf(date.getTime(), zone) === dayOf(now, zone);
  return formatterOf(zone, isToday ? CLOCK : DAY_AND_CLOCK).format(date);
}

/** A time with its day and time zone. */
export function fullTime(time) {
  return formatterOf(currentZone(), FULL).format(new Date(time));
}

/** A time with its day, without seconds unless it has some. */
export function momentText(time) {
  const text = formatterOf(currentZone(), DAY_AND_CLOCK).format(new Date(time));
  return time % 60_000 === 0 ? text.replace(/:00$/, "") : text;
}

const SPANS = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"]];

/** A duration in its largest whole unit, such as `30 min`. */
export function spanText(ms) {
  const [length, unit] = SPANS.find(([length]) => ms % length === 0) ?? SPANS.at(-1);
  return `${ms / length} ${unit}`;
}

/** The day in UTC of Unix seconds. */
export function dayOfSeconds(seconds) {
  return formatterOf("UTC", DAY).format(new Date(seconds * 1000));
}

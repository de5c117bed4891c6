/** Times as the person's own clock shows them. */

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const dayAndClock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** A time of today without its day. @param {number | string} time milliseconds, or ISO 8601 */
export function shortTime(time, now = Date.now()) {
  const date = new Date(time);
  return (isSameDay(date, new Date(now)) ? clock : dayAndClock).format(date);
}

/** A time with its day and time zone. */
export function fullTime(time) {
  return full.format(new Date(time));
}

/** The time zone of the browser, such as `Europe/Berlin`. Reports of usage are in UTC. */
export function zoneName() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "local time";
}

/** The day in UTC of Unix seconds. */
export function dayOfSeconds(seconds) {
  return day.format(new Date(seconds * 1000));
}

function isSameDay(one, other) {
  return one.toDateString() === other.toDateString();
}

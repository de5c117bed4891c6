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

/** A time with its day, without seconds unless it has some. */
export function momentText(time) {
  const text = dayAndClock.format(new Date(time));
  return time % 60_000 === 0 ? text.replace(/:00$/, "") : text;
}

const SPANS = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"]];

/** A length of time in its largest whole unit, such as `30 min`. */
export function spanText(ms) {
  const [length, unit] = SPANS.find(([length]) => ms % length === 0) ?? SPANS.at(-1);
  return `${ms / length} ${unit}`;
}

/** A time as a field of the type `datetime-local` takes it. */
export function toLocalInput(time) {
  const zoneMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - zoneMs).toISOString().slice(0, 19);
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

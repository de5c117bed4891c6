/** What the person chose to see. It is in the address, so that a report can be linked. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest time that is divided into hours instead of days. */
const MAX_HOURS_MS = 48 * HOUR_MS;

/** The ranges that are offered, in milliseconds. */
export const RANGES = new Map([
  ["24h", DAY_MS],
  ["7d", 7 * DAY_MS],
  ["30d", 30 * DAY_MS],
  ["90d", 90 * DAY_MS],
]);

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** The filters, with the names of the parameters of reports. */
export const FILTERS = ["key", "model", "provider", "tag", "end_user"];
const DEFAULTS = {
  ...{ range: "7d", by: "model", show: "requests", from: "", to: "", zone: "utc" },
  ...Object.fromEntries(FILTERS.map((name) => [name, ""])),
};
const BY = ["model", "provider", "key", "tag", "end_user"];
const SHOW = ["requests", "errors", "tokens", "cost", "latency"];

/** Reads the choice of an address. Absent or unknown values become the default. */
export function readChoice(query) {
  const { from = "", to = "", range, by, show } = Object.fromEntries(query);
  const hasDays = isDay(from) && isDay(to) && from <= to;
  return {
    range: hasDays ? "custom" : RANGES.has(range) ? range : DEFAULTS.range,
    from: hasDays ? from : "",
    to: hasDays ? to : "",
    by: BY.includes(by) ? by : DEFAULTS.by,
    show: SHOW.includes(show) ? show : DEFAULTS.show,
    zone: query.get("zone") === "local" ? "local" : DEFAULTS.zone,
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])),
  };
}

/** Milliseconds from UTC to the time of a choice. Sums are by hour, so it has whole hours. */
export function offsetOf({ zone }, now) {
  if (zone !== "local") return 0;
  return Math.round(-new Date(now).getTimezoneOffset() / 60) * HOUR_MS;
}

/** An offset as the API takes it, such as `+02:00`. */
export function offsetText(offset) {
  const hours = String(Math.abs(offset) / HOUR_MS).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${hours}:00`;
}

/** The zone of an offset as the page shows it. */
export function zoneText(offset) {
  return offset === 0 ? "UTC" : `UTC${offsetText(offset)}`;
}

/** The filters that are set, as parameters of a report. */
export function filtersOf(choice) {
  return Object.fromEntries(
    FILTERS.filter((name) => choice[name] !== "").map((name) => [name, choice[name]]),
  );
}

/** The address of a choice in a view. */
export function toAddress(choice, view = "usage") {
  const query = new URLSearchParams();
  for (const name of Object.keys(DEFAULTS)) {
    const value = choice[name];
    const isImplied = value === DEFAULTS[name] || (name === "range" && value === "custom");
    if (!isImplied) query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? `#/${view}` : `#/${view}?${text}`;
}

/**
 * The period of a choice. It begins with a whole hour or day, so that its first bar is not cut.
 *
 * @returns {{ from: number, to: number, unit: "hour" | "day", offset: number }} times in
 *   milliseconds; `offset` is what is added to them before their day is known
 */
export function periodOf(choice, now, offset = offsetOf(choice, now)) {
  const { range, from, to } = choice;
  if (range === "custom") {
    const period = { from: Date.parse(from) - offset, to: Date.parse(to) + DAY_MS - offset };
    return { ...period, unit: unitOf(period), offset };
  }
  const length = RANGES.get(range);
  const unit = length <= MAX_HOURS_MS ? "hour" : "day";
  const start = now - length + stepOf(unit);
  return { from: start - ((start + offset) % stepOf(unit)), to: now + 1, unit, offset };
}

/** The period of the same length before. */
export function previousOf({ from, to, ...others }) {
  return { ...others, from: from - (to - from), to: from };
}

/** The month so far that contains a time, and the share of it that is over. */
export function monthOf(now, offset) {
  const local = new Date(now + offset);
  const at = (month) => Date.UTC(local.getUTCFullYear(), month, 1) - offset;
  const [from, end] = [at(local.getUTCMonth()), at(local.getUTCMonth() + 1)];
  return { from, to: now + 1, offset, share: (now - from) / (end - from) };
}

/** The period as parameters of a report. */
export function timesOf({ from, to, offset }) {
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(offset !== 0 && { utc_offset: offsetText(offset) }),
  };
}

/** The milliseconds of a unit. */
export function stepOf(unit) {
  return unit === "hour" ? HOUR_MS : DAY_MS;
}

function unitOf({ from, to }) {
  return to - from <= MAX_HOURS_MS ? "hour" : "day";
}

function isDay(text) {
  return DAY.test(text) && !Number.isNaN(Date.parse(text));
}

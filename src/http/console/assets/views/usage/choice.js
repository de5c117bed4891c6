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
const DEFAULTS = { range: "7d", by: "model", show: "requests", from: "", to: "" };
const BY = ["model", "provider", "key", "tag"];
const SHOW = ["requests", "errors", "tokens", "cost"];

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
  };
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
 * The period of a choice in UTC. It begins with a whole hour or day, so that its first bar is not
 * cut.
 *
 * @returns {{ from: number, to: number, unit: "hour" | "day" }} times in milliseconds
 */
export function periodOf({ range, from, to }, now) {
  if (range === "custom") {
    const period = { from: Date.parse(from), to: Date.parse(to) + DAY_MS };
    return { ...period, unit: unitOf(period) };
  }
  const length = RANGES.get(range);
  const unit = length <= MAX_HOURS_MS ? "hour" : "day";
  const step = stepOf(unit);
  const start = now - length + step;
  return { from: start - (start % step), to: now + 1, unit };
}

/** The period as parameters of a report. */
export function timesOf({ from, to }) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
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

/** What a person writes into a filter, and what the API takes. */

/** The milliseconds of each unit. */
const UNITS = new Map([["ms", 1], ["s", 1000], ["min", 60_000], ["m", 60_000], ["h", 3_600_000]]);

/**
 * A written duration, such as `1.5 s`, as milliseconds. A number without a unit has seconds.
 *
 * @returns {string | undefined} an empty string for no text; undefined for an invalid one
 */
export function toDuration(text) {
  if (text.trim() === "") return "";
  const [, number, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(text.trim()) ??
    [];
  if (number === undefined) return undefined;
  return String(Math.round(Number(number) * UNITS.get(unit.toLowerCase())));
}

/** Milliseconds as a person writes them. */
export function toDurationText(ms) {
  if (ms === "") return "";
  const value = Number(ms);
  if (value >= 60_000 && value % 60_000 === 0) return `${value / 60_000} min`;
  return value >= 1000 ? `${value / 1000} s` : `${ms} ms`;
}

/**
 * A written text as the pattern of a filter: a part of a value, unless it is one of the known
 * values, has `*`, or is the value from before.
 */
export function toPattern(text, known, before) {
  const isWhole = text === "" || text === before || text.includes("*") || known.includes(text);
  return isWhole ? text : `*${text}*`;
}

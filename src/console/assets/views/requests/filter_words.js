/** The filters of requests as words such as `status:error`, `cost>0.3` and `tag:team:`. */

import { FILTERS } from "./addresses.js";

/** The ways in which requests were answered: names in the API and on badges. */
export const PATHS = new Map([
  ["fallback", "Fallback"],
  ["retry", "Retry"],
  ["hedge", "Hedge"],
  ["cache", "Cache"],
  ["queued", "Queued"],
  ["sticky", "Sticky"],
]);

/** The words with `:`, and the parameters of the API. */
const NAMES = new Map([
  ["status", "status"],
  ["key", "key"],
  ["model", "model"],
  ["provider", "provider"],
  ["tag", "tag"],
  ["user", "end_user"],
  ["end_user", "end_user"],
  ["session", "session"],
  ["path", "path"],
  ["id", "id"],
]);
/** The words with `>`. */
const AMOUNTS = new Map([
  ["cost", "min_cost_usd"],
  ["ms", "min_ms"],
  ["duration", "min_ms"],
]);
/** The filters whose values may be patterns. */
const PATTERNS = new Set(["key", "model", "provider", "tag", "end_user"]);

const MAX_USD = /^\d{1,15}(\.\d{1,9})?$/;

/** The milliseconds of each unit. */
const UNITS = new Map([["ms", 1], ["s", 1000], ["min", 60_000], ["m", 60_000], ["h", 3_600_000]]);

/**
 * Parses a duration, such as `1.5s`, to milliseconds.
 *
 * @param {string} text
 * @param {string} [usual] the default unit
 * @returns {string | undefined} undefined for an invalid one
 */
export function toDuration(text, usual = "ms") {
  const [, number, unit = usual] =
    /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(text.trim()) ?? [];
  if (number === undefined) return undefined;
  return String(Math.round(Number(number) * UNITS.get(unit.toLowerCase())));
}

/** The words of a text, separated by spaces. A quoted part may contain spaces. */
export function splitWords(text) {
  return (text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []).map((word) => word.replaceAll('"', ""));
}

/**
 * Adds a text to the filters.
 *
 * @param {string} text words separated by spaces; a value with spaces is quoted
 * @param {Record<string, string>} filters
 * @param {(name: string) => readonly string[]} valuesOf the known values of a filter
 * @returns {{ filters: Record<string, string>, fault?: undefined } | { fault: string }}
 */
export function addWords(text, filters, valuesOf) {
  const next = { ...filters };
  for (const word of splitWords(text)) {
    const fault = addWord(next, word, valuesOf);
    if (fault !== undefined) return { fault };
  }
  return { filters: next };
}

function addWord(next, word, valuesOf) {
  const amount = /^([a-z_]+)>=?(.*)$/i.exec(word);
  if (amount !== null) return addAmount(next, amount[1].toLowerCase(), amount[2]);
  const [, name = "", value = ""] = /^([a-z_]+):(.*)$/i.exec(word) ?? [];
  const filter = NAMES.get(name.toLowerCase());
  if (filter === undefined && /^failed$/i.test(word)) next.status = "error";
  else if (filter === undefined) next.id = word;
  else if (value === "") return `'${name}:' needs a value`;
  else if (filter === "status") return addStatus(next, value.toLowerCase());
  else if (filter === "path") return addPath(next, value.toLowerCase());
  else next[filter] = PATTERNS.has(filter) ? toPattern(value, valuesOf(filter)) : value;
  return undefined;
}

function addAmount(next, name, text) {
  const filter = AMOUNTS.get(name);
  if (filter === undefined) return `'${name}' has no amount: use cost>0.3 or ms>5000`;
  if (filter === "min_cost_usd") {
    const usd = text.replace(/^\$/, "");
    if (!MAX_USD.test(usd)) return "A cost is a number: cost>0.25";
    next.min_cost_usd = usd;
    return undefined;
  }
  const ms = toDuration(text, name === "ms" ? "ms" : "s");
  if (ms === undefined) return "A duration is a number: ms>1500 or duration>1.5s";
  next.min_ms = ms;
  return undefined;
}

function addStatus(next, value) {
  const status = value === "failed" ? "error" : value;
  if (!/^(ok|error|[1-5]\d\d)$/.test(status)) {
    return "A status is ok, error, or a number: status:429";
  }
  next.status = status;
  return undefined;
}

function addPath(next, value) {
  if (!PATHS.has(value)) return `A path is ${[...PATHS.keys()].join(", ")}`;
  next.path = value;
  return undefined;
}

/**
 * Converts a text to the pattern of a filter: it matches a part of a value, unless it is one of the
 * known values or contains `*`. A text that ends with `:` or `=` matches the start of a value, such
 * as `team:`.
 */
function toPattern(text, known) {
  if (text.includes("*") || known.includes(text)) return text;
  return /[:=]$/.test(text) ? `${text}*` : `*${text}*`;
}

/**
 * The active filters, as words.
 *
 * @returns {{ filter: string, name: string, sign: string, value: string }[]}
 */
export function wordsOf(filters) {
  return FILTERS.filter((filter) => filters[filter] !== "").map((filter) => {
    const value = filters[filter];
    if (filter === "min_ms") return { filter, name: "ms", sign: ">", value };
    if (filter === "min_cost_usd") return { filter, name: "cost", sign: ">", value };
    return { filter, name: filter === "end_user" ? "user" : filter, sign: ":", value };
  });
}

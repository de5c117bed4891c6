/** The addresses of requests. The filters are in them, so that a list can be linked. */

/** The filters, with the names of the parameters of `GET /v1/requests`. */
export const FILTERS = [
  "id",
  "key",
  "model",
  "provider",
  "status",
  "tag",
  "end_user",
  "session",
  "min_ms",
  "min_cost_usd",
];
/** The time that is shown: a range up to now, or the first and the last time of another one. */
const TIMES = ["range", "from", "to"];
/** What the list can be sorted by, as the API names it. */
const SORTS = [
  ...["input_tokens", "output_tokens", "cost_usd", "first_token_ms", "ms", "attempt_count"],
];

/** The ranges that are offered, in milliseconds. */
export const RANGES = new Map([
  ["15m", 900_000],
  ["1h", 3_600_000],
  ["6h", 6 * 3_600_000],
  ["24h", 86_400_000],
  ["7d", 7 * 86_400_000],
  ["30d", 30 * 86_400_000],
  ["90d", 90 * 86_400_000],
]);
const DEFAULT_RANGE = "24h";

/** No filter is set, and the time is the default. */
export const NO_FILTERS = {
  ...Object.fromEntries(FILTERS.map((name) => [name, ""])),
  ...{ range: DEFAULT_RANGE, from: "", to: "", sort: "", order: "" },
};

/**
 * Reads the filters, the time and the order of an address; an absent one is an empty string.
 * Without an order, the newest requests are first, or the largest values of `sort`.
 */
export function readFilters(query) {
  const sort = SORTS.find((name) => name === query.get("sort")) ?? "";
  const texts = {
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])),
    sort,
    order: sort !== "" && query.get("order") === "asc" ? "asc" : "",
  };
  const [from, to] = [readTime(query.get("from")), readTime(query.get("to"))];
  if (from !== "" && to !== "" && from < to) return { ...texts, range: "custom", from, to };
  const range = query.get("range");
  return { ...texts, range: RANGES.has(range) ? range : DEFAULT_RANGE, from: "", to: "" };
}

/** A valid time in UTC as the API takes it; an empty string for anything else. */
function readTime(text) {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? "" : new Date(time).toISOString();
}

/** Whether any filter is set, besides the time. */
export function isFiltered(filters) {
  return FILTERS.some((name) => filters[name] !== "");
}

/** The same filters with the time between two times in milliseconds. */
export function withTimes(filters, from, to) {
  const text = (time) => new Date(time).toISOString();
  return { ...filters, range: "custom", from: text(from), to: text(to) };
}

/** Only the time of some filters. */
export function timeOf({ range, from, to }) {
  return { ...NO_FILTERS, range, from, to };
}

/**
 * The address of the list with these filters, or of a request of it.
 *
 * @param {Record<string, string>} filters
 * @param {string} [id] the ID of a request
 * @param {string | null} [time] when that request ended, which makes the search for it fast
 */
export function addressOf(filters, id, time) {
  const query = new URLSearchParams();
  for (const name of [...FILTERS, ...TIMES, "sort", "order"]) {
    const value = filters[name] ?? "";
    const isImplied = name === "range" && (value === DEFAULT_RANGE || value === "custom");
    if (value !== "" && !isImplied) query.set(name, value);
  }
  if (id !== undefined && time) query.set("time", time);
  const text = query.toString();
  const path = id === undefined ? "#/requests" : `#/requests/${encodeURIComponent(id)}`;
  return text === "" ? path : `${path}?${text}`;
}

/** The parameters of the API for these filters. A range ends with the newest request. */
export function toParameters(filters, now) {
  const { range, from, to } = filters;
  const query = new URLSearchParams(
    range === "custom" ? { from, to } : { from: new Date(now - RANGES.get(range)).toISOString() },
  );
  for (const name of FILTERS) if (filters[name] !== "") query.set(name, filters[name]);
  return query;
}

/** The period of these filters in milliseconds. */
export function periodOf({ range, from, to }, now) {
  if (range === "custom") return { from: Date.parse(from), to: Date.parse(to) };
  return { from: now - RANGES.get(range), to: now };
}

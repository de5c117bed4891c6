/** The URLs of requests. They contain the filters, so that a list can be linked. */

import { periodOf as periodOfRange, RANGE_NAMES, readRange } from "../../lib/range.js";

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
  "path",
];
/** The sort keys of the list, as the API names them. */
const SORTS = [
  ...["time", "status", "model", "provider", "key", "path", "ms", "cost_usd"],
  ...["input_tokens", "output_tokens", "first_token_ms", "attempt_count"],
];

const DEFAULT_RANGE = "24h";

/** No filters, and the range of the tab. */
export const NO_FILTERS = {
  ...Object.fromEntries(FILTERS.map((name) => [name, ""])),
  ...{ range: "", from: "", to: "", sort: "", order: "" },
};

/**
 * Reads the filters, the range and the order from a URL; absent values are empty strings. The
 * default order is newest first, or the largest values of `sort` first.
 */
export function readFilters(query) {
  const isRising = query.get("order") === "asc";
  const named = SORTS.find((name) => name === query.get("sort")) ?? "";
  // By time, the newest are first without an order.
  const sort = named === "time" && !isRising ? "" : named;
  const texts = {
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])),
    sort,
    order: sort !== "" && isRising ? "asc" : "",
  };
  return { ...texts, ...readRange(query, DEFAULT_RANGE) };
}

/** Whether any filter other than the range is set. */
export function isFiltered(filters) {
  return FILTERS.some((name) => filters[name] !== "");
}

/** The same filters with a range in milliseconds. */
export function withTimes(filters, from, to) {
  const text = (time) => new Date(time).toISOString();
  return { ...filters, range: "custom", from: text(from), to: text(to) };
}

/** The range of some filters only. */
export function timeOf({ range, from, to }) {
  return { ...NO_FILTERS, range, from, to };
}

/**
 * The URL of the list with these filters, or of a request in it.
 *
 * @param {Record<string, string>} filters
 * @param {string} [id] the ID of a request
 * @param {string | null} [time] when that request ended, which speeds up the search for it
 */
export function addressOf(filters, id, time) {
  const query = new URLSearchParams();
  for (const name of [...FILTERS, ...RANGE_NAMES, "sort", "order"]) {
    const value = filters[name] ?? "";
    const isImplied = name === "range" && value === "custom";
    if (value !== "" && !isImplied) query.set(name, value);
  }
  if (id !== undefined && time) query.set("time", time);
  const text = query.toString();
  const path = id === undefined ? "#/requests" : `#/requests/${encodeURIComponent(id)}`;
  return text === "" ? path : `${path}?${text}`;
}

/** The parameters of the API for these filters. A range up to now ends with the newest request. */
export function toParameters(filters, now, zone) {
  const { from, isOpen, to } = periodOf(filters, now, zone);
  const text = (time) => new Date(time).toISOString();
  const query = new URLSearchParams({ from: text(from), ...(!isOpen && { to: text(to) }) });
  for (const name of FILTERS) if (filters[name] !== "") query.set(name, filters[name]);
  return query;
}

/** The period of these filters in milliseconds. */
export function periodOf(filters, now, zone) {
  return periodOfRange(filters, now, zone);
}

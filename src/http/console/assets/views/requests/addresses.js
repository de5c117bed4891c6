/** The addresses of requests. The filters are in them, so that a list can be linked. */

/** The names of the filters. */
export const FILTERS = ["key", "model", "provider", "status", "tag"];

/** No filter is set. */
export const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, ""]));

/** Reads the filters of an address; an absent one is an empty string. */
export function readFilters(query) {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""]));
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
  for (const name of FILTERS) if (filters[name] !== "") query.set(name, filters[name]);
  if (id !== undefined && time) query.set("time", time);
  const text = query.toString();
  const path = id === undefined ? "#/requests" : `#/requests/${encodeURIComponent(id)}`;
  return text === "" ? path : `${path}?${text}`;
}

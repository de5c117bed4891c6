/** Links from a figure to its requests. */

import { addressOf, FILTERS, NO_FILTERS, withTimes } from "../requests/addresses.js";
import { filtersOf, toAddress } from "./choice.js";

/** Labels for several values, or for none. */
const NO_VALUES = new Set(["(other)", "(unreadable)"]);

/** The URL of the requests in a period, with further filters. */
export function requestsOf(choice, { from, to }, filters = {}) {
  const known = Object.entries(filtersOf(choice)).filter(([name]) => FILTERS.includes(name));
  return addressOf(
    withTimes({ ...NO_FILTERS, ...Object.fromEntries(known), ...filters }, from, to),
  );
}

/**
 * The URL of the requests of a group, or of its usage if requests cannot be filtered by it;
 * undefined if no filter selects it.
 */
export function requestsOfGroup(choice, period, by, value, status = "") {
  if (value === null || value === undefined || NO_VALUES.has(value)) return undefined;
  if (FILTERS.includes(by)) return requestsOf(choice, period, { [by]: value, status });
  return toAddress({ ...choice, [by]: value, by: "key", then: "" });
}

/** The URL of the requests of one hour or day of a chart. */
export function requestsAt(choice, { end, starts }, index) {
  return requestsOf(choice, { from: starts[index], to: starts[index + 1] ?? end });
}

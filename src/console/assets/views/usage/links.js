/** From a figure to the requests that it consists of. */

import { addressOf, NO_FILTERS, withTimes } from "../requests/addresses.js";
import { filtersOf, stepOf } from "./choice.js";

/** Names that stand for several values, or for none. */
const NO_VALUES = new Set(["(other)", "(unreadable)"]);

/** The address of the requests of a choice in a period, with further filters. */
export function requestsOf(choice, { from, to }, filters = {}) {
  return addressOf(withTimes({ ...NO_FILTERS, ...filtersOf(choice), ...filters }, from, to));
}

/** The address of the requests of a group; undefined for one that no filter selects. */
export function requestsOfGroup(choice, period, by, value, status = "") {
  if (value === null || value === undefined || NO_VALUES.has(value)) return undefined;
  return requestsOf(choice, period, { [by]: value, status });
}

/** The address of the requests of one time of a chart, in seconds of the zone. */
export function requestsAt(choice, { unit, offset }, seconds) {
  const from = seconds * 1000 - offset;
  return requestsOf(choice, { from, to: from + stepOf(unit) });
}

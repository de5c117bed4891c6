/**
 * The clock of the gateway, from the `date` header of its answers: the browser's clock may be
 * wrong.
 */

/**
 * The difference from which the browser's clock is not used; `date` has a resolution of one second.
 */
const TOLERATED_MS = 2000;

let difference = 0;

/** Records the date of an answer. @param {Headers} headers @param {number} [now] */
export function noteServerDate(headers, now = Date.now()) {
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date)) return;
  // The date is truncated to a second, so half a second is added.
  const found = date + 500 - now;
  difference = Math.abs(found) > TOLERATED_MS ? found : 0;
}

/** The time of the gateway, in milliseconds. */
export function serverNow() {
  return Date.now() + difference;
}

/** The clock of the gateway, by the `date` of its answers: that of the browser may be wrong. */

/** The difference from which the clock of the browser is not used: dates have whole seconds. */
const TOLERATED_MS = 2000;

let difference = 0;

/** Notes the date of an answer. @param {Headers} headers @param {number} [now] */
export function noteServerDate(headers, now = Date.now()) {
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date)) return;
  // A date is cut to its second: the middle of that is meant.
  const found = date + 500 - now;
  difference = Math.abs(found) > TOLERATED_MS ? found : 0;
}

/** The time of the gateway, in milliseconds. */
export function serverNow() {
  return Date.now() + difference;
}

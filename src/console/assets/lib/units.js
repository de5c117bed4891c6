/** Billing units other than tokens, such as images. */

import { count } from "./format.js";

/**
 * The members of a request or a sum, with their titles and texts; and their prices: the setting in
 * config.yaml, the quantity that it is for, and the name of that quantity.
 */
export const UNITS = [
  {
    ...{ id: "searches", title: "Searches", text: count },
    ...{ setting: "thousand_searches", quantity: 1000, per: "1,000 searches" },
  },
  {
    ...{ id: "images", title: "Images", text: count },
    ...{ setting: "image", quantity: 1, per: "image" },
  },
  {
    ...{ id: "characters", title: "Characters spoken", text: count },
    ...{ setting: "million_characters", quantity: 1_000_000, per: "million characters" },
  },
  {
    ...{ id: "seconds", title: "Audio", text: audio },
    ...{ setting: "minute", quantity: 60, per: "minute" },
  },
];

/** The units that occur in any entry. */
export function usedUnits(entries) {
  return UNITS.filter(({ id }) => entries.some((entry) => entry?.[id] > 0));
}

/** The price of a unit, such as `$0.04 per image`. */
export function unitPriceText({ per, quantity }, price) {
  return `$${Number((price * quantity).toPrecision(3))} per ${per}`;
}

/** The prices of units, as texts. @param {any} prices */
export function unitPricesOf(prices) {
  return UNITS.filter(({ id }) => prices?.units?.[id] !== undefined)
    .map((unit) => unitPriceText(unit, prices.units[unit.id]));
}

/** Seconds, such as `2.5 s`, or minutes, such as `3 min 20 s`. */
function audio(seconds) {
  if (seconds < 60) return `${Math.round(10 * seconds) / 10} s`;
  const whole = Math.round(seconds);
  return `${count(Math.floor(whole / 60))} min ${whole % 60} s`;
}

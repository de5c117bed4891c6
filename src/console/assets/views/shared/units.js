/** Billing units other than tokens, such as images. */

import { count } from "../../lib/format.js";

/** The members of a request or a sum, with their titles and texts. */
export const UNITS = [
  { id: "searches", title: "Searches", text: count },
  { id: "images", title: "Images", text: count },
  { id: "characters", title: "Characters spoken", text: count },
  { id: "seconds", title: "Audio", text: audio },
];

/** The units that occur in any entry. */
export function usedUnits(entries) {
  return UNITS.filter(({ id }) => entries.some((entry) => entry?.[id] > 0));
}

/** Seconds, such as `2.5 s`, or minutes, such as `3 min 20 s`. */
function audio(seconds) {
  if (seconds < 60) return `${Math.round(10 * seconds) / 10} s`;
  const whole = Math.round(seconds);
  return `${count(Math.floor(whole / 60))} min ${whole % 60} s`;
}

/** Whether two JSON values are equal. */

import { isObject } from "./object.ts";

/** Compares all levels; members may have another order. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let at = 0; at < one.length; at++) if (!isEqual(one[at], other[at])) return false;
    return true;
  }
  if (!isObject(one) || !isObject(other)) return false;
  let count = 0;
  for (const name in one) {
    if (!Object.hasOwn(other, name) || !isEqual(one[name], other[name])) return false;
    count++;
  }
  for (const _ in other) count--;
  return count === 0;
}

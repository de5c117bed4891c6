/** Changes entries of a list without copying what stays. */

import { isObject, type JsonObject } from "./object.ts";

/** Changes the objects of a list. Returns the same list if no entry changes. */
export function changeEntries(
  list: readonly unknown[],
  change: (entry: JsonObject) => JsonObject,
): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, entry] of list.entries()) {
    if (!isObject(entry)) continue;
    const own = change(entry);
    if (own !== entry) (changed ??= [...list])[index] = own;
  }
  return changed ?? list;
}

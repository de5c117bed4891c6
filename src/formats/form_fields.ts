/** The fields of a form as members of an object. */

import type { JsonObject } from "../core/json/object.ts";
import type { FormField } from "../providers/contract/form.ts";

/** Texts, and lists of texts for names that are repeated or end in `[]`. */
export function toFieldMembers(fields: readonly FormField[]): JsonObject {
  const values = new Map<string, string | string[]>();
  for (const [written, value] of fields) {
    const name = written.replace(/\[\]$/, "");
    const before = values.get(name);
    if (before === undefined && name === written) values.set(name, value);
    else values.set(name, [...(before === undefined ? [] : [before].flat()), value]);
  }
  return Object.fromEntries(values);
}

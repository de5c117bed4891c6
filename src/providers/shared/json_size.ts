/** Estimates the size of JSON values without serializing them. */

import type { JsonObject } from "../../core/json/object.ts";

/** The characters of a member besides its name and value: quotes, colon and comma. */
const MEMBER_CHARS = 4;
/** The approximate characters of a number, a boolean or null. */
const SCALAR_CHARS = 8;
/** An empty object or list costs as much work as this many characters. */
const CONTAINER_CHARS = 24;

/**
 * Measures values that share parts. Each object and list is measured once, even if several values
 * contain it. Escapes in strings are not counted.
 */
export class JsonSizes {
  readonly #sizes = new Map<object, number>();

  /** The approximate number of characters of a value as JSON. */
  of(value: unknown): number {
    if (typeof value === "string") return value.length + 2;
    if (typeof value !== "object" || value === null) return SCALAR_CHARS;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = CONTAINER_CHARS;
    if (Array.isArray(value)) {
      for (const entry of value) size += this.of(entry) + 1;
    } else {
      const members = value as JsonObject;
      for (const name of Object.keys(members)) {
        size += name.length + MEMBER_CHARS + this.of(members[name]);
      }
    }
    this.#sizes.set(value, size);
    return size;
  }
}

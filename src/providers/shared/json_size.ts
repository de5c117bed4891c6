/** How long JSON values are as text, without writing the text. */

/** Characters that quotes, a colon and a comma take. */
const MEMBER = 4;
/** Characters that numbers and words take at most, about. */
const SCALAR = 8;

/**
 * Measures values that share parts: each object and list is looked at once, however many of the
 * values that are asked about hold it. Escapes in strings are not counted.
 */
export class JsonSizes {
  readonly #sizes = new Map<object, number>();

  /** About how many characters a value takes as JSON. */
  of(value: unknown): number {
    if (typeof value === "string") return value.length + 2;
    if (typeof value !== "object" || value === null) return SCALAR;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = 2;
    if (Array.isArray(value)) {
      for (const entry of value) size += this.of(entry) + 1;
    } else {
      for (const [name, member] of Object.entries(value)) {
        size += name.length + MEMBER + this.of(member);
      }
    }
    this.#sizes.set(value, size);
    return size;
  }
}

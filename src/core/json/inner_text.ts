/** Limits the values of one request that are written as JSON at once. */

import { JsonError } from "./error.ts";
import { isObject } from "./object.ts";

/** Written at once without blocking the event loop for long; the same size as for parsing. */
const MAX_CHARS = 8_000_000;

export class InnerText {
  #left = MAX_CHARS;

  /**
   * Counts the texts of a value.
   *
   * @throws {JsonError} when all values together are over the limit, with a message that names it.
   */
  add(value: unknown): void {
    if (typeof value === "string") this.#take(value.length);
    else if (Array.isArray(value)) { for (const item of value) this.add(item); }
    else if (isObject(value)) {
      for (const name in value) {
        this.#take(name.length);
        this.add(value[name]);
      }
    }
  }

  #take(length: number): void {
    this.#left -= length;
    if (this.#left < 0) throw new JsonError(`at most ${MAX_CHARS} characters of text`);
  }
}

/** Finds out whether `JSON.parse` and a few searches suffice to keep the texts of numbers. */

import { findChangingNumber, keepText, markWithTexts } from "./number_texts.ts";
import { isObject, type JsonObject } from "./object.ts";

/**
 * Numbers that are looked up in the parsed value. Most texts with any have one or two: many clients
 * write the settings of a request as `1.0`.
 */
const MAX_FOUND = 4;

/** The longest name that is looked up, with its quotes and some white space. */
const MAX_NAME_LENGTH = 48;

const NAME = /"([^"\\]+)"\s*$/;
const NUMBER = /:\s*(-?\d[\d.eE+-]*)[\s,}]/y;

/** Searches a text, in pieces, for numbers that JavaScript would write in another way. */
export class NumberSearch {
  /** Texts of numbers by the names of their members. */
  readonly #found = new Map<string, string>();
  #isTooMuch = false;

  /** Searches a piece of the text. Returns whether it must be read number by number. */
  push(piece: string): boolean {
    for (let at = findChangingNumber(piece); at !== -1; at = findChangingNumber(piece, at + 1)) {
      const name = NAME.exec(piece.slice(Math.max(0, at - MAX_NAME_LENGTH), at))?.[1];
      NUMBER.lastIndex = at;
      const text = NUMBER.exec(piece)?.[1];
      if (name === undefined || text === undefined) return this.#isTooMuch = true;
      this.#found.set(name, text);
      if (this.#found.size > MAX_FOUND) return this.#isTooMuch = true;
    }
    return false;
  }

  /**
   * Gives the value that `JSON.parse` returned the texts of its numbers.
   *
   * @returns whether all were found
   */
  keepIn(text: string, value: unknown): boolean {
    if (this.#isTooMuch) return false;
    if (this.#found.size === 0) return true;
    if (!isObject(value)) return false;
    for (const [name, number] of this.#found) {
      const holder = holderOf(value, name, Number(number));
      if (holder === undefined || occursTwice(`"${name}"`, text)) return false;
      if (keepText(holder, name, Number(number), number)) markWithTexts(value);
    }
    return true;
  }
}

/** The object with a number: the outermost one, or a member of it such as `generationConfig`. */
function holderOf(root: JsonObject, name: string, number: number): JsonObject | undefined {
  for (const holder of [root, ...Object.values(root)]) {
    if (isObject(holder) && Object.hasOwn(holder, name) && Object.is(holder[name], number)) {
      return holder;
    }
  }
  return undefined;
}

function occursTwice(quoted: string, text: string): boolean {
  return text.includes(quoted, text.indexOf(quoted) + 1);
}

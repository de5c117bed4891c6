/** How much a JSON document holds. */

import {
  BACKSLASH,
  BRACE_BIT,
  CLOSING_BRACE,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  SPACE,
} from "./characters.ts";

/** The most that one document may hold. */
export interface JsonLimits {
  /** List entries and object members, of all levels together. */
  readonly elements: number;
  /** Members of one object. */
  readonly members: number;
  /** Lists and objects within each other. */
  readonly depth: number;
}

/** Members that one object of a request may have. */
export const MAX_MEMBERS = 10_000;

/** Lists and objects that a request may have within each other. */
export const MAX_DEPTH = 256;

/**
 * JSON of up to so many bytes is parsed or written in one go, which is the cheapest.
 * Larger JSON is handled in pieces, so that others do not wait for it.
 */
export const MAX_BYTES_AT_ONCE = 4 * 1024 * 1024;

/** Of a string, so many characters are looked at before its end is searched natively. */
const LOOKED_AT = 24;

/** Whether a JSON text keeps to the limits. Of text that is not JSON it says nothing of use. */
export function isWithin(text: string, limits: JsonLimits): boolean {
  // An element takes at least one character and a separator, and a level two brackets.
  const least = Math.min(limits.elements, limits.members, limits.depth);
  if (text.length <= 2 * least) return true;
  const { elements, members, depth } = countJson(text, limits);
  return elements <= limits.elements && members <= limits.members && depth <= limits.depth;
}

/**
 * What a JSON text holds, counted until it is over a limit. Of text that is not JSON
 * it says nothing of use.
 */
export function countJson(text: string, limits: JsonLimits): JsonLimits {
  let elements = 0;
  let members = 0;
  let depth = 0;
  let deepest = 0;
  /** Elements of the container that is open, and of those around it. */
  let own = 0;
  const around: number[] = [];
  /** Whether nothing but white space has come since a container began. */
  let isEmpty = false;
  // What closes more than it opens is not JSON.
  for (let at = 0; at < text.length && deepest <= limits.depth && depth >= 0; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    // Digits, in the first place.
    if (code > COMMA && code < OPENING_BRACKET) {
      isEmpty = false;
    } else if (code === QUOTE) {
      at = endOfString(text, at + 1);
      isEmpty = false;
    } else if (code === COMMA) {
      own++;
    } else if ((code | BRACE_BIT) === OPENING_BRACE) {
      around[depth] = own;
      if (++depth > deepest) deepest = depth;
      // One more than there are commas, unless it turns out to be empty.
      own = 1;
      isEmpty = true;
    } else if ((code | BRACE_BIT) === CLOSING_BRACE) {
      if (isEmpty) own = 0;
      elements += own;
      if (code === CLOSING_BRACE && own > members) members = own;
      own = around[--depth] ?? 0;
      isEmpty = false;
    } else {
      isEmpty = false;
    }
  }
  return { elements, members, depth: deepest };
}

/** The position of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = start;;) {
    for (const near = Math.min(at + LOOKED_AT, text.length); at < near; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at++;
    }
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let escape = quote;
    while (escape > at && text.charCodeAt(escape - 1) === BACKSLASH) escape--;
    // Of an even number of backslashes, each second one is escaped itself.
    if ((quote - escape) % 2 === 0) return quote;
    at = quote + 1;
  }
}

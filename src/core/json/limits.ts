/** How much a JSON document holds. */

import {
  BACKSLASH,
  BRACE_BIT,
  CLOSING_BRACE,
  COMMA,
  OPENING_BRACE,
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

/** After this many bytes of a string, the native search for its end is cheaper. */
const MIN_BYTES_TO_SEARCH = 128;

/** Whether JSON in UTF-8 keeps to the limits. The result means nothing for other bytes. */
export function isWithin(bytes: Uint8Array, limits: JsonLimits): boolean {
  // An element takes at least one byte and a separator, and a level two brackets.
  const least = Math.min(limits.elements, limits.members, limits.depth);
  if (bytes.length <= 2 * least) return true;
  const { elements, members, depth } = countJson(bytes, limits);
  return elements <= limits.elements && members <= limits.members && depth <= limits.depth;
}

/** Lists and objects that a vendor's answer may have within each other. */
const MAX_ANSWER_DEPTH = 512;

/** Answers of fewer UTF-16 units are parsed in a few milliseconds, whatever they hold. */
const MIN_LENGTH_COUNTED = 256 * 1024;

/** Whether a vendor's answer is quick to parse. Lists within lists take far longer than the rest. */
export function isQuickToParse(answer: string): boolean {
  if (answer.length < MIN_LENGTH_COUNTED) return true;
  return isWithin(new TextEncoder().encode(answer), {
    elements: Infinity,
    members: Infinity,
    depth: MAX_ANSWER_DEPTH,
  });
}

/**
 * Counts what JSON in UTF-8 holds, until a limit is exceeded. The result means nothing
 * for other bytes.
 */
export function countJson(bytes: Uint8Array, limits: JsonLimits): JsonLimits {
  let elements = 0;
  let members = 0;
  let depth = 0;
  let deepest = 0;
  /** Elements of the container that is open, and of those around it. */
  let own = 0;
  const around: number[] = [];
  /** Whether nothing but white space has come since a container began. */
  let isEmpty = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1);
      isEmpty = false;
    } else if (byte === COMMA) {
      // One list alone may exceed the limit.
      if (++own > limits.elements) return { elements: own, members, depth: deepest };
    } else if ((byte | BRACE_BIT) === OPENING_BRACE) {
      around[depth] = own;
      if (++depth > deepest) deepest = depth;
      if (deepest > limits.depth) break;
      // One more than the commas, unless it is empty.
      own = 1;
      isEmpty = true;
    } else if ((byte | BRACE_BIT) === CLOSING_BRACE) {
      if (isEmpty) own = 0;
      elements += own;
      if (byte === CLOSING_BRACE && own > members) members = own;
      // More closing than opening brackets: not JSON.
      if (depth === 0) break;
      own = around[--depth] ?? 0;
      isEmpty = false;
    } else if (byte > SPACE) {
      isEmpty = false;
    }
  }
  return { elements, members, depth: deepest };
}

/** The position of the quote that ends a string. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start;;) {
    for (const near = Math.min(at + MIN_BYTES_TO_SEARCH, bytes.length); at < near; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at++;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    let escape = quote;
    while (escape > at && bytes[escape - 1] === BACKSLASH) escape--;
    // Of an even number of backslashes, each second one is escaped itself.
    if ((quote - escape) % 2 === 0) return quote;
    at = quote + 1;
  }
}

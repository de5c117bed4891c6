/** Limits on the elements and the nesting of a JSON document. */

import {
  BACKSLASH,
  BRACE_BIT,
  CLOSING_BRACE,
  COMMA,
  OPENING_BRACE,
  QUOTE,
  SPACE,
} from "./characters.ts";

/** The limits of one document. */
export interface JsonLimits {
  /** List entries and object members of all levels. */
  readonly elements: number;
  /** Members of one object. */
  readonly members: number;
  /** The nesting depth of lists and objects. */
  readonly depth: number;
}

/** The maximum number of members of one object in a request. */
export const MAX_MEMBERS = 10_000;

/** The maximum nesting depth of a request. */
export const MAX_DEPTH = 256;

/** After this many bytes of a string, the native search for its end is cheaper. */
const MIN_BYTES_TO_SEARCH = 128;

/** Whether JSON in UTF-8 is within the limits. For other bytes the result is undefined. */
export function isWithin(bytes: Uint8Array, limits: JsonLimits): boolean {
  // An element takes at least one byte and a separator, and a level two brackets.
  const least = Math.min(limits.elements, limits.members, limits.depth);
  if (bytes.length <= 2 * least) return true;
  const { elements, members, depth } = countJson(bytes, limits);
  return elements <= limits.elements && members <= limits.members && depth <= limits.depth;
}

/** `JSON.parse` is used for texts with at most this many backslashes: each one is slow. */
export const MAX_BACKSLASHES = 500_000;

/** Whether a text has few enough backslashes for `JSON.parse`. */
export function hasFewBackslashes(text: string): boolean {
  return hasAtMost(MAX_BACKSLASHES, "\\", text);
}

function hasAtMost(count: number, character: string, text: string): boolean {
  return text.length <= count || countUpTo(count + 1, character, text) <= count;
}

/** How often a character is in a text; the search ends when `most` are found. */
export function countUpTo(most: number, character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
    if (++count >= most) break;
  }
  return count;
}

/** List entries and object members that a vendor's answer, or one event of it, may hold. */
export const MAX_VENDOR_ELEMENTS = 50_000;

/** Lists and objects that a vendor's answer may have within each other. */
export const MAX_VENDOR_DEPTH = 512;

/**
 * JSON of up to this many UTF-16 units needs no count of its elements: even the slowest JSON of this
 * length is parsed in a few milliseconds.
 */
export const MAX_LENGTH_NOT_COUNTED = 64 * 1024;

const QUICK_TO_PARSE: JsonLimits = {
  elements: MAX_VENDOR_ELEMENTS,
  members: MAX_MEMBERS,
  depth: MAX_VENDOR_DEPTH,
};

/**
 * Whether a vendor's JSON can be parsed and converted in a few milliseconds, not counting long
 * strings.
 */
export function isQuickToParse(text: string): boolean {
  if (text.length <= MAX_LENGTH_NOT_COUNTED) return true;
  if (!hasFewBackslashes(text)) return false;
  // Most long texts contain one long string and little else, which a few searches prove.
  const isSimple = hasAtMost(MAX_MEMBERS / 2, ",", text) &&
    hasAtMost(MAX_VENDOR_DEPTH, "[", text) && hasAtMost(MAX_VENDOR_DEPTH, "{", text);
  return isSimple || isWithin(new TextEncoder().encode(text), QUICK_TO_PARSE);
}

/**
 * Counts the elements of JSON in UTF-8 until a limit is exceeded. For other bytes the result is
 * undefined.
 */
export function countJson(bytes: Uint8Array, limits: JsonLimits): JsonLimits {
  let elements = 0;
  let members = 0;
  let depth = 0;
  let deepest = 0;
  /** The elements of the current container, and of those that contain it. */
  let own = 0;
  const around: number[] = [];
  /** Whether only white space has followed the start of the container. */
  let isEmpty = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1);
      isEmpty = false;
    } else if (byte === COMMA) {
      // A single list may exceed the limit.
      if (++own > limits.elements) return { elements: own, members, depth: deepest };
    } else if ((byte | BRACE_BIT) === OPENING_BRACE) {
      around[depth] = own;
      if (++depth > deepest) deepest = depth;
      if (deepest > limits.depth) return { elements, members, depth: deepest };
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
  // Unclosed containers are parsed, too, until the missing end is found.
  for (; depth > 0; own = around[--depth] ?? 0) elements += own;
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

/** Limits on JSON documents: elements, nesting, backslashes and length; and the parser's errors. */

import { type JsonLimits, JsonScan } from "./scan.ts";

/** The maximum number of members in one object of a request. */
export const MAX_MEMBERS = 10_000;

/** The maximum nesting depth of a request. */
export const MAX_DEPTH = 256;

/** Whether JSON in UTF-8 is within the limits. For other bytes the result is undefined. */
export function isWithin(bytes: Uint8Array, limits: JsonLimits): boolean {
  // An element takes at least one byte and a separator; a nesting level takes two brackets.
  const least = Math.min(limits.elements, limits.members, limits.depth);
  if (bytes.length <= 2 * least) return true;
  return new JsonScan(bytes, limits).isWithin(limits);
}

/** `JSON.parse` is used only for texts with at most this many backslashes, since each is slow. */
export const MAX_BACKSLASHES = 500_000;

/** Whether a text has few enough backslashes for `JSON.parse`. */
export function hasFewBackslashes(text: string): boolean {
  return hasAtMost(MAX_BACKSLASHES, "\\", text);
}

function hasAtMost(count: number, character: string, text: string): boolean {
  return text.length <= count || countUpTo(count + 1, character, text) <= count;
}

/** Counts occurrences of a character in a text, up to `most`. */
export function countUpTo(most: number, character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
    if (++count >= most) break;
  }
  return count;
}

/** The maximum number of list entries and object members in a vendor's answer, or in one event. */
export const MAX_VENDOR_ELEMENTS = 50_000;

/** The maximum nesting depth of lists and objects in a vendor's answer. */
export const MAX_VENDOR_DEPTH = 512;

/**
 * The elements in JSON of up to this many UTF-16 units need not be counted: even the slowest JSON
 * of this length is parsed in a few milliseconds.
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
  // Most long texts contain one long string and little else, which a few searches can prove.
  const isSimple = hasAtMost(MAX_MEMBERS / 2, ",", text) &&
    hasAtMost(MAX_VENDOR_DEPTH, "[", text) && hasAtMost(MAX_VENDOR_DEPTH, "{", text);
  return isSimple || isWithin(new TextEncoder().encode(text), QUICK_TO_PARSE);
}

/** The names and indexes that lead to an element. */
type JsonPath = readonly (string | number)[];

/** The document is not valid JSON or exceeds a limit. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  /** The exceeded limit; undefined when the document is not valid JSON. */
  readonly limit: keyof JsonLimits | undefined;
  /** The first element over the limit. */
  readonly path: JsonPath;

  constructor(message: string, limit?: keyof JsonLimits, path: JsonPath = []) {
    super(message);
    this.limit = limit;
    this.path = path;
  }
}

/** The parser's states, and the expected token in each state for error messages. */
export const EXPECTED = {
  value: "a value",
  firstEntry: "a value or ']'",
  firstName: "a member name in double quotes or '}'",
  name: "a member name in double quotes",
  colon: "':'",
  nextEntry: "',' or ']'",
  nextMember: "',' or '}'",
  end: "the end",
} as const;

/** A parser state. */
export type State = keyof typeof EXPECTED;

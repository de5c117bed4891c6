/** The character codes of JSON's grammar. */

import { Buffer } from "node:buffer";

export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPENING_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSING_BRACKET = 0x5d;
export const LETTER_U = 0x75;
export const OPENING_BRACE = 0x7b;
export const CLOSING_BRACE = 0x7d;

/** The bit that distinguishes a brace from a bracket. */
export const BRACE_BIT = 0x20;

/** Whether a number or a literal ends before this character. */
export function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSING_BRACKET || code === CLOSING_BRACE || code === SPACE ||
    code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}

// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f]/;

/** Whether a text needs no escapes in JSON. Separate searches are faster than one pattern. */
export function isPlain(text: string): boolean {
  return !text.includes('"') && !text.includes("\\") && text.isWellFormed() &&
    !CONTROL.test(text);
}

/** Valid escape sequences, and the characters that are not allowed in a string. */
// deno-lint-ignore no-control-regex
const ESCAPE_OR_FAULT = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})|[\x00-\x1f\\]/g;

/** The position of the first invalid character in a JSON string. */
export function faultInString(raw: string): number {
  for (const { 0: found, index } of raw.matchAll(ESCAPE_OR_FAULT)) {
    if (found.length === 1) return index;
  }
  return raw.length;
}

/** The character at a position, for an error message; its code point if it is not printable. */
export function shownAt(text: string, at: number): string {
  const codePoint = text.codePointAt(at);
  if (codePoint === undefined) return "end of the text";
  const character = String.fromCodePoint(codePoint);
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character)) return `'${character}'`;
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The bytes between two positions as such text. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
}

/** Decodes UTF-8 from a text with one character per byte. */
export function utf8Of(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

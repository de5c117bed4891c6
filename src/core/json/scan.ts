/**
 * Scans JSON once before it is parsed, for its size, its numbers, and the positions of its members.
 */

import {
  BACKSLASH,
  BRACE_BIT,
  CLOSING_BRACE,
  COLON,
  COMMA,
  endsScalar,
  latin1,
  MINUS,
  NINE,
  OPENING_BRACE,
  QUOTE,
  SPACE,
  ZERO,
} from "./characters.ts";

/** The limits for one document. */
export interface JsonLimits {
  /** List entries and object members at all levels. */
  readonly elements: number;
  /** Members of one object. */
  readonly members: number;
  /** The nesting depth of lists and objects. */
  readonly depth: number;
}

/** After this many bytes of a string, the native search for its end is cheaper. */
const MIN_BYTES_TO_SEARCH = 32;

/** The number of bytes that are searched as one string. */
const WINDOW_BYTES = 64 * 1024;

/** A number with fewer characters has no more digits than JavaScript keeps. */
const MIN_LONG_NUMBER = 16;

/**
 * Strings, lists and objects with fewer bytes are not recorded, since serializing them is as cheap.
 */
const MIN_PART_BYTES = 128;
/** The maximum number of recorded values. */
const MAX_PARTS = 16 * 1024;

/**
 * A number with this prefix may be less than a millionth, which JavaScript writes with an exponent.
 */
const TINY = Array.from("0.000000", (character) => character.charCodeAt(0));

/**
 * Scans JSON in UTF-8 until a limit is exceeded. For other bytes the result is undefined.
 *
 * It counts list entries and object members at all levels, the members of the largest object, and
 * the depth.
 */
export class JsonScan implements JsonLimits {
  elements = 0;
  members = 0;
  depth = 0;
  /** Whether JavaScript may write a number in a list or an object differently. */
  mayChangeNumbers = false;
  /** Whether a member's name has an escape sequence. */
  hasEscapedNames = false;
  /**
   * For each member of the outermost object: the start of its name, the start of its value, and its
   * end.
   */
  readonly ranges: number[] = [];
  /** For each long value: its number among the strings, lists and objects, and its position. */
  readonly parts: number[] = [];
  /** The strings, lists and objects, in document order, without member names. */
  ordinals = 0;
  /** Whether a member has a name that begins with a digit. */
  hasIndexNames = false;
  readonly #bytes: Uint8Array;
  /** A part of the bytes as text with one character per byte, and its start. */
  #window = "";
  #windowStart = 0;
  /** The last escape sequence among the first bytes of a string. */
  #lastEscape = -1;

  /** @param text the decoded bytes, if available; searched if it is ASCII */
  constructor(bytes: Uint8Array, limits: JsonLimits, text?: string) {
    this.#bytes = bytes;
    if (text !== undefined && text.length === bytes.length) this.#window = text;
    this.#scan(limits);
  }

  /** Whether the document is within the limits. */
  isWithin({ elements, members, depth }: JsonLimits): boolean {
    return this.elements <= elements && this.members <= members && this.depth <= depth;
  }

  #scan(limits: JsonLimits): void {
    const bytes = this.#bytes;
    let level = 0;
    /** The element counts for the current container and for those that contain it. */
    let own = 0;
    const around: number[] = [];
    /** The starts of the containers, and their numbers among the values. */
    const begins: number[] = [];
    const numbers: number[] = [];
    /** Whether only whitespace has followed the start of the container. */
    let isEmpty = false;
    let stringStart = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        isEmpty = false;
        stringStart = at;
        at = this.#endOfString(at + 1);
        const number = this.ordinals++;
        if (at - stringStart >= MIN_PART_BYTES) this.#notePart(number, stringStart, at);
      } else if (byte === COMMA) {
        if (level === 1) this.#endMember(at);
        // A single list may exceed the limit.
        if (++own > limits.elements) break;
      } else if (byte === COLON) {
        this.#endName(stringStart, at);
        if (level === 1) this.#beginMember(stringStart, at);
      } else if ((byte | BRACE_BIT) === OPENING_BRACE) {
        around[level] = own;
        begins[level] = at;
        numbers[level] = this.ordinals++;
        if (++level > this.depth) this.depth = level;
        if (level > limits.depth) break;
        // One more than the number of commas, unless the container is empty.
        own = 1;
        isEmpty = true;
      } else if ((byte | BRACE_BIT) === CLOSING_BRACE) {
        if (isEmpty) own = 0;
        this.elements += own;
        if (byte === CLOSING_BRACE && own > this.members) this.members = own;
        // More closing than opening brackets: not JSON.
        if (level === 0) break;
        if (level === 1) this.#endMember(at);
        own = around[--level] ?? 0;
        const begin = begins[level] ?? 0;
        if (at - begin >= MIN_PART_BYTES) this.#notePart(numbers[level] ?? 0, begin, at);
        isEmpty = false;
      } else if (byte > SPACE) {
        isEmpty = false;
        if (byte <= NINE && !this.mayChangeNumbers) at = this.#endOfNumber(at);
      }
    }
    // Unclosed containers are also parsed, to report the missing end.
    for (; level > 0; own = around[--level] ?? 0) this.elements += own;
  }

  #notePart(number: number, start: number, last: number): void {
    if (this.parts.length < 3 * MAX_PARTS) this.parts.push(number, start, last + 1);
  }

  /** Called when a string was the name of a member, followed by a colon. */
  #endName(start: number, colon: number): void {
    const bytes = this.#bytes;
    const { parts } = this;
    const number = --this.ordinals;
    if (parts.length > 0 && parts[parts.length - 3] === number) parts.length -= 3;
    const first = bytes[start + 1] ?? 0;
    if (first <= NINE && first >= ZERO) this.hasIndexNames = true;
    const isLong = colon - start > MIN_BYTES_TO_SEARCH;
    if (this.#lastEscape > start || isLong && latin1(bytes, start, colon).includes("\\")) {
      this.hasEscapedNames = true;
    }
  }

  /** Called when the value of a member of the outermost container follows its colon. */
  #beginMember(name: number, colon: number): void {
    let start = colon + 1;
    while ((this.#bytes[start] ?? 0) <= SPACE && start < this.#bytes.length) start++;
    this.ranges.push(name, start);
  }

  /** Called when a member of the outermost container ends before a position. */
  #endMember(before: number): void {
    const { ranges } = this;
    if (ranges.length % 3 !== 2) return;
    let end = before;
    while ((this.#bytes[end - 1] ?? 0) <= SPACE) end--;
    ranges.push(end);
  }

  /** The position of a number's last character. */
  #endOfNumber(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    let isWhole = true;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= ZERO && byte <= NINE) continue;
      if (endsScalar(byte)) break;
      if (byte !== MINUS || at !== start) isWhole = false;
      // An exponent.
      if (byte > NINE) this.mayChangeNumbers = true;
    }
    if (at - start >= MIN_LONG_NUMBER) this.mayChangeNumbers = true;
    if (!isWhole) {
      if (bytes[at - 1] === ZERO || this.#isTiny(start)) this.mayChangeNumbers = true;
    } else if (bytes[start] === MINUS && bytes[start + 1] === ZERO) this.mayChangeNumbers = true;
    return at - 1;
  }

  #isTiny(start: number): boolean {
    const from = this.#bytes[start] === MINUS ? start + 1 : start;
    return TINY.every((code, index) => this.#bytes[from + index] === code);
  }

  /** The position of the quote that ends a string. */
  #endOfString(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    for (let isFirst = true;; isFirst = false) {
      // Text with code has an escaped quote every few characters.
      for (const near = Math.min(at + MIN_BYTES_TO_SEARCH, bytes.length); at < near; at++) {
        const byte = bytes[at];
        if (byte === QUOTE) return at;
        if (byte !== BACKSLASH) continue;
        if (isFirst) this.#lastEscape = at;
        at++;
      }
      const found = this.#window.indexOf('"', at - this.#windowStart);
      const quote = found === -1 ? this.#searchOn(at) : found + this.#windowStart;
      // An incomplete string may end with a backslash.
      if (quote >= bytes.length) return bytes.length;
      if (bytes[quote - 1] !== BACKSLASH || quote === at) return quote;
      let escape = quote - 1;
      while (escape > at && bytes[escape - 1] === BACKSLASH) escape--;
      // In an even number of backslashes, every second one is escaped.
      if ((quote - escape) % 2 === 0) return quote;
      at = quote + 1;
    }
  }

  /** The position of the next quote after the window. */
  #searchOn(start: number): number {
    const bytes = this.#bytes;
    for (let at = Math.max(start, this.#windowStart + this.#window.length); at < bytes.length;) {
      this.#windowStart = at;
      this.#window = latin1(bytes, at, Math.min(at + WINDOW_BYTES, bytes.length));
      const quote = this.#window.indexOf('"');
      if (quote !== -1) return at + quote;
      at += this.#window.length;
    }
    return bytes.length;
  }
}

const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** Counts the open brackets of one JSON object or list. */
export class JsonScanner {
  #depth = 0;
  #began = false;
  #inString = false;
  #escaped = false;

  /** True once the brackets of the value are closed. */
  get complete(): boolean {
    return this.#began && this.#depth === 0;
  }

  /** Reads the next piece. */
  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (code === BACKSLASH) this.#escaped = true;
        else if (code === QUOTE) this.#inString = false;
      } else if (code === QUOTE) this.#inString = true;
      else if (OPENING.has(code)) {
        this.#depth++;
        this.#began = true;
      } else if (CLOSING.has(code)) this.#depth--;
    }
  }
}

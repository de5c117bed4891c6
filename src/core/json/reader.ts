/** A strict JSON parser for text in pieces, with limits and error positions. */

import {
  findChangingNumber,
  hasTexts,
  keepText,
  markWithTexts,
  NumberSearch,
} from "./number_texts.ts";
import { type JsonObject, setMember } from "./object.ts";
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  endsScalar,
  faultInString,
  isPlain,
  LETTER_U,
  LINE_FEED,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  shownAt,
  SPACE,
  TAB,
} from "./characters.ts";
import { EXPECTED, JsonError, type State } from "./limits.ts";
import type { JsonLimits } from "./scan.ts";

/** The characters that a list of numbers may contain between its brackets. */
const NUMBERS = /[\d\s.,eE+-]*/y;

/** For shorter lists, in UTF-16 units, a search does not pay off. */
const MIN_LENGTH = 64;

/** A list of numbers, and the position after it. */
interface NumberList {
  readonly list: number[];
  readonly end: number;
  /** The number of line breaks in the list, and the position after the last one. */
  readonly lines: number;
  readonly lastLine: number;
}

/**
 * Reads a long list of numbers that ends within the text, all at once. Returns undefined for any
 * other list, and for invalid JSON. Exported for tests.
 *
 * @param start the position of the list's opening bracket
 */
export function readNumberList(text: string, start: number): NumberList | undefined {
  NUMBERS.lastIndex = start + 1;
  NUMBERS.test(text);
  const end = NUMBERS.lastIndex;
  if (text[end] !== "]" || end - start < MIN_LENGTH) return undefined;
  const raw = text.slice(start, end + 1);
  try {
    return { list: JSON.parse(raw), end: end + 1, ...linesOf(raw, start) };
  } catch {
    return undefined;
  }
}

function linesOf(raw: string, start: number): Pick<NumberList, "lines" | "lastLine"> {
  let lines = 0;
  let last = -1;
  for (let at = raw.indexOf("\n"); at !== -1; at = raw.indexOf("\n", at + 1)) {
    lines++;
    last = at;
  }
  return { lines, lastLine: start + last + 1 };
}

/** An incomplete list or object. */
interface Container {
  readonly value: unknown[] | JsonObject;
  readonly isList: boolean;
  /** In an object, the name of the next member. */
  memberName: string;
  /** The number of elements that have begun. */
  count: number;
}

/** For shorter strings, in UTF-16 units, the search for escapes costs more than it saves. */
const MIN_PLAIN_LENGTH = 100;

/** The result of a reader: values with the text of numbers, only values, or nothing. */
export type KeptJson = "texts" | "values" | "nothing";

/**
 * Returns the same value as `JSON.parse`. Each piece is parsed when it is pushed, in linear time.
 */
export class JsonReader {
  readonly #limits: JsonLimits;
  readonly #keeps: KeptJson;
  /** Incomplete containers, from the outermost to the innermost. */
  readonly #open: Container[] = [];
  #root: unknown;
  #state: State = "value";
  #elements = 0;
  /** The part of an incomplete string read so far; undefined outside of strings. */
  #string: string | undefined;
  /** The same for a number or a literal; empty outside. */
  #scalar = "";
  /** The start of an escape sequence at the end of the last piece. */
  #cutEscape = "";
  /** The offsets of the current text, of the start of its line, and of the start of its scalar. */
  #offset = 0;
  #lineStart = 0;
  #scalarStart = 0;
  #line = 1;

  /** @param keeps with "nothing", {@linkcode end} returns undefined */
  constructor(limits: JsonLimits, keeps: KeptJson = "texts") {
    this.#limits = limits;
    this.#keeps = keeps;
  }

  /** @throws {JsonError} for invalid text. The reader cannot be used afterwards. */
  push(piece: string): void {
    const text = this.#cutEscape + piece;
    this.#cutEscape = "";
    let at = 0;
    if (this.#string !== undefined) at = this.#readString(text, 0);
    else if (this.#scalar !== "") at = this.#readScalar(text, 0);
    while (at < text.length) at = this.#readToken(text, at);
    this.#offset += text.length - this.#cutEscape.length;
  }

  /** @throws {JsonError} when the document is incomplete. */
  end(): unknown {
    if (this.#scalar !== "") this.#endScalar();
    if (this.#string !== undefined) throw this.#unexpected("", 0, "the end of a string");
    if (this.#state !== "end") throw this.#unexpected("", 0);
    return this.#root;
  }

  /** Reads whitespace and the next token. Returns the position after it, like the methods below. */
  #readToken(text: string, start: number): number {
    const at = this.#skipSpace(text, start);
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    switch (this.#state) {
      case "firstEntry":
        return code === CLOSING_BRACKET ? this.#close(at) : this.#readValue(text, at, code);
      case "value":
        return this.#readValue(text, at, code);
      case "firstName":
        return code === CLOSING_BRACE ? this.#close(at) : this.#readName(text, at, code);
      case "name":
        return this.#readName(text, at, code);
      case "colon":
        return this.#readMark(text, at, code === COLON, "value");
      case "nextEntry":
        if (code === CLOSING_BRACKET) return this.#close(at);
        return this.#readMark(text, at, code === COMMA, "value");
      case "nextMember":
        if (code === CLOSING_BRACE) return this.#close(at);
        return this.#readMark(text, at, code === COMMA, "name");
      case "end":
        throw this.#unexpected(text, at);
      default:
        return this.#state satisfies never;
    }
  }

  #skipSpace(text: string, start: number): number {
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) {
        this.#line++;
        this.#lineStart = this.#offset + at + 1;
      } else if (code !== SPACE && code !== CARRIAGE_RETURN && code !== TAB) {
        break;
      }
    }
    return at;
  }

  #readValue(text: string, at: number, code: number): number {
    switch (code) {
      case QUOTE:
        this.#string = "";
        return this.#readString(text, at + 1);
      case OPENING_BRACE:
        return this.#enter({}, "firstName", at);
      case OPENING_BRACKET:
        return this.#readNumbers(text, at) ?? this.#enter([], "firstEntry", at);
      default:
        this.#scalarStart = this.#offset + at;
        return this.#readScalar(text, at);
    }
  }

  /** Reads a long list of numbers that is complete in this text. */
  #readNumbers(text: string, at: number): number | undefined {
    const numbers = readNumberList(text, at);
    if (numbers === undefined || this.#open.length === this.#limits.depth) return undefined;
    // A list with a number whose text must be stored is also read entry by entry.
    const hasTexts = this.#keeps === "texts" &&
      findChangingNumber(text.slice(at, numbers.end)) !== -1;
    if (hasTexts) return undefined;
    // A list over the limit is read entry by entry to find the position of the error.
    if (this.#elements + numbers.list.length >= this.#limits.elements) return undefined;
    this.#elements += numbers.list.length;
    this.#place(numbers.list);
    if (numbers.lines > 0) this.#lineStart = this.#offset + numbers.lastLine;
    this.#line += numbers.lines;
    return numbers.end;
  }

  #readName(text: string, at: number, code: number): number {
    if (code !== QUOTE) throw this.#unexpected(text, at);
    this.#state = "name";
    this.#string = "";
    return this.#readString(text, at + 1);
  }

  #readMark(text: string, at: number, fits: boolean, next: State): number {
    if (!fits) throw this.#unexpected(text, at);
    this.#state = next;
    return at + 1;
  }

  /** Reads a string from any place in it to its end, or to the end of the text. */
  #readString(text: string, start: number): number {
    const quote = text.indexOf('"', start);
    let end = quote === -1 ? text.length : quote;
    let stop = end;
    if (text.slice(start, end).includes("\\")) {
      let escape = -1;
      for (end = start; end < text.length && text.charCodeAt(end) !== QUOTE; end++) {
        if (text.charCodeAt(end) === BACKSLASH) escape = end++;
      }
      const escapeLength = text.charCodeAt(escape + 1) === LETTER_U ? 6 : 2;
      stop = end < text.length || escape + escapeLength <= text.length ? end : escape;
    }
    const read = this.#string + this.#decode(text, start, stop);
    if (end < text.length) {
      this.#endString(read);
      return end + 1;
    }
    this.#string = read;
    this.#cutEscape = text.slice(stop);
    return text.length;
  }

  #decode(text: string, start: number, end: number): string {
    const raw = text.slice(start, end);
    if (raw.length > MIN_PLAIN_LENGTH && isPlain(raw)) return raw;
    try {
      return JSON.parse(`"${raw}"`);
    } catch {
      const at = start + faultInString(raw);
      throw this.#unexpected(text, at, "a valid escape sequence or string character");
    }
  }

  #endString(value: string): void {
    this.#string = undefined;
    const container = this.#open.at(-1);
    if (this.#state !== "name" || container === undefined) return this.#place(value);
    container.memberName = value;
    this.#state = "colon";
  }

  /** Reads a number or a literal, as {@linkcode #readString} does. */
  #readScalar(text: string, start: number): number {
    let end = start;
    while (end < text.length && !endsScalar(text.charCodeAt(end))) end++;
    this.#scalar += text.slice(start, end);
    if (this.#scalar === "") throw this.#unexpected(text, start);
    if (end < text.length) this.#endScalar();
    return end;
  }

  #endScalar(): void {
    const scalar = this.#scalar;
    this.#scalar = "";
    let value: unknown;
    try {
      value = JSON.parse(scalar);
    } catch {
      throw this.#unexpected(scalar, 0, EXPECTED.value, this.#scalarStart);
    }
    this.#place(value);
    if (typeof value === "number" && this.#keeps === "texts") this.#keepText(value, scalar);
  }

  #keepText(value: number, text: string): void {
    const container = this.#open.at(-1);
    if (container === undefined) return;
    const { count, isList, memberName, value: holder } = container;
    if (!keepText(holder, isList ? count - 1 : memberName, value, text)) return;
    for (let at = this.#open.length - 2; at >= 0; at--) {
      const outer = this.#open[at]?.value;
      if (outer === undefined || hasTexts(outer)) break;
      markWithTexts(outer);
    }
  }

  #enter(value: Container["value"], next: State, at: number): number {
    this.#place(value);
    if (this.#open.length === this.#limits.depth) throw this.#over("depth");
    this.#open.push({ value, isList: Array.isArray(value), memberName: "", count: 0 });
    this.#state = next;
    return at + 1;
  }

  #close(at: number): number {
    this.#open.pop();
    this.#endValue();
    return at + 1;
  }

  #place(value: unknown): void {
    const container = this.#open.at(-1);
    if (container !== undefined) {
      const { elements, members } = this.#limits;
      container.count++;
      if (++this.#elements > elements) throw this.#over("elements");
      if (!container.isList && container.count > members) throw this.#over("members");
    }
    if (this.#keeps !== "nothing") this.#keep(value, container);
    this.#endValue();
  }

  #keep(value: unknown, container: Container | undefined): void {
    if (container === undefined) this.#root = value;
    else if (Array.isArray(container.value)) container.value.push(value);
    else setMember(container.value, container.memberName, value);
  }

  #endValue(): void {
    const container = this.#open.at(-1);
    if (container === undefined) this.#state = "end";
    else this.#state = container.isList ? "nextEntry" : "nextMember";
  }

  #over(limit: keyof JsonLimits): JsonError {
    const path = this.#open.map(({ isList, memberName, count }) => isList ? count - 1 : memberName);
    return new JsonError(`the limit of ${limit} is exceeded`, limit, path);
  }

  #unexpected(
    text: string,
    at: number,
    expected: string = EXPECTED[this.#state],
    offset = this.#offset + at,
  ): JsonError {
    const column = offset - this.#lineStart + 1;
    const found = shownAt(text, at);
    return new JsonError(
      `unexpected ${found} at line ${this.#line}, column ${column}; expected ${expected}`,
    );
  }
}

/**
 * Returns the same value as `JSON.parse`, and is just as fast for most texts. Numbers that
 * JavaScript would write differently keep their text.
 *
 * @throws {SyntaxError | JsonError} for a text that is not JSON.
 */
export function parsePassed(text: string): unknown {
  if (findChangingNumber(text) === -1) return JSON.parse(text);
  const search = new NumberSearch();
  if (!search.push(text)) {
    const value: unknown = JSON.parse(text);
    if (search.keepIn(text, value)) return value;
  }
  const reader = new JsonReader(UNLIMITED);
  reader.push(text);
  return reader.end();
}

const UNLIMITED: JsonLimits = { elements: Infinity, members: Infinity, depth: Infinity };

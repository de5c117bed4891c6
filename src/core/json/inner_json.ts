/** Parses the JSON inside the strings of one request or answer, with limits on the total. */

import {
  countUpTo,
  JsonError,
  MAX_BACKSLASHES,
  MAX_DEPTH,
  MAX_LENGTH_NOT_COUNTED,
  MAX_MEMBERS,
} from "./limits.ts";
import { isObject, type JsonObject } from "./object.ts";
import { type JsonLimits, JsonScan } from "./scan.ts";
import { parsePassed } from "./reader.ts";

/** The combined limits on all such strings in one request or answer. Exported for tests. */
export interface InnerLimits extends JsonLimits {
  /** UTF-16 units. */
  readonly length: number;
  readonly backslashes: number;
}

/**
 * Small enough to be parsed and converted without blocking the event loop for long. Even the tool
 * calls of a conversation that fills a model's context are shorter.
 */
const LIMITS: InnerLimits = {
  length: 8_000_000,
  backslashes: MAX_BACKSLASHES,
  elements: 50_000,
  members: MAX_MEMBERS,
  depth: MAX_DEPTH,
};

/** The limits on all reasoning state in a request, which consists of a few long strings. */
export const STATE_LIMITS: InnerLimits = { ...LIMITS, length: 16_000_000 };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Parses strings of one request or answer; each is counted before it is parsed. */
export class InnerJson {
  readonly #limits: InnerLimits;
  #length = 0;
  #backslashes = 0;
  #elements = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Returns the same value as `JSON.parse`.
   *
   * @throws {JsonError} for a text over the limits, with a message that names the limit.
   * @throws {SyntaxError} for a text that is not JSON.
   */
  parse(text: string): unknown {
    this.#add(text);
    return JSON.parse(text);
  }

  /** Returns an object whose numbers keep their notation; see {@linkcode parse}. */
  parseObject(text: string): JsonObject | undefined {
    this.#add(text);
    const value = parsePassed(text);
    return isObject(value) ? value : undefined;
  }

  /** The same for JSON in base64url. */
  parseBase64(text: string): unknown {
    if (text.length > this.#limits.length * MAX_BASE64_PER_CHARACTER) throw this.#over("length");
    return this.parse(decoder.decode(Uint8Array.fromBase64(text, { alphabet: "base64url" })));
  }

  #add(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_LENGTH_NOT_COUNTED) this.#count(text);
  }

  #count(text: string): void {
    const { length, backslashes, elements, members, depth } = this.#limits;
    if (this.#length > length) throw this.#over("length");
    this.#backslashes += countUpTo(backslashes + 1 - this.#backslashes, "\\", text);
    if (this.#backslashes > backslashes) throw this.#over("backslashes");
    const counted = new JsonScan(encoder.encode(text), this.#limits);
    this.#elements += counted.elements;
    if (this.#elements > elements) throw this.#over("elements");
    if (counted.members > members) throw this.#over("members");
    if (counted.depth > depth) throw this.#over("depth");
  }

  #over(limit: keyof InnerLimits): JsonError {
    return new JsonError(`at most ${this.#limits[limit]} ${NAMES[limit]}`);
  }
}

/**
 * Base64 takes four characters per three bytes, and most JSON one byte per character. Longer texts
 * are rejected before they are decoded, since decoding takes as long as parsing.
 */
const MAX_BASE64_PER_CHARACTER = 4 / 3;

const NAMES: Readonly<Record<keyof InnerLimits, string>> = {
  length: "characters of JSON",
  backslashes: "escape sequences",
  elements: "list entries and object members",
  members: "members in one object",
  depth: "levels of lists and objects",
};

/**
 * Small enough to write at once without blocking the event loop for long; the same size as for
 * parsing.
 */
const MAX_CHARS = 8_000_000;

export class InnerText {
  #left = MAX_CHARS;

  /**
   * Counts the strings of a value.
   *
   * @throws {JsonError} when all values together exceed the limit, with a message that names it.
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

/**
 * The long parts of a parsed document: values with their bytes. A document with the same values at
 * other positions, such as a converted request, reuses their bytes, so that long values need not be
 * serialized and encoded again.
 */

import { QUOTE } from "./characters.ts";
import { Buffer } from "node:buffer";
import type { JsonObject } from "./object.ts";
import type { JsonScan } from "./scan.ts";

/**
 * A string of at least this many UTF-16 units may be a suffix of a known one, such as the data of a
 * data URL.
 */
const MIN_TAIL_LENGTH = 16 * 1024;
/** The maximum number of strings that are compared with it. */
const MAX_TAILS = 100;
/** The maximum length of the prefix before such a suffix. */
const MAX_BEFORE_TAIL = 8192;
/** The number of strings that are compared to find one that is not in document order. */
const MAX_COMPARED = 500_000;

/** Names and short strings without characters that JSON escapes. */
const PLAIN = /^[\w ./:-]*$/;
const MAX_PLAIN_LENGTH = 64;

const encoder = new TextEncoder();

/** Values of a document with the bytes that they were read from. */
export class KnownParts {
  readonly #bytes: Uint8Array;
  readonly #containers = new Map<object, number>();
  /** In document order. A list, since a map would have to hash each string. */
  readonly #strings: string[] = [];
  /** The positions of the parts: each container, each string, and suffixes of strings. */
  readonly #ranges: number[] = [];
  /** The numbers of the strings. */
  readonly #numbers: number[] = [];
  /** Indexes of long strings in which each character is one byte. */
  readonly #plain: number[] = [];
  /** The string that is expected next. */
  #next = 0;
  #compared = 0;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /**
   * The long parts of a document; undefined if they cannot be matched with its values.
   *
   * @param bytes valid JSON in UTF-8, in which no object has a member twice
   * @param value the result of `JSON.parse` for them, which must not be modified
   */
  static of(bytes: Uint8Array, scan: JsonScan, value: unknown): KnownParts | undefined {
    // Such members are in a different order in the object than in the document.
    if (scan.hasIndexNames) return undefined;
    const parts = new KnownParts(bytes);
    return parts.#match(scan, value) ? parts : undefined;
  }

  /** Matches values with their bytes by order. Returns whether all of them match. */
  #match({ parts, ordinals }: JsonScan, root: unknown): boolean {
    const byOrdinal = new Map<number, number>();
    for (let at = 0; at < parts.length; at += 3) byOrdinal.set(parts[at] ?? 0, at);
    let ordinal = 0;
    const take = (value: string | object) => {
      const at = byOrdinal.get(ordinal++);
      if (at !== undefined) this.#add(value, parts[at + 1] ?? 0, parts[at + 2] ?? 0);
    };
    const visit = (value: unknown) => {
      if (typeof value === "string") take(value);
      else if (Array.isArray(value)) {
        take(value);
        for (let at = 0; at < value.length; at++) visit(value[at]);
      } else if (typeof value === "object" && value !== null) {
        take(value);
        for (const name in value) visit((value as JsonObject)[name]);
      }
    };
    visit(root);
    return ordinal === ordinals;
  }

  #add(value: string | object, start: number, end: number): void {
    const number = this.#ranges.push(start, end) - 2;
    if (typeof value !== "string") {
      this.#containers.set(value, number);
      return;
    }
    const index = this.#strings.push(value) - 1;
    this.#numbers.push(number);
    // Excluding its quotes. Escapes and other characters take more bytes.
    const isPlain = value.length >= MIN_TAIL_LENGTH && value.length === end - start - 2;
    if (isPlain && this.#plain.length < MAX_TAILS) this.#plain.push(index);
  }

  /** The number of a list or an object. */
  numberOf(value: object): number | undefined {
    return this.#containers.get(value);
  }

  /** The number of a string, or of the string of which it is a suffix. */
  numberOfString(value: string): number | undefined {
    const strings = this.#strings;
    const { length } = strings;
    for (let step = 0; step < length && this.#compared < MAX_COMPARED; step++) {
      const index = (this.#next + step) % length;
      if (step > 0) this.#compared++;
      if (strings[index] !== value) continue;
      this.#next = index + 1;
      return this.#numbers[index];
    }
    return value.length < MIN_TAIL_LENGTH ? undefined : this.#numberOfTail(value);
  }

  #numberOfTail(value: string): number | undefined {
    for (const index of this.#plain) {
      const plain = this.#strings[index] ?? "";
      const before = plain.length - value.length;
      if (before < 0 || before > MAX_BEFORE_TAIL || plain.slice(before) !== value) continue;
      const end = this.#ranges[(this.#numbers[index] ?? 0) + 1] ?? 0;
      // Excludes the quote before it.
      return this.#ranges.push(end - value.length - 1, end) - 2;
    }
    return undefined;
  }

  /** The bytes of a value; those of a string suffix have no opening quote. */
  bytesOf(number: number): Uint8Array {
    return this.#bytes.subarray(this.#ranges[number], this.#ranges[number + 1]);
  }
}

/** Writes JSON from known parts and other values. */
export class PartsWriter {
  readonly #parts: KnownParts;
  readonly #written: Uint8Array[] = [];
  #text = "";
  /** The total number of bytes. */
  length = 0;

  constructor(parts: KnownParts) {
    this.#parts = parts;
  }

  /** Writes serialized JSON as text. */
  text(text: string): void {
    this.#text += text;
  }

  /** Writes serialized JSON as bytes. */
  bytes(bytes: Uint8Array): void {
    this.#flush();
    this.#push(bytes);
  }

  /**
   * Writes a value like `JSON.stringify`. @throws {RangeError} for a value that is nested too
   * deeply.
   */
  value(value: unknown): void {
    if (typeof value === "string") {
      if (value.length > MAX_PLAIN_LENGTH) this.#string(value);
      else this.#text += quoted(value);
    } else if (Array.isArray(value)) this.#list(value);
    else if (typeof value === "object" && value !== null) this.#object(value as JsonObject);
    else this.#text += JSON.stringify(value) ?? "null";
  }

  /** The whole output. */
  end(): Uint8Array {
    this.#flush();
    const whole = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.#written) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  #string(value: string): void {
    if (!this.#known(value)) this.#text += JSON.stringify(value);
  }

  #list(list: readonly unknown[]): void {
    if (this.#known(list)) return;
    this.#text += "[";
    for (let at = 0; at < list.length; at++) {
      if (at > 0) this.#text += ",";
      this.value(list[at]);
    }
    this.#text += "]";
  }

  #object(object: JsonObject): void {
    if (this.#known(object)) return;
    let mark = "{";
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (value === undefined) continue;
      this.#text += `${mark}${quoted(name)}:`;
      mark = ",";
      this.value(value);
    }
    this.#text += mark === "{" ? "{}" : "}";
  }

  /** Writes the bytes of a known value. Returns whether it is one. */
  #known(value: string | object): boolean {
    const number = typeof value === "string"
      ? this.#parts.numberOfString(value)
      : this.#parts.numberOf(value);
    if (number === undefined) return false;
    const bytes = this.#parts.bytesOf(number);
    if (typeof value === "string" && bytes[0] !== QUOTE) this.#text += '"';
    this.bytes(bytes);
    return true;
  }

  #flush(): void {
    if (this.#text === "") return;
    // Most text is ASCII, which takes one byte per unit.
    const bytes = new Uint8Array(Buffer.byteLength(this.#text));
    encoder.encodeInto(this.#text, bytes);
    this.#text = "";
    this.#push(bytes);
  }

  #push(bytes: Uint8Array): void {
    this.#written.push(bytes);
    this.length += bytes.length;
  }
}

function quoted(text: string): string {
  return text.length <= MAX_PLAIN_LENGTH && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

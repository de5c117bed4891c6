/**
 * A short cut for the bulk of a stream: events that differ from the one before
 * in nothing but their text.
 *
 * The decoder is the reference. When it says that an event was plain (its one
 * chunk depends on nothing but a text), the lane learns how the event's bytes
 * and the chunk's bytes surround that text. An event that follows and fits is
 * written with its own text in the learned surroundings, or goes through as it
 * came where both are the same, without being parsed. Any other event makes
 * the lane forget, so nothing the decoder remembers can have changed.
 */

import { Buffer, isUtf8 } from "node:buffer";
import type { Plain } from "../providers/contract/adapter.ts";

/** What stands around the holes of an event, the blank line behind it included. */
interface Surroundings<Part> {
  /** From the event's first character to the quote before the text. */
  readonly before: Part;
  /** From the quote behind the text to the quote before the noise, or to the end. */
  readonly after: Part;
  /** From the quote behind the noise to the end, where there is noise. */
  readonly last: Part | undefined;
}

interface Template extends Surroundings<Uint8Array> {
  /** The same of the chunk, or undefined when events go through as they came. */
  readonly written: Surroundings<Uint8Array> | undefined;
}

/** Bytes, twice: the array copies and searches faster, `Buffer` alone compares. */
export class Bytes {
  readonly array: Uint8Array;
  readonly buffer: Buffer;

  constructor(array: Uint8Array) {
    this.array = array;
    this.buffer = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  }
}

/** Where the holes of an event are that fits. */
interface Places {
  from: number;
  quote: number;
  noise: number;
  noiseEnd: number;
}

/** Text whose JSON is the text itself, so that it can be found in an event's bytes. */
const SIMPLE = /^[ !#-[\]-~]+$/;
const QUOTE = '"';
const LF = 10;
const DOUBLE_QUOTE = 34;
const BACKSLASH = 92;
const FIRST_PRINTABLE = 32;
const FIRST_BEYOND_ASCII = 128;

export class FastLane {
  #template: Template | undefined;
  /** Of the event that fitted last. */
  readonly #places: Places = { from: 0, quote: 0, noise: 0, noiseEnd: 0 };

  /**
   * Learns from an event that took the long way.
   *
   * @param event the event as it came, the blank line behind it included
   * @param written the one event that was made of it
   */
  learn(event: string, written: string, plain: Plain): void {
    this.#template = toTemplate(event, written, plain);
  }

  forget(): void {
    this.#template = undefined;
  }

  /** True when events that fit go through as they came. */
  get transparent(): boolean {
    return this.#template !== undefined && this.#template.written === undefined;
  }

  /** Where the event that begins at `start` ends, if it fits the template, else -1. */
  fits({ array, buffer }: Bytes, start: number): number {
    const template = this.#template;
    if (template === undefined || !stands(template.before, buffer, start)) return -1;
    const places = this.#places;
    const from = places.from = start + template.before.length;
    const quote = places.quote = closingQuote(array, from);
    if (quote <= from || !stands(template.after, buffer, quote)) return -1;
    let end = places.noise = places.noiseEnd = quote + template.after.length;
    if (template.last !== undefined) {
      places.noiseEnd = closingQuote(array, places.noise);
      if (places.noiseEnd === -1 || !stands(template.last, buffer, places.noiseEnd)) return -1;
      end = places.noiseEnd + template.last.length;
    }
    // A line break before the end would be the end of another event.
    return array.indexOf(LF, from) === end - 2 ? end : -1;
  }

  /** Writes what becomes of the event that has just been found to fit. */
  write({ array }: Bytes, output: Output): void {
    const written = this.#template?.written;
    if (written === undefined) return;
    const { from, quote, noise, noiseEnd } = this.#places;
    output.add(written.before);
    output.addSlice(array, from, quote);
    output.add(written.after);
    if (written.last === undefined) return;
    output.addSlice(array, noise, noiseEnd);
    output.add(written.last);
  }
}

/** Up to so many bytes a loop is faster than the runtime's own way to copy. */
const FEW = 48;

/** Nearly every packet becomes fewer bytes than this. */
const ENOUGH = 64 * 1024;
/** As much as is used again, in bytes: what one long event took is given back. */
const MOST_KEPT = 1024 * 1024;

/** Bytes that are put together, in memory that is used again for the next packet. */
export class Output {
  #bytes = new Uint8Array(ENOUGH);
  #length = 0;

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MOST_KEPT) this.#bytes = new Uint8Array(ENOUGH);
  }

  add(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  addSlice(array: Uint8Array, start: number, end: number): void {
    if (end - start > FEW) return this.add(array.subarray(start, end));
    this.#reserve(end - start);
    for (let at = start; at < end; at++) this.#bytes[this.#length++] = array[at] ?? 0;
  }

  addText(text: string): void {
    // A UTF-16 unit takes three bytes at most.
    this.#reserve(text.length * 3);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  get length(): number {
    return this.#length;
  }

  /** What was put together, until it is cleared. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * needed);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

const encoder = new TextEncoder();

function toTemplate(event: string, written: string, plain: Plain): Template | undefined {
  if (!SIMPLE.test(plain.text) || !isOneEvent(event) || !isOneEvent(written)) return undefined;
  const around = surroundingsOf(event, plain);
  if (around === undefined) return undefined;
  if (sameValue(event, written)) return { ...toBytes(around), written: undefined };
  const noisy = plain.noise !== undefined && written.includes(plain.noise);
  const made = surroundingsOf(written, noisy ? plain : { text: plain.text });
  return made && { ...toBytes(around), written: toBytes(made) };
}

function toBytes({ before, after, last }: Surroundings<string>): Surroundings<Uint8Array> {
  return {
    before: encoder.encode(before),
    after: encoder.encode(after),
    last: last === undefined ? undefined : encoder.encode(last),
  };
}

function surroundingsOf(event: string, { text, noise }: Plain): Surroundings<string> | undefined {
  const around = split(event, text);
  if (around === undefined || noise === undefined) return around && { ...around, last: undefined };
  const tail = split(around.after, noise);
  return tail && { before: around.before, after: tail.before, last: tail.after };
}

function isOneEvent(text: string): boolean {
  return text.indexOf("\n\n") === text.length - 2 && text.length > 2;
}

/** Cuts at a quoted text that stands there exactly once; the quotes stay outside. */
function split(event: string, text: string): { before: string; after: string } | undefined {
  const quoted = QUOTE + text + QUOTE;
  const at = event.indexOf(quoted);
  if (at === -1 || event.indexOf(quoted, at + 1) !== -1) return undefined;
  return { before: event.slice(0, at + 1), after: event.slice(at + quoted.length - 1) };
}

/** Whether two events say the same, whatever the order of their members. */
function sameValue(one: string, other: string): boolean {
  const first = dataOf(one);
  const second = dataOf(other);
  return first !== undefined && second !== undefined && canonical(first) === canonical(second);
}

function dataOf(event: string): unknown {
  // Only a lone data line can go through: callers get no other kind of line.
  if (!event.startsWith("data: ") || event.indexOf("\n") !== event.length - 2) return undefined;
  try {
    return JSON.parse(event.slice("data: ".length));
  } catch {
    return undefined;
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1))
        : inner,
  );
}

function stands(part: Uint8Array, bytes: Buffer, at: number): boolean {
  const end = at + part.length;
  return end <= bytes.length && bytes.compare(part, 0, part.length, at, end) === 0;
}

/** The quote that ends a JSON string, or -1 if there is none or the string is not valid. */
function closingQuote(bytes: Uint8Array, from: number): number {
  let ascii = true;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === DOUBLE_QUOTE) return ascii || isUtf8(bytes.subarray(from, at)) ? at : -1;
    if (byte < FIRST_PRINTABLE) return -1;
    if (byte >= FIRST_BEYOND_ASCII) ascii = false;
    if (byte === BACKSLASH) {
      const size = escapeAt(bytes, at);
      if (size === 0) return -1;
      at += size - 1;
    }
  }
  return -1;
}

/** The bytes of the escape that begins here (RFC 8259, section 7), or 0 if it is none. */
function escapeAt(bytes: Uint8Array, at: number): number {
  const letter = String.fromCharCode(bytes[at + 1] ?? 0);
  if (letter !== "u") return '"\\/bfnrt'.includes(letter) ? 2 : 0;
  return bytes.subarray(at + 2, at + 6).every(isHexDigit) && at + 6 <= bytes.length ? 6 : 0;
}

function isHexDigit(byte: number): boolean {
  return /^[0-9a-fA-F]$/.test(String.fromCharCode(byte));
}

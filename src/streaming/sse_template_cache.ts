/**
 * Converts most events of a stream without parsing them: those that differ from the previous event
 * only in their text.
 *
 * The decoder reports which events are plain: the single chunk of such an event depends only on a
 * text. From a plain event the cache learns a template: the bytes around the text in the event and
 * in the written chunk. A later event that matches the template is written as the template's chunk
 * with the new text, or forwarded unchanged if event and chunk are the same. Any other event clears
 * the template, because it may change the decoder's state.
 */

import { isUtf8 } from "node:buffer";
import type { PlainEvent } from "../contract/stream_decoder.ts";
import { Bytes, type Output } from "../core/bytes.ts";
import { isEqual } from "../core/json/values.ts";

/**
 * The fixed parts of an event, around its variable texts. The blank line at the end is included.
 */
interface FixedParts<Part> {
  /** From the start of the event through the opening quote of the text. */
  readonly before: Part;
  /**
   * From the closing quote of the text through the opening quote of the ignored text, or to the
   * end.
   */
  readonly after: Part;
  /** From the closing quote of the ignored text to the end, if the event has one. */
  readonly last: Part | undefined;
}

/** The fixed parts of the written chunks. */
interface WrittenParts extends FixedParts<Uint8Array> {
  /** The end of a chunk and the beginning of the next one. */
  readonly between: Uint8Array;
}

interface Template extends FixedParts<Bytes> {
  /** The fixed parts of the written chunk; undefined when events pass through unchanged. */
  readonly written: WrittenParts | undefined;
}

/** The positions of the variable texts in an event that matches. */
interface TextPositions {
  from: number;
  quote: number;
  ignoredText: number;
  ignoredTextEnd: number;
}

/** Text without JSON escapes, so that it can be found in the bytes of an event. */
const UNESCAPED = /^[ !#-[\]-~]+$/;
const QUOTE = '"';
const DOUBLE_QUOTE = 34;
const BACKSLASH = 92;
const FIRST_PRINTABLE = 32;
const FIRST_NON_ASCII = 128;

/** The template of one stream. */
export class SseTemplateCache {
  #template: Template | undefined;
  /** The text length in bytes of all matching events. */
  matchedBytes = 0;
  /** Whether the end of the last chunk is pending. */
  #hasOpenChunk = false;
  /** Positions in the last matching event. */
  readonly #positions: TextPositions = { from: 0, quote: 0, ignoredText: 0, ignoredTextEnd: 0 };

  /**
   * Learns the template from a parsed event.
   *
   * @param event the received event, including the blank line
   * @param written the single event written for it
   */
  learn(event: string, written: string, plain: PlainEvent): void {
    this.#template = toTemplate(event, written, plain);
  }

  /** Clears the template. */
  forget(): void {
    this.#template = undefined;
  }

  /** True when matching events are forwarded unchanged. */
  get transparent(): boolean {
    return this.#template !== undefined && this.#template.written === undefined;
  }

  /** The end of the event that begins at `start` if it matches the template, otherwise -1. */
  fits(bytes: Bytes, start: number): number {
    const template = this.#template;
    if (template === undefined || !bytes.has(template.before, start)) return -1;
    const { array } = bytes;
    const positions = this.#positions;
    const from = positions.from = start + template.before.length;
    const quote = positions.quote = closingQuote(array, from);
    if (quote <= from || !bytes.has(template.after, quote)) return -1;
    let end = positions.ignoredText = positions.ignoredTextEnd = quote + template.after.length;
    if (template.last !== undefined) {
      positions.ignoredTextEnd = closingQuote(array, positions.ignoredText);
      if (
        positions.ignoredTextEnd === -1 || !bytes.has(template.last, positions.ignoredTextEnd)
      ) {
        return -1;
      }
      end = positions.ignoredTextEnd + template.last.length;
    }
    this.matchedBytes += quote - from;
    return end;
  }

  /**
   * Writes the chunk of the event that {@linkcode fits} last matched, except for its end, which is
   * written with the start of the next chunk or by {@linkcode endChunk}.
   */
  write({ array }: Bytes, output: Output): void {
    const written = this.#template?.written;
    if (written === undefined) return;
    const { from, quote, ignoredText, ignoredTextEnd } = this.#positions;
    output.add(this.#hasOpenChunk ? written.between : written.before);
    this.#hasOpenChunk = true;
    output.addSlice(array, from, quote);
    if (written.last === undefined) return;
    output.add(written.after);
    output.addSlice(array, ignoredText, ignoredTextEnd);
  }

  /** Writes the end of the last chunk, if it has not been written yet. */
  endChunk(output: Output): void {
    const written = this.#template?.written;
    if (this.#hasOpenChunk && written !== undefined) output.add(written.last ?? written.after);
    this.#hasOpenChunk = false;
  }
}

const encoder = new TextEncoder();

function toTemplate(event: string, written: string, plain: PlainEvent): Template | undefined {
  if (!UNESCAPED.test(plain.text) || !isOneEvent(event) || !isOneEvent(written)) return undefined;
  const parts = fixedPartsOf(event, plain);
  if (parts === undefined) return undefined;
  const expected = encoded(parts, (text) => new Bytes(encoder.encode(text)));
  if (sameValue(event, written)) return { ...expected, written: undefined };
  const hasIgnoredText = plain.ignoredText !== undefined && written.includes(plain.ignoredText);
  const output = fixedPartsOf(written, hasIgnoredText ? plain : { text: plain.text });
  return output && { ...expected, written: toWritten(output) };
}

function encoded<Part>(
  { before, after, last }: FixedParts<string>,
  encode: (text: string) => Part,
): FixedParts<Part> {
  return {
    before: encode(before),
    after: encode(after),
    last: last === undefined ? undefined : encode(last),
  };
}

function toWritten(parts: FixedParts<string>): WrittenParts {
  const between = encoder.encode((parts.last ?? parts.after) + parts.before);
  return { ...encoded(parts, (text) => encoder.encode(text)), between };
}

function fixedPartsOf(
  event: string,
  { text, ignoredText }: PlainEvent,
): FixedParts<string> | undefined {
  const parts = splitAtText(event, text);
  if (parts === undefined || ignoredText === undefined) {
    return parts && { ...parts, last: undefined };
  }
  const rest = splitAtText(parts.after, ignoredText);
  return rest && { before: parts.before, after: rest.before, last: rest.after };
}

function isOneEvent(text: string): boolean {
  return text.indexOf("\n\n") === text.length - 2 && text.length > 2;
}

/** Splits at a quoted text that occurs exactly once. The quotes remain in the two parts. */
function splitAtText(event: string, text: string): { before: string; after: string } | undefined {
  const quoted = QUOTE + text + QUOTE;
  const at = event.indexOf(quoted);
  if (at === -1 || event.indexOf(quoted, at + 1) !== -1) return undefined;
  return { before: event.slice(0, at + 1), after: event.slice(at + quoted.length - 1) };
}

/** Whether two events contain equal JSON, regardless of the order of members. */
function sameValue(one: string, other: string): boolean {
  const first = dataOf(one);
  return first !== undefined && isEqual(first, dataOf(other));
}

function dataOf(event: string): unknown {
  // Only an event of a single data line can pass through: clients receive no other kind of line.
  if (!event.startsWith("data: ") || event.indexOf("\n") !== event.length - 2) return undefined;
  try {
    return JSON.parse(event.slice("data: ".length));
  } catch {
    return undefined;
  }
}

/**
 * The position of the quote that ends a JSON string, or -1 if it is missing or the string is
 * invalid.
 */
function closingQuote(bytes: Uint8Array, from: number): number {
  let ascii = true;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === DOUBLE_QUOTE) return ascii || isUtf8(bytes.subarray(from, at)) ? at : -1;
    if (byte < FIRST_PRINTABLE) return -1;
    if (byte >= FIRST_NON_ASCII) ascii = false;
    if (byte === BACKSLASH) {
      const size = escapeAt(bytes, at);
      if (size === 0) return -1;
      at += size - 1;
    }
  }
  return -1;
}

/**
 * The length in bytes of the escape that begins here (RFC 8259, section 7), or 0 if it is invalid.
 */
function escapeAt(bytes: Uint8Array, at: number): number {
  const letter = String.fromCharCode(bytes[at + 1] ?? 0);
  if (letter !== "u") return '"\\/bfnrt'.includes(letter) ? 2 : 0;
  return bytes.subarray(at + 2, at + 6).every(isHexDigit) && at + 6 <= bytes.length ? 6 : 0;
}

function isHexDigit(byte: number): boolean {
  return /^[0-9a-fA-F]$/.test(String.fromCharCode(byte));
}

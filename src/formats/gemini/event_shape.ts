/**
 * Recognizes events of a stream that differ from one that was read only in their text and in the
 * counts behind it. Most events of a stream do: they need neither be decoded nor parsed.
 */

import { Bytes } from "../../core/compared_bytes.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const LF = 10;
const CR = 13;

const ZERO = 48;
/** Integers of up to this many digits are exact. */
const MAX_DIGITS = 15;

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const DATA = encoder.encode("data:");
const TEXT = encoder.encode('"text"');
const COUNTS = encoder.encode('"usageMetadata"');
const SPACE_AND_COLON: ReadonlySet<number | undefined> = new Set([32, 58]);

/** The bytes of an event around its text. */
export class EventShape {
  readonly #beforeText: Bytes;
  /** What is behind the text. Any number is between two of them. */
  readonly #afterText: readonly Bytes[];
  /** The numbers of the last event that matched, and of one that is being compared. */
  #numbers: number[] = [];
  #next: number[] = [];
  /** The size of the text of the last event that matched in bytes, as it is written. */
  textBytes = 0;

  private constructor(beforeText: Uint8Array, afterText: readonly Uint8Array[]) {
    this.#beforeText = new Bytes(beforeText.slice());
    this.#afterText = afterText.map((part) => new Bytes(part.slice()));
  }

  /**
   * The shape of an event of one line with a text, and counts behind it; undefined for any other.
   *
   * @param event all its bytes with the blank line
   */
  static of(event: Uint8Array): EventShape | undefined {
    const name = find(event, TEXT, 0);
    if (name === -1) return undefined;
    let open = name + TEXT.length;
    while (SPACE_AND_COLON.has(event[open])) open++;
    if (event[open] !== QUOTE || !isOneLine(event)) return undefined;
    const close = endOfString(event, open + 1);
    const counts = close === -1 ? -1 : find(event, COUNTS, close);
    if (counts === -1) return undefined;
    return new EventShape(event.subarray(0, open + 1), withoutNumbers(event, close, counts));
  }

  /** The data of the last event that matched, without its text. */
  get lastData(): string {
    const parts = this.#afterText.map(({ array }) => decoder.decode(array));
    const rest = parts.reduce((text, part, index) => text + this.#numbers[index - 1] + part);
    return (decoder.decode(this.#beforeText.array) + rest).slice(DATA.length).trim();
  }

  /**
   * Compares the event at `start`, and returns the position after it; -1 if it has another shape or
   * is not complete.
   */
  match(bytes: Bytes, start: number): number {
    if (!bytes.has(this.#beforeText, start)) return -1;
    const text = start + this.#beforeText.length;
    const close = endOfString(bytes.array, text);
    if (close === -1) return -1;
    const end = this.#matchRest(bytes, close);
    if (end !== -1) this.textBytes = close - text;
    return end;
  }

  /** Compares what is behind the text, and keeps its numbers if all of it is the same. */
  #matchRest(bytes: Bytes, start: number): number {
    const { array } = bytes;
    const parts = this.#afterText;
    let at = start;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as Bytes;
      if (index > 0) {
        const from = at;
        let number = 0;
        for (; isDigit(array[at]); at++) number = number * 10 + (array[at] as number) - ZERO;
        // A number that may be written in another way is read.
        if (at === from || array[from] === ZERO && at - from > 1 || at - from > MAX_DIGITS) {
          return -1;
        }
        this.#next[index - 1] = number;
      }
      if (!bytes.has(part, at)) return -1;
      at += part.length;
    }
    [this.#numbers, this.#next] = [this.#next, this.#numbers];
    return at;
  }
}

/** The parts of an event from `start` on, without the numbers from `counts` on. */
function withoutNumbers(event: Uint8Array, start: number, counts: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let from = start;
  for (let at = counts; at < event.length; at++) {
    if (!isDigit(event[at])) continue;
    parts.push(event.subarray(from, at));
    while (isDigit(event[at + 1])) at++;
    from = at + 1;
  }
  return [...parts, event.subarray(from)];
}

/** Whether an event consists of one `data` line and the blank line. */
function isOneLine(event: Uint8Array): boolean {
  const isData = DATA.every((byte, index) => event[index] === byte);
  return isData && event.length - event.indexOf(LF) <= "\n\r\n".length;
}

/** The quote that ends the string at `start`; -1 if the line or the bytes end first. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === LF || byte === CR) return -1;
    if (byte === BACKSLASH) at++;
  }
  return -1;
}

/** The position of some bytes; -1 if they are not there. */
function find(bytes: Uint8Array, part: Uint8Array, from: number): number {
  const [first = 0] = part;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (part.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

/** Parses a request body's JSON from its packets. */

import { isUtf8 } from "node:buffer";
import { joinBytes } from "../core/bytes.ts";
import { TimeSlice } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import { shortPathOf } from "../core/validation_messages.ts";
import { hasFewBackslashes, isWithin, JsonError } from "../core/json/limits.ts";
import { NumberSearch } from "../core/json/number_texts.ts";
import { JsonReader, type KeptJson, parsePassed } from "../core/json/reader.ts";
import { type JsonLimits, JsonScan } from "../core/json/scan.ts";
import { JsonSource } from "../core/json/source.ts";

/** The sizes that determine how a body is parsed. */
export interface JsonBodySizes {
  /** Bodies of up to this size are collected and parsed at the end, which takes the least time. */
  readonly maxBytesCollected: number;
  /** The same for bodies whose length is not known in advance. */
  readonly maxBytesCollectedWithoutLength: number;
  /** Packets of larger bodies are joined up to this size before they are parsed. */
  readonly minBytesParsed: number;
  /** UTF-16 units that {@linkcode JsonReader} parses in one call. */
  readonly pieceLength: number;
}

/** Bodies of up to this size whose length is known are collected. */
export const MAX_BYTES_COLLECTED = 16 * 1024 * 1024;

const SIZES: JsonBodySizes = {
  maxBytesCollected: MAX_BYTES_COLLECTED,
  maxBytesCollectedWithoutLength: 1024 * 1024,
  minBytesParsed: 32 * 1024,
  pieceLength: 64 * 1024,
};

/** The number of UTF-16 units of a long text to search for numbers at once. */
const SEARCHED_LENGTH = 64 * 1024;

/** Members of shorter bodies are not forwarded as bytes, since serializing them is cheaper. */
export const MIN_BYTES_KEPT = 16 * 1024;

/** The overlap of pieces in UTF-16 units, so that a number is found together with its name. */
const SEARCH_OVERLAP = 64;

/** Parses a body from packets of any size. */
export class JsonBody {
  readonly #limits: JsonLimits;
  readonly #sizes: JsonBodySizes;
  /** Packets are collected up to this size. */
  readonly #maxBytesCollected: number;
  #packets: Uint8Array[] = [];
  /** The number of bytes in {@linkcode #packets}. */
  #bufferedBytes = 0;
  /** The number of bytes of earlier packets, which have been parsed. */
  #parsedBytes = 0;
  #reader: JsonReader | undefined;
  #error: unknown;
  /** The bytes of a large, parsed body, if they may be forwarded. */
  source: JsonSource | undefined;

  /** @param length of the body in bytes, if it is known */
  constructor(limits: JsonLimits, length: number | undefined, sizes: JsonBodySizes = SIZES) {
    this.#limits = limits;
    this.#sizes = sizes;
    if (length === undefined) this.#maxBytesCollected = sizes.maxBytesCollectedWithoutLength;
    else this.#maxBytesCollected = length <= sizes.maxBytesCollected ? Infinity : -1;
  }

  /** The number of bytes in memory; 0 after a fault. */
  get bytesHeld(): number {
    return this.#error === undefined ? this.#parsedBytes + this.#bufferedBytes : 0;
  }

  /** Reads the next packet. Faults are reported by {@linkcode end}. */
  push(packet: Uint8Array): void {
    if (this.#error !== undefined) return;
    this.#packets.push(packet);
    this.#bufferedBytes += packet.byteLength;
    if (this.#parsedBytes + this.#bufferedBytes <= this.#maxBytesCollected) return;
    if (this.#bufferedBytes < this.#sizes.minBytesParsed) return;
    try {
      this.#parse(wholeCharacters);
    } catch (thrown) {
      this.#error = thrown;
      this.#packets = [];
      this.#reader = undefined;
    }
  }

  /** Sets the bytes received so far for a body that its reader collects. */
  collected(bytes: Uint8Array): void {
    this.#packets = [bytes];
    this.#bufferedBytes = bytes.byteLength;
  }

  /**
   * Returns the body's value.
   *
   * @param slice splits the work on a large body
   * @throws {GatewayError} `invalid_request` for a body that is not JSON in UTF-8, `invalid_value`
   * for one that exceeds the limits.
   */
  async end(slice?: TimeSlice): Promise<unknown> {
    try {
      if (this.#error !== undefined) throw this.#error;
      if (this.#reader === undefined) return await this.#parseCollected(slice);
      this.#parse((bytes) => bytes.byteLength);
      return this.#reader.end();
    } catch (thrown) {
      throw toGatewayError(thrown, this.#limits);
    }
  }

  async #parseCollected(slice: TimeSlice | undefined): Promise<unknown> {
    if (this.#bufferedBytes === 0) {
      throw new GatewayError("invalid_request", "The request body is empty; send a JSON object");
    }
    const bytes = joinBytes(this.#packets);
    this.#packets = [];
    const text = toText(bytes, 0);
    if (slice?.isOver) await slice.next();
    const scan = new JsonScan(bytes, this.#limits, text);
    if (slice?.isOver) await slice.next();
    const value = await this.#parseScanned(text, scan, slice);
    if (bytes.length >= MIN_BYTES_KEPT) this.source = JsonSource.of(bytes, scan, value);
    return value;
  }

  async #parseScanned(
    text: string,
    scan: JsonScan,
    slice: TimeSlice | undefined,
  ): Promise<unknown> {
    const fits = scan.isWithin(this.#limits);
    const search = new NumberSearch();
    const isPlain = fits &&
      !(scan.mayChangeNumbers && await this.#mustReadNumbers(text, search, slice));
    const value = isPlain ? this.#parsed(text, scan) : undefined;
    if (value !== undefined && search.keepIn(text, value)) return value;
    // The reader finds the position of the error, and preserves the text of numbers.
    return await this.#readInSlices(text, fits ? "texts" : "nothing", slice);
  }

  /** The value of valid JSON that can be parsed at once in linear time; otherwise undefined. */
  #parsed(text: string, { mayChangeNumbers }: JsonScan): unknown {
    if (!hasFewBackslashes(text)) return undefined;
    const isSearched = !mayChangeNumbers || text.length > this.#sizes.pieceLength;
    try {
      return isSearched ? JSON.parse(text) : parsePassed(text);
    } catch {
      return undefined;
    }
  }

  /** Whether a long text contains numbers whose text may have to be stored. */
  async #mustReadNumbers(
    text: string,
    search: NumberSearch,
    slice = new TimeSlice(),
  ): Promise<boolean> {
    if (text.length <= this.#sizes.pieceLength) return false;
    for (let at = 0; at < text.length; at += SEARCHED_LENGTH) {
      if (search.push(text.slice(at, at + SEARCHED_LENGTH + SEARCH_OVERLAP))) return true;
      if (slice.isOver) await slice.next();
    }
    return false;
  }

  async #readInSlices(
    text: string,
    keeps: KeptJson,
    slice = new TimeSlice(),
  ): Promise<unknown> {
    const reader = new JsonReader(this.#limits, keeps);
    const { pieceLength } = this.#sizes;
    for (let at = 0; at < text.length; at += pieceLength) {
      reader.push(text.slice(at, at + pieceLength));
      if (slice.isOver) await slice.next();
    }
    return reader.end();
  }

  /** @param countReadable counts the bytes that can already be decoded */
  #parse(countReadable: (bytes: Uint8Array) => number): void {
    const bytes = joinBytes(this.#packets);
    const length = countReadable(bytes);
    const text = toText(bytes.subarray(0, length), this.#parsedBytes);
    this.#packets = length === bytes.byteLength ? [] : [bytes.slice(length)];
    this.#bufferedBytes -= length;
    this.#parsedBytes += length;
    this.#reader ??= new JsonReader(this.#limits);
    this.#reader.push(text);
  }
}

/**
 * The value of a valid body of less than {@linkcode MIN_BYTES_KEPT}; otherwise undefined, and
 * {@linkcode JsonBody} reports the reason.
 */
export function parseAtOnce(bytes: Uint8Array, limits: JsonLimits): unknown {
  if (!isUtf8(bytes) || !isWithin(bytes, limits)) return undefined;
  try {
    return parsePassed(wholeDecoder.decode(bytes));
  } catch {
    return undefined;
  }
}

// A byte order mark is removed only at the start of a body; elsewhere it is a character.
const wholeDecoder = new TextDecoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const BYTE_ORDER_MARK = 0xfeff;

/** The replacement character for invalid UTF-8. */
const REPLACEMENT = "\ufffd";

/**
 * Decodes UTF-8. A decoder that rejects invalid bytes takes five times as long. A text without this
 * character needs no check.
 *
 * @param offset of these bytes in the body
 */
function toText(bytes: Uint8Array, offset: number): string {
  const text = decoded(bytes, offset);
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) {
    const at = offset + validLength(bytes) + 1;
    const message = `The request body is not valid JSON in UTF-8: byte ${at} is not UTF-8`;
    throw new GatewayError("invalid_request", message);
  }
  return text;
}

function decoded(bytes: Uint8Array, offset: number): string {
  const text = decoder.decode(bytes);
  return offset === 0 && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** The number of bytes without an incomplete character at the end. */
function wholeCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return needed > back ? length - back : length;
  }
  return length;
}

/** The number of bytes before the first invalid one. */
function validLength(bytes: Uint8Array): number {
  let valid = 0;
  let tooMany = bytes.length + 1;
  while (tooMany - valid > 1) {
    const middle = (valid + tooMany) >> 1;
    const part = bytes.subarray(0, middle);
    if (isUtf8(part.subarray(0, wholeCharacters(part)))) valid = middle;
    else tooMany = middle;
  }
  return wholeCharacters(bytes.subarray(0, valid));
}

function toGatewayError(thrown: unknown, limits: JsonLimits): unknown {
  if (!(thrown instanceof JsonError)) return thrown;
  if (thrown.limit === undefined) {
    const message = `The request body is not valid JSON: ${thrown.message}`;
    return new GatewayError("invalid_request", message);
  }
  const param = shortPathOf(thrown.path);
  const message = overLimit(thrown.limit, param, limits);
  return new GatewayError("invalid_value", message, { param });
}

function overLimit(limit: keyof JsonLimits, param: string, limits: JsonLimits): string {
  const maximum = limits[limit];
  switch (limit) {
    case "elements":
      return `The request has more than ${maximum} list entries and object members;  ` +
        `'${param}' is the first over server.max_elements in the gateway's configuration`;
    case "members":
      return `Invalid value for '${param}': an object may have at most ${maximum} members`;
    case "depth":
      return `Invalid value for '${param}': lists and objects may be nested ` +
        `at most ${maximum} deep`;
  }
}

/**
 * Answers of HTTP/1.1 as they stand in bytes, by RFC 9112
 * (https://www.rfc-editor.org/rfc/rfc9112, 2022-06).
 */

import { Buffer } from "node:buffer";

/** What stands above a body. */
export interface Head {
  readonly status: number;
  /** Names in lower case; what came more than once is joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** Whether the connection may serve again after this answer. */
  readonly keepAlive: boolean;
  /** Bytes of it, the blank line included. */
  readonly length: number;
}

/** Bytes that are no answer. */
export class BadMessage extends Error {
  override readonly name = "BadMessage";
}

const LF = 10;
const CR = 13;
// Control characters are refused: the runtime dies of one in an answer of its own.
const FAULTY = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)/;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/**
 * Reads a head, or gives undefined while its end has not come. Each byte of it
 * becomes one character, as it does in `fetch`.
 *
 * @throws {BadMessage} when it is none.
 */
export function readHead(bytes: Uint8Array): Head | undefined {
  const length = endOfHead(bytes);
  if (length === 0) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1");
  let end = text.indexOf("\n");
  const first = text.slice(0, end).trimEnd();
  const faulty = FAULTY.test(text);
  const status = STATUS_LINE.exec(first);
  if (status === null || faulty && FAULTY.test(first)) {
    throw new BadMessage("The answer is not HTTP/1.1");
  }
  if (faulty) throw new BadMessage("The answer has a faulty header");
  const headers = new Map<string, string>();
  for (let start = end + 1; start < length - 2; start = end + 1) {
    end = text.indexOf("\n", start);
    const colon = text.indexOf(":", start);
    if (colon === -1 || colon > end) throw new BadMessage("The answer has a faulty header");
    const name = nameOf(text.slice(start, colon));
    const value = text.slice(colon + 1, end).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const keepAlive = isKeptAlive(status[1] === "1", headers);
  return { status: Number(status[2]), headers, keepAlive, length };
}

/** Whether a text can be the name of a header. */
export function isFieldName(text: string): boolean {
  return NAME.test(text);
}

const MOST_NAMES = 1000;
/** Names as they came to names in lower case: vendors send the same ones again and again. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    if (!isFieldName(text)) throw new BadMessage("The answer has a faulty header");
    if (names.size >= MOST_NAMES) names.clear();
    names.set(text, name = text.toLowerCase());
  }
  return name;
}

function isKeptAlive(byDefault: boolean, headers: Head["headers"]): boolean {
  // Where one side reads the one and one the other, they do not agree on where the answer ends.
  if (headers.has("transfer-encoding") && headers.has("content-length")) return false;
  const options = headers.get("connection")?.toLowerCase().split(",").map((text) => text.trim());
  if (options === undefined) return byDefault;
  return !options.includes("close") && (byDefault || options.includes("keep-alive"));
}

/** Where the blank line below the head ends, or 0. A lone LF ends a line as well. */
function endOfHead(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return 0;
}

/** Takes one answer's body out of the bytes of its connection. */
export interface BodyDecoder {
  /** True when all of it has been taken. */
  readonly ended: boolean;
  /** How many of the bytes given last were its own. */
  readonly taken: number;
  /**
   * The payload in these bytes, moved together in place.
   *
   * @throws {BadMessage}
   */
  take(bytes: Uint8Array): Uint8Array;
  /**
   * The connection has ended.
   *
   * @throws {BadMessage} when the body had not.
   */
  close(): void;
}

/** @throws {BadMessage} when it cannot be told how long the body is. */
export function createBodyDecoder({ status, headers }: Head): BodyDecoder {
  const encoding = headers.get("transfer-encoding");
  if (status === 204 || status === 304) return new SizedBody(0);
  if (encoding !== undefined) {
    if (encoding.toLowerCase() === "chunked") return new ChunkedBody();
    throw new BadMessage("The answer has an unknown transfer encoding");
  }
  const lengths = new Set(headers.get("content-length")?.split(",").map((text) => text.trim()));
  if (lengths.size === 0) return new OpenBody();
  const [length = ""] = lengths;
  if (lengths.size > 1 || !/^\d{1,15}$/.test(length)) {
    throw new BadMessage("The answer has a faulty content length");
  }
  return new SizedBody(Number(length));
}

class SizedBody implements BodyDecoder {
  taken = 0;
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get ended(): boolean {
    return this.#left === 0;
  }

  take(bytes: Uint8Array): Uint8Array {
    this.taken = Math.min(this.#left, bytes.length);
    this.#left -= this.taken;
    return bytes.subarray(0, this.taken);
  }

  close(): void {
    if (!this.ended) throw brokenOff();
  }
}

/** A body that ends with its connection. */
class OpenBody implements BodyDecoder {
  ended = false;
  taken = 0;

  take(bytes: Uint8Array): Uint8Array {
    this.taken = bytes.length;
    return bytes;
  }

  close(): void {
    this.ended = true;
  }
}

/** What the next byte of a chunked body belongs to. */
enum Part {
  Size,
  Extension,
  Data,
  EndOfData,
  Trailer,
  Ended,
}

/** Far more than any chunk's first line or any trailer has. */
const LONGEST_LINE = 8192;

class ChunkedBody implements BodyDecoder {
  taken = 0;
  #part = Part.Size;
  /** The size of a chunk while it is read, then what is left of the chunk. */
  #left = 0;
  /** Bytes of the line that is read. */
  #line = 0;

  get ended(): boolean {
    return this.#part === Part.Ended;
  }

  take(bytes: Uint8Array): Uint8Array {
    let at = 0;
    let from = -1;
    let to = 0;
    while (at < bytes.length && this.#part !== Part.Ended) {
      if (this.#part !== Part.Data) {
        this.#step(bytes[at++] ?? 0);
        continue;
      }
      const size = Math.min(this.#left, bytes.length - at);
      if (from === -1) from = to = at;
      if (to !== at) bytes.copyWithin(to, at, at + size);
      to += size;
      at += size;
      this.#left -= size;
      if (this.#left === 0) this.#part = Part.EndOfData;
    }
    this.taken = at;
    return from === -1 ? bytes.subarray(0, 0) : bytes.subarray(from, to);
  }

  close(): void {
    if (!this.ended) throw brokenOff();
  }

  #step(byte: number): void {
    if (++this.#line > LONGEST_LINE) throw new BadMessage("A line of the answer is too long");
    switch (this.#part) {
      case Part.Size:
        return this.#readSize(byte);
      case Part.Extension:
        if (byte === LF) this.#startChunk();
        return;
      case Part.EndOfData:
        if (byte === LF) this.#startLine(Part.Size);
        else if (byte !== CR) throw new BadMessage("A chunk of the answer is longer than it says");
        return;
      case Part.Trailer:
        if (byte === CR) this.#line--;
        else if (byte === LF) this.#startLine(this.#line === 1 ? Part.Ended : Part.Trailer);
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#left = this.#left * 16 + digit;
      if (this.#left > Number.MAX_SAFE_INTEGER) throw badSize();
      return;
    }
    if (this.#line === 1) throw badSize();
    if (byte === LF) this.#startChunk();
    else if (byte === CR || byte === SEMICOLON || byte === SPACE) this.#part = Part.Extension;
    else throw badSize();
  }

  #startChunk(): void {
    this.#startLine(this.#left === 0 ? Part.Trailer : Part.Data);
  }

  #startLine(part: Part): void {
    this.#part = part;
    this.#line = 0;
  }
}

const SEMICOLON = 59;
const SPACE = 32;

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function badSize(): BadMessage {
  return new BadMessage("A chunk of the answer has a faulty size");
}

function brokenOff(): BadMessage {
  return new BadMessage("The connection broke off within the answer");
}

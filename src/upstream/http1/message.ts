/**
 * Answers of HTTP/1.1 as they stand in bytes, by RFC 9112
 * (https://www.rfc-editor.org/rfc/rfc9112, 2022-06).
 */

import { Buffer } from "node:buffer";
import { BadMessage, type BodyDecoder, brokenOff, ChunkedBody } from "./chunked_body.ts";

export { BadMessage, type BodyDecoder } from "./chunked_body.ts";

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

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
// Control characters are refused: the runtime dies of one in an answer of its own.
const FAULTY = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)/;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/**
 * Reads a head, or gives undefined while its end has not come. Each byte of it
 * becomes one character, as it does in `fetch`.
 *
 * @param seen how many of the bytes were given before, when the head had no end yet
 * @throws {BadMessage} when it is none.
 */
export function readHead(bytes: Uint8Array, seen = 0): Head | undefined {
  const length = endOfHead(bytes, Math.max(0, seen - 2));
  if (length === 0) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1");
  let end = text.indexOf("\n");
  const first = text.slice(0, text.charCodeAt(end - 1) === CR ? end - 1 : end);
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
    const value = trimmed(text, colon + 1, end);
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const keepAlive = isKeptAlive(status[1] === "1", headers);
  return { status: Number(status[2]), headers, keepAlive, length };
}

/** The text between two places without the white space that HTTP allows at its ends. */
function trimmed(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  // A carriage return stands before a line feed only: every other one has been refused.
  return code === SPACE || code === TAB || code === CR;
}

/** The members of a list in a header. */
function listOf(value: string): string[] {
  return value.split(",").map((text) => trimmed(text, 0, text.length));
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

function isKeptAlive(isVersion11: boolean, headers: Head["headers"]): boolean {
  // A proxy between may read these headers differently, and so see another end of the answer.
  const isAmbiguous = headers.has("transfer-encoding") &&
    (headers.has("content-length") || !isVersion11);
  if (isAmbiguous) return false;
  const connection = headers.get("connection");
  if (connection === undefined) return isVersion11;
  const options = listOf(connection.toLowerCase());
  return !options.includes("close") && (isVersion11 || options.includes("keep-alive"));
}

/**
 * Where the blank line below the head ends, or 0. A lone LF ends a line as well.
 *
 * @param from where to begin: at most two bytes of a blank line stand before bytes that are new
 */
function endOfHead(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return 0;
}

/** @throws {BadMessage} when it cannot be told how long the body is. */
export function createBodyDecoder({ status, headers }: Head): BodyDecoder {
  const encoding = headers.get("transfer-encoding");
  if (status === 204 || status === 304) return new SizedBody(0);
  if (encoding !== undefined) {
    if (encoding.toLowerCase() === "chunked") return new ChunkedBody();
    throw new BadMessage("The answer has an unknown transfer encoding");
  }
  const contentLength = headers.get("content-length");
  if (contentLength === undefined) return new OpenBody();
  // Nearly always there is one alone.
  const lengths = contentLength.includes(",")
    ? new Set(listOf(contentLength))
    : new Set([contentLength]);
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

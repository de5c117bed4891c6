/**
 * Parses HTTP/1.1 responses, by RFC 9112
 * (https://www.rfc-editor.org/rfc/rfc9112, 2022-06).
 */

import { Buffer } from "node:buffer";
import { BadMessage, type BodyDecoder, brokenOff, ChunkedBody } from "./chunked_body.ts";
import type { LimitHeaders } from "../../contract/vendor_request.ts";
import { isLimitHeader } from "../../providers/shared/quota_headers.ts";
import { isFieldName } from "../request_body.ts";

export { BadMessage, type BodyDecoder } from "./chunked_body.ts";

/** The status line and the headers of a response. */
export interface Head {
  readonly status: number;
  /** Names in lower case; repeated headers are joined with commas. */
  readonly headers: ReadonlyMap<string, string>;
  /** The rate-limit headers. */
  readonly limits: LimitHeaders;
  /** The values of `set-cookie`, if it was repeated. */
  readonly cookies?: readonly string[];
  /** Whether the connection can be used again after this response. */
  readonly keepAlive: boolean;
  /** The size in bytes, including the blank line. */
  readonly length: number;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
// Control characters are rejected, because the runtime crashes when a response contains one.
const FAULTY = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)/;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;

/** The only header whose values cannot be joined with commas. */
export const SET_COOKIE = "set-cookie";

/**
 * Parses the head; undefined while it is incomplete. Each byte becomes one character (Latin-1), as
 * in `fetch`.
 *
 * @param seen how many bytes an earlier call has already searched
 * @throws {BadMessage} when it is invalid.
 */
export function readHead(bytes: Uint8Array, seen = 0): Head | undefined {
  const length = endOfHead(bytes, Math.max(0, seen - 2));
  if (length === 0) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1");
  let end = text.indexOf("\n");
  const first = text.slice(0, text.charCodeAt(end - 1) === CR ? end - 1 : end);
  const faulty = FAULTY.test(text);
  const status = first === lastStatus?.line ? lastStatus : toStatus(first);
  if (status === undefined || faulty && FAULTY.test(first)) {
    throw new BadMessage("The answer is not HTTP/1.1");
  }
  lastStatus = status;
  if (faulty) throw new BadMessage("The answer has a faulty header");
  const headers = new Map<string, string>();
  let cookies: string[] | undefined;
  let limitNames: string[] | undefined;
  for (let start = end + 1, line = 0; start < length - 2; start = end + 1, line++) {
    end = text.indexOf("\n", start);
    let known = lastNames[line];
    let colon = start + (known?.received.length ?? 0);
    if (
      known === undefined || text.charCodeAt(colon) !== COLON ||
      !text.startsWith(known.received, start)
    ) {
      colon = text.indexOf(":", start);
      if (colon === -1 || colon > end) throw new BadMessage("The answer has a faulty header");
      known = nameOf(text.slice(start, colon));
      if (line < MAX_LAST_NAMES) lastNames[line] = known;
    }
    const { name } = known;
    let from = colon + 1;
    let to = end;
    // The only possible control characters are tabs, and carriage returns before line feeds.
    while (from < to && text.charCodeAt(from) <= SPACE) from++;
    while (to > from && text.charCodeAt(to - 1) <= SPACE) to--;
    const value = text.slice(from, to);
    const before = headers.get(name);
    if (before !== undefined && name === SET_COOKIE) (cookies ??= [before]).push(value);
    if (known.isLimit && before === undefined) (limitNames ??= []).push(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const limits = limitNames === undefined ? NO_LIMITS : toLimits(limitNames, headers);
  const keepAlive = isKeptAlive(status.isVersion11, headers);
  const head = { status: status.code, headers, limits, keepAlive, length };
  return cookies === undefined ? head : { ...head, cookies };
}

const NO_LIMITS: LimitHeaders = [];

function toLimits(names: readonly string[], headers: Head["headers"]): LimitHeaders {
  return names.map((name) => [name, headers.get(name) ?? ""]);
}

interface Status {
  readonly line: string;
  readonly isVersion11: boolean;
  readonly code: number;
}

/** Caches the value of the last head, since nearly all have the same one. */
let lastStatus: Status | undefined;

function toStatus(line: string): Status | undefined {
  const [, version, code] = STATUS_LINE.exec(line) ?? [];
  return code === undefined
    ? undefined
    : { line, isVersion11: version === "1", code: Number(code) };
}

/** The entries of a comma-separated header. */
function listOf(value: string): string[] {
  return value.split(/[\t ]*,[\t ]*/);
}

/** The name of a header, as received and in lower case. */
interface Name {
  readonly received: string;
  readonly name: string;
  /** Whether it may be a rate-limit header. */
  readonly isLimit: boolean;
}

const MAX_INTERNED_NAMES = 1000;
const MAX_LAST_NAMES = 64;
/** Header names as received, cached because vendors always send the same ones. */
const names = new Map<string, Name>();
/** The names in the last head, by line. The next head usually has the same ones. */
const lastNames: Name[] = [];

function nameOf(received: string): Name {
  let name = names.get(received);
  if (name === undefined) {
    if (!isFieldName(received)) throw new BadMessage("The answer has a faulty header");
    if (names.size >= MAX_INTERNED_NAMES) names.clear();
    const lower = received.toLowerCase();
    names.set(received, name = { received, name: lower, isLimit: isLimitHeader(lower) });
  }
  return name;
}

function isKeptAlive(isVersion11: boolean, headers: Head["headers"]): boolean {
  // A proxy may interpret these headers differently, and so see a different end of the response.
  const isAmbiguous = headers.has("transfer-encoding") &&
    (headers.has("content-length") || !isVersion11);
  if (isAmbiguous) return false;
  const connection = headers.get("connection");
  if (connection === undefined) return isVersion11;
  const options = listOf(connection.toLowerCase());
  return !options.includes("close") && (isVersion11 || options.includes("keep-alive"));
}

/**
 * The position after the blank line that ends the head, or 0. A single LF also ends a line.
 *
 * @param from where to start: up to two bytes of the blank line may precede the new bytes
 */
function endOfHead(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return 0;
}

/** @throws {BadMessage} when the length of the body is unclear. */
export function createBodyDecoder({ status, headers }: Head): BodyDecoder {
  const encoding = headers.get("transfer-encoding");
  if (status === 204 || status === 304) return new SizedBody(0);
  if (encoding !== undefined) {
    if (encoding.toLowerCase() === "chunked") return new ChunkedBody();
    throw new BadMessage("The answer has an unknown transfer encoding");
  }
  const contentLength = headers.get("content-length");
  if (contentLength === undefined) return new OpenBody();
  const [length = "", ...others] = contentLength.includes(",")
    ? new Set(listOf(contentLength))
    : [contentLength];
  if (others.length > 0 || !/^\d{1,15}$/.test(length)) {
    throw new BadMessage("The answer has a faulty content length");
  }
  return new SizedBody(Number(length));
}

class SizedBody implements BodyDecoder {
  // Set only in the constructor, since most responses have such a body.
  declare taken: number;
  declare left: number;

  constructor(length: number) {
    this.taken = 0;
    this.left = length;
  }

  get ended(): boolean {
    return this.left === 0;
  }

  take(bytes: Uint8Array): Uint8Array {
    this.taken = Math.min(this.left, bytes.length);
    this.left -= this.taken;
    return bytes.subarray(0, this.taken);
  }

  close(): void {
    if (!this.ended) throw brokenOff();
  }
}

/** A body that ends when the connection is closed. */
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

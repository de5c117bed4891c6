/**
 * HTTP/1.1 responses, by RFC 9112 (https://www.rfc-editor.org/rfc/rfc9112, 2022-06): parses their
 * heads, and reads their bodies at the reader's pace.
 */

import { Buffer } from "node:buffer";
import { BadMessage, type BodyDecoder, brokenOff, ChunkedBody } from "./chunked_body.ts";
import type { LimitHeaders, VendorHeaders } from "../../contract/vendor_request.ts";
import { toTransportError } from "../../core/transport_error.ts";
import { isLimitHeader } from "../../providers/shared/quota_headers.ts";
import { isFieldName } from "../request_body.ts";
import type {
  ArrivingPackets,
  PacketRead,
  PacketReader,
  ResponseBody,
  VendorResponse,
} from "../transport.ts";

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
const SET_COOKIE = "set-cookie";

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

/**
 * The headers with a separate entry for each cookie, since cookies may contain commas (RFC 9110,
 * 5.3).
 */
function* withCookies(
  headers: Head["headers"],
  cookies: readonly string[],
): Generator<[string, string]> {
  for (const entry of headers) if (entry[0] !== SET_COOKIE) yield entry;
  for (const cookie of cookies) yield [SET_COOKIE, cookie];
}

const DONE: PacketRead = { done: true };

/** The source of a body's bytes, which is a connection while it serves one request. */
export interface BodySource {
  /** Host and port, for the log. */
  readonly endpoint: string;
  /** The unconsumed bytes. */
  readonly unread: Uint8Array;
  /** Consumes some of the unread bytes. */
  skip(count: number): void;
  /**
   * Consumes the last bytes of a body as text and releases the source, if all of them have arrived.
   */
  takeText(bytes: number, keepAlive: boolean): string | undefined;
  /** Reads more bytes, overwriting consumed ones; false at the end of the connection. */
  fill(): Promise<boolean>;
  /** Called when the body is no longer read; the connection is reused if `keepAlive` is true. */
  release(keepAlive: boolean): void;
  close(): void;
}

/** A body without bytes. */
const NO_BODY = new SizedBody(0);

/** A response: its head, and its body at the reader's pace. */
export class HttpResponse implements VendorResponse, ResponseBody, PacketReader, ArrivingPackets {
  // Set only in the constructor, since each request has a response.
  declare readonly status: number;
  declare readonly ok: boolean;
  declare readonly headers: VendorHeaders;
  /** The response itself; null if it has no body. */
  declare readonly body: this | null;
  readonly #decoder: BodyDecoder;
  readonly #keepAlive: boolean;
  /** Undefined once the body has ended or has been canceled. */
  #source: BodySource | undefined;
  #failure: unknown;

  /** @param decoder of the body; undefined for a response without one */
  constructor(head: Head, source: BodySource, decoder: BodyDecoder | undefined) {
    const { status, headers, cookies, keepAlive, limits } = head;
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = {
      limits,
      get: (name) => headers.get(name) ?? null,
      [Symbol.iterator]: () =>
        cookies === undefined ? headers[Symbol.iterator]() : withCookies(headers, cookies),
    };
    this.body = decoder === undefined ? null : this;
    this.#decoder = decoder ?? NO_BODY;
    this.#keepAlive = keepAlive;
    this.#source = decoder && source;
  }

  getReader(): this {
    return this;
  }

  text(maxBytes: number): string | undefined {
    const { left } = this.#decoder;
    if (left === undefined || left > maxBytes) return undefined;
    const text = this.#source?.takeText(left, this.#keepAlive);
    if (text !== undefined) this.#source = undefined;
    return text;
  }

  async read(): Promise<PacketRead> {
    for (;;) {
      const value = this.take();
      if (value === null) return DONE;
      if (value !== undefined) return { done: false, value };
      await this.arrival();
    }
  }

  take(): Uint8Array | null | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    for (let source = this.#source; source !== undefined; source = this.#source) {
      try {
        if (this.#decoder.ended) this.#leave(source);
        else {
          const { unread } = source;
          if (unread.length === 0) return undefined;
          const value = this.#decoder.take(unread);
          source.skip(this.#decoder.taken);
          if (value.length > 0) return value;
        }
      } catch (thrown) {
        if (this.#source === undefined) break;
        throw this.#fail(thrown);
      }
    }
    return null;
  }

  arrival(): Promise<void> {
    const filling = this.#source?.fill();
    if (filling === undefined) return Promise.resolve();
    return filling.then((isOpen) => this.#onFill(isOpen), (thrown) => void this.#fail(thrown));
  }

  #onFill(isOpen: boolean): void {
    if (isOpen) return;
    try {
      this.#decoder.close();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** The reason why the rest cannot be read. A body that is no longer read does not fail. */
  #fail(thrown: unknown): unknown {
    const source = this.#source;
    if (source === undefined) return undefined;
    this.#source = undefined;
    source.close();
    return this.#failure = toTransportError(thrown, source.endpoint);
  }

  cancel(): Promise<void> {
    if (this.#source !== undefined) this.#leave(this.#source);
    return Promise.resolve();
  }

  #leave(source: BodySource): void {
    this.#source = undefined;
    source.release(this.#decoder.ended && this.#keepAlive);
  }
}

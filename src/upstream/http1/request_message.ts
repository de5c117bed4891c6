/**
 * HTTP/1.1 requests as bytes, according to RFC 9112 (https://www.rfc-editor.org/rfc/rfc9112,
 * 2022-06).
 */

import { Buffer } from "node:buffer";
import { encodePieces, encodeText } from "../../core/bytes.ts";
import { checkHeader, checkMethod, type RequestBodyReader } from "../request_body.ts";
import type { FetchInit } from "../transport.ts";

/** A request, ready to be written. */
export interface Message {
  readonly method: string;
  /**
   * The head, and the body unless it is streamed. Each piece must be sent before the next one is
   * read.
   */
  readonly pieces: Iterable<Uint8Array>;
  /** The body, if it is streamed. */
  readonly upload?: Upload;
}

/** Bodies up to this many UTF-16 units or bytes are sent in one piece with their head. */
const MAX_LENGTH_IN_ONE_WRITE = 64 * 1024;
/** The maximum size of a chunk, in bytes. */
const MAX_CHUNK_BYTES = 64 * 1024;
/** A chunk's overhead in bytes: its size in hexadecimal digits and two line endings. */
const CHUNK_OVERHEAD_BYTES = 16;

/** Methods whose requests declare `content-length: 0` if they have no body (RFC 9110, 8.6). */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

const encoder = new TextEncoder();
const LAST_CHUNK = encoder.encode("0\r\n\r\n");
const NOTHING = new Uint8Array(0);

/** A request's head, without the body length. */
interface Head {
  readonly method: string;
  readonly reuse: boolean;
  readonly headers: FetchInit["headers"];
  /** Names and values of the headers, alternating. */
  readonly fields: readonly string[];
  readonly text: string;
  /** Whether the head is ASCII; otherwise each of its characters is one byte. */
  readonly isAscii: boolean;
}

/** Caches the heads of requests to one URL, which are mostly identical. */
export class RequestHeads {
  readonly #target: string;
  #last: Head | undefined;

  /** @param target the rest of the first line, and the `host` header */
  constructor(target: string) {
    this.#target = target;
  }

  /** @throws {TypeError} when the head is not valid. */
  headOf(method: string, headers: FetchInit["headers"], reuse: boolean): Head {
    const last = this.#last;
    if (last !== undefined && last.method === method && last.reuse === reuse) {
      if (last.headers === headers || hasFields(headers, last.fields)) return last;
    }
    const fields: string[] = [];
    let text = method + (reuse ? this.#target : `${this.#target}connection: close\r\n`);
    let isAscii = true;
    for (const name in headers) {
      const value = headers[name] ?? "";
      if (!checkHeader(name, value)) isAscii = false;
      text += `${name}: ${value}\r\n`;
      fields.push(name, value);
    }
    return this.#last = { method, reuse, headers, fields, text, isAscii };
  }
}

/** Whether headers have these names and values, in this order. */
function hasFields(headers: FetchInit["headers"], fields: readonly string[]): boolean {
  let at = 0;
  for (const name in headers) {
    if (fields[at++] !== name || fields[at++] !== headers[name]) return false;
  }
  return at === fields.length;
}

/**
 * @param heads the heads for the request's URL
 * @param upload the request's body, if it is streamed
 * @throws {TypeError} when the request is not valid.
 */
export function toMessage(
  heads: RequestHeads,
  init: FetchInit,
  reuse: boolean,
  upload?: Upload,
): Message {
  const { method, headers, body } = init;
  if (method !== "POST") checkMethod(method, body !== undefined);
  const { text, isAscii } = heads.headOf(method, headers, reuse);
  if (typeof body === "string" && isAscii && body.length <= MAX_LENGTH_IN_ONE_WRITE) {
    const whole = `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    return { method, pieces: [encodeText(whole)] };
  }
  const head = `${text}${lengthHeader(init, upload)}\r\n`;
  if (upload !== undefined) return { method, pieces: [encodeHead(head, isAscii)], upload };
  return { method, pieces: toPieces(head, isAscii, body as string | Uint8Array | undefined) };
}

/** The header with the body length, if the request has a body. */
function lengthHeader({ method, body }: FetchInit, upload: Upload | undefined): string {
  if (upload !== undefined) {
    const { size } = upload;
    return size === undefined ? "transfer-encoding: chunked\r\n" : `content-length: ${size}\r\n`;
  }
  if (typeof body === "string") return `content-length: ${Buffer.byteLength(body)}\r\n`;
  if (body instanceof Uint8Array) return `content-length: ${body.length}\r\n`;
  return METHODS_WITH_BODY.has(method) ? "content-length: 0\r\n" : "";
}

function toPieces(
  head: string,
  isAscii: boolean,
  body: string | Uint8Array = "",
): Iterable<Uint8Array> {
  const isShort = body.length <= MAX_LENGTH_IN_ONE_WRITE;
  if (typeof body === "string") {
    return {
      *[Symbol.iterator]() {
        yield encodeHead(head, isAscii);
        yield* encodePieces(body);
      },
    };
  }
  const first = encodeHead(head, isAscii);
  return isShort ? [Buffer.concat([first, body])] : [first, body];
}

function encodeHead(head: string, isAscii: boolean): Uint8Array {
  return isAscii ? encodeText(head) : Buffer.from(head, "latin1");
}

/** A streamed body in its transfer coding: unchanged or chunked. */
export class Upload {
  readonly #body: RequestBodyReader;
  readonly #chunk: Uint8Array | undefined;
  /** Bytes of the body that were read but not yet returned. */
  #unsent: Uint8Array = NOTHING;
  #isEnded = false;

  constructor(body: RequestBodyReader) {
    this.#body = body;
    this.#chunk = body.size === undefined
      ? new Uint8Array(MAX_CHUNK_BYTES + CHUNK_OVERHEAD_BYTES)
      : undefined;
  }

  /** The size of the body in bytes, if known in advance. */
  get size(): number | undefined {
    return this.#body.size;
  }

  /**
   * The next bytes to be written, valid until the next call; undefined after the last ones.
   *
   * @throws {RequestBodyError}
   */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#isEnded) return undefined;
    if (this.#unsent.length === 0) {
      const read = await this.#body.next();
      if (read === undefined) {
        this.#isEnded = true;
        return this.#chunk && LAST_CHUNK;
      }
      this.#unsent = read;
    }
    const size = Math.min(this.#unsent.length, this.#chunk ? MAX_CHUNK_BYTES : Infinity);
    const bytes = this.#unsent.subarray(0, size);
    this.#unsent = this.#unsent.subarray(size);
    return this.#chunk === undefined ? bytes : toChunk(bytes, this.#chunk);
  }

  cancel(): void {
    this.#body.cancel();
  }
}

function toChunk(bytes: Uint8Array, into: Uint8Array): Uint8Array {
  const start = encoder.encodeInto(`${bytes.length.toString(16)}\r\n`, into).written;
  into.set(bytes, start);
  const end = start + bytes.length;
  return into.subarray(0, end + encoder.encodeInto("\r\n", into.subarray(end)).written);
}

/** The parts of a request that every HTTP client checks: the streamed body, method and headers. */

import type { VendorRequest } from "../contract/vendor_request.ts";
import { hasTexts } from "../core/json/number_texts.ts";
import { toJsonText } from "../core/json/writer.ts";
import { type RequestBody, RequestBodyError } from "./transport.ts";
import { toDepthError } from "../core/errors.ts";

/** The JSON text of a request's body, written in time slices if it is large. */
export function toBodyText(
  { body, method }: VendorRequest,
  isLarge: boolean,
): string | Promise<string> {
  if (method !== undefined) return "";
  // Preserving the text of numbers makes `JSON.stringify` slow.
  if (isLarge || hasTexts(body)) return toJsonText(body);
  try {
    return JSON.stringify(body);
  } catch (thrown) {
    throw toDepthError(thrown);
  }
}

/** Whether a body is streamed, so that it cannot be sent twice. */
export function isStreamed(
  body: RequestBody | undefined,
): body is Exclude<RequestBody, string | Uint8Array> {
  return body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
}

/** Reads a streamed body once, and checks its size. */
export class RequestBodyReader {
  readonly #source: Source;
  /** The number of bytes missing from the declared size. */
  #left: number | undefined;
  #isCancelled = false;
  /** Whether the whole body has been read. */
  isEnded = false;
  /** The reason why the body could not be read. */
  failure: RequestBodyError | undefined;

  /** @param size the size of the body in bytes, if declared */
  constructor(body: AsyncIterable<Uint8Array>, readonly size: number | undefined) {
    this.#source = sourceOf(body);
    this.#left = size;
  }

  /**
   * The next bytes, never empty; undefined at the end.
   *
   * @throws {RequestBodyError} when the body fails, or does not have the declared size.
   */
  async next(): Promise<Uint8Array | undefined> {
    try {
      for (;;) {
        const { done, value } = await this.#source.next();
        // A truncated body must not look complete.
        if (this.#isCancelled) throw new TypeError("The body is no longer being read");
        if (done) {
          this.isEnded = true;
          if (this.#left) throw new TypeError(`The body is ${this.#left} bytes too short`);
          return undefined;
        }
        if (!(value instanceof Uint8Array)) {
          throw new TypeError("The body does not consist of bytes");
        }
        if (this.#left !== undefined && value.length > this.#left) {
          throw new TypeError("The body is longer than its content length");
        }
        if (this.#left !== undefined) this.#left -= value.length;
        if (value.length > 0) return value;
      }
    } catch (thrown) {
      this.failure = new RequestBodyError(thrown);
      this.cancel();
      throw this.failure;
    }
  }

  /** Cancels the source. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#source.cancel().catch(() => {});
  }
}

interface Source {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  cancel(): Promise<unknown>;
}

function sourceOf(body: AsyncIterable<Uint8Array>): Source {
  if (body instanceof ReadableStream) {
    // The iterator of a stream would wait for a pending read before canceling.
    const reader = body.getReader();
    return { next: () => reader.read(), cancel: () => reader.cancel() };
  }
  const iterator = body[Symbol.asyncIterator]();
  return { next: () => iterator.next(), cancel: async () => await iterator.return?.() };
}

/**
 * Header and method names, according to RFC 9110, 5.6.2 (https://www.rfc-editor.org/rfc/rfc9110,
 * 2022-06).
 */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Methods with a different kind of response, or that reveal a request's credentials. */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);
/** Headers for the connection and the body length, which HTTP clients set. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** The maximum length of a name in an error message, in characters. */
const MAX_NAME_CHARS = 40;
const NOT_ASCII_TEXT = /[^\t\x20-\x7e]/;
const NOT_LATIN1_TEXT = /[^\t\x20-\x7e\x80-\xff]/;

/** Whether a text can be the name of a header. */
export function isFieldName(text: string): boolean {
  return TOKEN.test(text);
}

/** @throws {TypeError} for an unsupported method, or one that must not have a body. */
export function checkMethod(method: string, hasBody: boolean): void {
  if (!/^[A-Z]+$/.test(method) || FORBIDDEN_METHODS.has(method)) {
    throw new TypeError(`The method '${printable(method)}' cannot be sent`);
  }
  if (hasBody && (method === "GET" || method === "HEAD")) {
    throw new TypeError(`A ${method} request cannot have a body`);
  }
}

/**
 * Whether a header consists of ASCII characters; otherwise each of its characters is one byte.
 *
 * @throws {TypeError} for a header that could change the request, or that a client sets itself.
 */
export function checkHeader(name: string, value: string): boolean {
  if (isFieldName(name) && !CONNECTION_HEADERS.has(name.toLowerCase())) {
    if (!NOT_ASCII_TEXT.test(value)) return true;
    if (!NOT_LATIN1_TEXT.test(value)) return false;
  }
  throw new TypeError(`The header '${printable(name)}' cannot be sent`);
}

/** Whether a response has no body regardless of its headers (RFC 9110, 6.4.1). */
export function hasNoBody(method: string, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

function printable(name: string): string {
  return name.slice(0, MAX_NAME_CHARS).replace(/[^\w-]/g, "?");
}

/** HTTP/1.1 responses: their status and headers, and their bodies at the reader's pace. */

import { toTransportError } from "../../core/transport_error.ts";
import type { ArrivingPackets, PacketRead, PacketReader, VendorResponse } from "../transport.ts";
import { type BodyDecoder, type Head, SET_COOKIE } from "./message.ts";
import type { VendorHeaders } from "../../contract/vendor_request.ts";

/** A response with its head. */
export class HttpResponse implements VendorResponse {
  // Set only in the constructor, since each request has a response.
  declare readonly status: number;
  declare readonly ok: boolean;
  declare readonly headers: VendorHeaders;
  declare readonly body: Body | null;

  constructor({ status, headers, cookies, limits }: Head, body: Body | null) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = {
      limits,
      get: (name) => headers.get(name) ?? null,
      [Symbol.iterator]: () =>
        cookies === undefined ? headers[Symbol.iterator]() : withCookies(headers, cookies),
    };
    this.body = body;
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

/** The body of one response, at the reader's pace. */
export class Body implements PacketReader, ArrivingPackets {
  /** Undefined once the response has ended or has been canceled. */
  #source: BodySource | undefined;
  readonly #decoder: BodyDecoder;
  readonly #keepAlive: boolean;
  #failure: unknown;

  constructor(source: BodySource, decoder: BodyDecoder, keepAlive: boolean) {
    this.#source = source;
    this.#decoder = decoder;
    this.#keepAlive = keepAlive;
  }

  getReader(): Body {
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

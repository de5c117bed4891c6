/**
 * A client of HTTP/1.1 for vendors, straight on the runtime's sockets: what a
 * request costs is most of what the gateway costs, and this costs a fifth of
 * `fetch` (`deno task bench`). It posts, follows no redirect, keeps connections
 * for the next request, and ends one at once when nobody reads its answer.
 *
 * A kept connection that turns out to be closed before a byte of an answer came
 * is replaced by a new one and the request sent again, as browsers do: nearly
 * always the vendor had closed it before the request reached it (RFC 9112, 9.3.1).
 * Once only, since it may be the request that ends the vendor, or costs money.
 */

import { Buffer } from "node:buffer";
import type { Clock } from "./clock.ts";
import {
  BadMessage,
  type BodyDecoder,
  createBodyDecoder,
  type Head,
  readHead,
} from "./http_message.ts";
import type { VendorHeaders } from "./providers/adapter.ts";
import type { Fetch, FetchInit, PacketRead, PacketReader, VendorResponse } from "./upstream.ts";

/** A connection as the runtime gives it. */
export interface Connection {
  /** How many bytes were read, or null at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** How many of the bytes were written. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** Where to connect to. */
export interface Origin {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export type Dial = (origin: Origin, signal: AbortSignal) => Promise<Connection>;

export interface ClientDeps {
  readonly dial: Dial;
  readonly clock: Clock;
}

/** Milliseconds that an unused connection is kept: less than vendors keep it. */
const KEPT = 30_000;
/** Bytes of a connection's buffer, and the most that a head may have. */
const BUFFER = 32 * 1024;
/** Bodies up to this many UTF-16 units are sent in one piece with their head. */
const SMALL = 64 * 1024;
/** UTF-16 units of a larger one that are encoded and sent at once. */
const PIECE = 128 * 1024;
/** The most bytes that one UTF-16 unit becomes. */
const WIDEST = 3;
/** URLs come of the configuration, but some hold a model's name: no more than these are kept. */
const MOST_PLACES = 1000;

const encoder = new TextEncoder();

/** A URL taken apart. */
interface Place {
  readonly origin: Origin;
  /** The head's first lines. */
  readonly opening: string;
  /** The connections that wait for a request to this origin. */
  readonly pool: Pool;
}

export class HttpClient {
  readonly #deps: ClientDeps;
  readonly #places = new Map<string, Place>();
  readonly #pools = new Map<string, Pool>();

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  readonly fetch: Fetch = async (url, init) => {
    const { signal } = init;
    signal.throwIfAborted();
    const { origin, opening, pool } = this.#placeOf(url);
    const message = toMessage(opening, init);
    for (let kept = pool.take();; kept = undefined) {
      const line = kept ?? new Line(await this.#deps.dial(origin, signal), pool);
      try {
        // A connection may open although nobody waits for it any more.
        signal.throwIfAborted();
        return await line.ask(message, signal);
      } catch (thrown) {
        line.close();
        signal.throwIfAborted();
        if (kept === undefined || line.answered) throw thrown;
      }
    }
  };

  /** Closes the connections that wait. */
  close(): void {
    for (const pool of this.#pools.values()) pool.close();
  }

  #placeOf(text: string): Place {
    let place = this.#places.get(text);
    if (place === undefined) {
      place = this.#toPlace(new URL(text));
      if (this.#places.size >= MOST_PLACES) this.#places.clear();
      this.#places.set(text, place);
    }
    return place;
  }

  #toPlace(url: URL): Place {
    let pool = this.#pools.get(url.origin);
    if (pool === undefined) this.#pools.set(url.origin, pool = new Pool(this.#deps.clock));
    const tls = url.protocol === "https:";
    return {
      // An IPv6 address stands in brackets.
      origin: {
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: Number(url.port) || (tls ? 443 : 80),
        tls,
      },
      opening: `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`,
      pool,
    };
  }
}

const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** The bytes of a request, piece by piece: each must have been sent before the next is taken. */
type Message = Iterable<Uint8Array>;

function toMessage(opening: string, { headers, body }: FetchInit): Message {
  let head = opening;
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!NAME.test(name) || /[\r\n\0]/.test(value)) {
      throw new TypeError(`The header '${name}' cannot be sent`);
    }
    head += `${name}: ${value}\r\n`;
  }
  head += `content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  if (body.length <= SMALL) return [encoder.encode(head + body)];
  return {
    *[Symbol.iterator]() {
      yield encoder.encode(head);
      yield* encodePieces(body);
    },
  };
}

/** A long text in UTF-8, without the memory that all of it would take once more. */
function* encodePieces(text: string): Generator<Uint8Array> {
  const bytes = new Uint8Array(WIDEST * PIECE);
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(at + PIECE, text.length);
    // A character of two units is not cut.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield bytes.subarray(0, encoder.encodeInto(text.slice(at, end), bytes).written);
  }
}

/** Connections of one origin that wait for a request. The last that came goes first. */
class Pool {
  readonly #lines: Line[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(): Line | undefined {
    const line = this.#lines.pop();
    line?.wake();
    return line;
  }

  /** Keeps a connection until it is taken, closes, or has waited too long. */
  keep(line: Line): void {
    this.#lines.push(line);
    line.rest(this.#clock.after(KEPT, () => this.drop(line)));
  }

  drop(line: Line): void {
    const at = this.#lines.indexOf(line);
    if (at !== -1) this.#lines.splice(at, 1);
    line.wake();
    line.close();
  }

  close(): void {
    for (const line of [...this.#lines]) this.drop(line);
  }
}

/** One connection, serving one request after another. */
class Line {
  /** True when a byte of an answer to the last request has come. */
  answered = false;
  readonly #connection: Connection;
  readonly #pool: Pool;
  readonly #bytes = new Uint8Array(BUFFER);
  /** What was read and not taken is between these places. */
  #start = 0;
  #end = 0;
  #written = true;
  #closed = false;
  /** Set while nobody uses it. */
  #cancelRest: (() => void) | undefined;
  /** The read that a waiting connection hears of its end by; it brings the next answer's first bytes. */
  #reading: Promise<number | null> | undefined;

  constructor(connection: Connection, pool: Pool) {
    this.#connection = connection;
    this.#pool = pool;
  }

  /** Sends a request and reads the head of its answer. */
  async ask(message: Message, signal: AbortSignal): Promise<VendorResponse> {
    const stop = () => this.close();
    signal.addEventListener("abort", stop, { once: true });
    try {
      this.answered = false;
      // Not awaited: a vendor may answer before it has read everything.
      void this.#write(message);
      const head = await this.#readHead();
      return new HttpResponse(head, new Body(this, createBodyDecoder(head), head.keepAlive));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Nobody uses it from now on. */
  rest(cancel: () => void): void {
    this.#cancelRest = cancel;
    const reading = this.#reading = this.#connection.read(this.#bytes);
    const hear = () => {
      if (this.#cancelRest !== undefined) this.#pool.drop(this);
    };
    reading.then(hear, hear);
  }

  /** It is used again. */
  wake(): void {
    this.#cancelRest?.();
    this.#cancelRest = undefined;
  }

  /** The bytes that were read and not taken. */
  get unread(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  skip(count: number): void {
    this.#start += count;
    if (this.#start === this.#end) this.#start = this.#end = 0;
  }

  /** Reads on; false at the end of the connection. What was taken before is overwritten. */
  async fill(): Promise<boolean> {
    const reading = this.#reading ?? this.#connection.read(this.#bytes.subarray(this.#end));
    this.#reading = undefined;
    const size = await reading;
    if (size === null) {
      // An answer may end like this, but no other can follow.
      this.close();
      return false;
    }
    this.answered = true;
    this.#end += size;
    return true;
  }

  /** The answer has been taken: the connection serves again if it can. */
  release(keepAlive: boolean): void {
    if (keepAlive && this.#written && !this.#closed && this.#end === 0) this.#pool.keep(this);
    else this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }

  async #write(message: Message): Promise<void> {
    this.#written = false;
    try {
      for (let bytes of message) {
        while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
      }
      this.#written = true;
    } catch {
      // Whoever reads hears of it; an answer that came before counts.
    }
  }

  async #readHead(): Promise<Head> {
    for (;;) {
      const head = readHead(this.unread);
      if (head === undefined) {
        if (this.#end === BUFFER) throw new BadMessage("The head of the answer is too long");
        if (!await this.fill()) throw new BadMessage("The connection closed without an answer");
        continue;
      }
      this.skip(head.length);
      // What comes before the answer proper, such as 103 Early Hints, is of no use here.
      if (head.status >= 200) return head;
    }
  }
}

class HttpResponse implements VendorResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: VendorHeaders;
  readonly body: Body;

  constructor({ status, headers }: Head, body: Body) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = {
      get: (name) => headers.get(name) ?? null,
      [Symbol.iterator]: () => headers[Symbol.iterator](),
    };
    this.body = body;
  }
}

const DONE: PacketRead = { done: true };

/** The body of one answer, at the reader's pace. */
class Body implements PacketReader {
  /** Until the answer has ended, or nobody wants it. */
  #line: Line | undefined;
  readonly #decoder: BodyDecoder;
  readonly #keepAlive: boolean;
  #failure: unknown;

  constructor(line: Line, decoder: BodyDecoder, keepAlive: boolean) {
    this.#line = line;
    this.#decoder = decoder;
    this.#keepAlive = keepAlive;
  }

  getReader(): PacketReader {
    return this;
  }

  async read(): Promise<PacketRead> {
    if (this.#failure !== undefined) throw this.#failure;
    for (let line = this.#line; line !== undefined; line = this.#line) {
      try {
        const { unread } = line;
        if (unread.length > 0 && !this.#decoder.ended) {
          const value = this.#decoder.take(unread);
          line.skip(this.#decoder.taken);
          if (value.length > 0) return { done: false, value };
        } else if (this.#decoder.ended) this.#leave(line);
        else if (!await line.fill()) this.#decoder.close();
      } catch (thrown) {
        if (this.#line === undefined) break;
        this.#line = undefined;
        line.close();
        throw this.#failure = thrown;
      }
    }
    return DONE;
  }

  cancel(): Promise<void> {
    if (this.#line !== undefined) this.#leave(this.#line);
    return Promise.resolve();
  }

  #leave(line: Line): void {
    this.#line = undefined;
    line.release(this.#decoder.ended && this.#keepAlive);
  }
}

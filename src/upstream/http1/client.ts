/**
 * A client of HTTP/1.1 for vendors, straight on the runtime's sockets: what a
 * request costs is most of what the gateway costs, and this costs a fifth of
 * `fetch` (`deno task bench`). It posts, follows no redirect, keeps connections
 * for the next request, and ends one at once when nobody reads its answer.
 *
 * A request is sent once more, on a new connection, only if its kept connection was idle for a while
 * and then closed at once without a byte of an answer: the vendor had closed it before the request
 * reached it (RFC 9112, 9.3.1). Otherwise it may be the request that ends the vendor, or costs money.
 */

import type { ConnectionRules } from "../../config/connection_rules.ts";
import { Buffer } from "node:buffer";
import type { Clock } from "../../core/clock.ts";
import { ConnectionPool } from "./connection_pool.ts";
import { type Connection, Line, type Message } from "./connection.ts";
import { isFieldName } from "./message.ts";
import { toTransportError, TransportError } from "../../core/transport_error.ts";
import { DEFAULT_CONNECTION_RULES } from "../../config/connection_rules.ts";
import type { Fetch, FetchInit } from "../transport.ts";

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

/** Bodies up to this many UTF-16 units are sent in one piece with their head. */
const SMALL = 64 * 1024;
/** UTF-16 units of a larger one that are encoded and sent at once. */
const PIECE = 128 * 1024;
/** The most bytes that one UTF-16 unit becomes. */
const WIDEST = 3;
/** URLs come of the configuration, but some hold a model's name: no more than these are kept. */
const MOST_PLACES = 1000;
/** Origins that connections are kept of, unless more of them have some. */
const MAX_POOLS = 1000;

const encoder = new TextEncoder();

/** A URL taken apart. */
interface Place {
  readonly origin: Origin;
  /** The head's first lines. */
  readonly opening: string;
  /** The connections that wait for a request to this origin. */
  readonly pool: ConnectionPool<Line>;
}

export class HttpClient {
  readonly #deps: ClientDeps;
  readonly #places = new Map<string, Place>();
  readonly #pools = new Map<string, ConnectionPool<Line>>();

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  readonly fetch: Fetch = async (url, init) => {
    const { signal, connection: rules = DEFAULT_CONNECTION_RULES } = init;
    signal.throwIfAborted();
    const place = this.#placeOf(url);
    const message = toMessage(place.opening, init, rules);
    const kept = rules.reuse ? this.#take(place.pool, rules) : undefined;
    if (kept !== undefined) {
      try {
        return await kept.ask(message, signal);
      } catch (thrown) {
        kept.close();
        signal.throwIfAborted();
        const cause = toTransportError(thrown, place.pool.endpoint);
        if (!rules.resend || !kept.wasClosedBefore) throw cause;
        init.onResend?.(cause);
      }
    }
    const connection = await this.#open(place.origin, rules, signal);
    const line = new Line(connection, place.pool, rules);
    try {
      return await line.ask(message, signal);
    } catch (thrown) {
      line.close();
      signal.throwIfAborted();
      throw toTransportError(thrown, place.pool.endpoint);
    }
  };

  /** An idle connection that may take another request. */
  #take(pool: ConnectionPool<Line>, rules: ConnectionRules): Line | undefined {
    const now = this.#deps.clock.now();
    for (let line = pool.take(now); line !== undefined; line = pool.take(now)) {
      if (!line.isWorn(rules, now)) return line;
      line.close();
    }
    return undefined;
  }

  /** Opens a connection within the time that it may take. */
  async #open(
    origin: Origin,
    { connectTimeout }: ConnectionRules,
    signal: AbortSignal,
  ): Promise<Connection> {
    const controller = new AbortController();
    const cancel = this.#deps.clock.after(connectTimeout, () => {
      const cause = `no connection within ${connectTimeout} ms`;
      controller.abort(new TransportError("timeout", cause, endpointOf(origin)));
    });
    const leave = () => controller.abort(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      const connection = await this.#deps.dial(origin, controller.signal);
      if (!controller.signal.aborted) return connection;
      // It has opened although nobody waits for it any more.
      connection.close();
      throw controller.signal.reason;
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
    }
  }

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
    const tls = url.protocol === "https:";
    // An IPv6 address stands in brackets.
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const origin = { host, port: Number(url.port) || (tls ? 443 : 80), tls };
    return {
      origin,
      opening: `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`,
      pool: this.#poolOf(url.origin, origin),
    };
  }

  #poolOf(name: string, origin: Origin): ConnectionPool<Line> {
    let pool = this.#pools.get(name);
    if (pool !== undefined) return pool;
    if (this.#pools.size >= MAX_POOLS) {
      // Those of a configuration that has been replaced.
      for (const [other, { isEmpty }] of this.#pools) if (isEmpty) this.#pools.delete(other);
      this.#places.clear();
    }
    this.#pools.set(name, pool = new ConnectionPool(this.#deps.clock, endpointOf(origin)));
    return pool;
  }
}

function endpointOf({ host, port }: Origin): string {
  return `${host}:${port}`;
}

function toMessage(
  opening: string,
  { headers, body }: FetchInit,
  { reuse }: ConnectionRules,
): Message {
  let head = reuse ? opening : `${opening}connection: close\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!isFieldName(name) || /[\r\n\0]/.test(value)) {
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

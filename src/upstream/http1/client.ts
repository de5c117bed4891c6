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
import type { Clock } from "../../core/clock.ts";
import { type Connection, Line, type Message, Pool } from "./connection.ts";
import { isFieldName } from "./message.ts";
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

function toMessage(opening: string, { headers, body }: FetchInit): Message {
  let head = opening;
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

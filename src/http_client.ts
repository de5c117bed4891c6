/**
 * A client for vendors' HTTP/1.1, over `node:http`: less than half of what a
 * request costs with `fetch`, and two thirds of a packet of a stream (`deno task bench`).
 *
 * Connections are kept for the next request. One that the vendor had closed
 * meanwhile is replaced and the request sent again, by the runtime, as it does
 * for `fetch` (https://github.com/denoland/deno/pull/31932, 2026-01). Redirects
 * are not followed.
 */

import { Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { VendorHeaders } from "./providers/adapter.ts";
import type { Fetch, PacketRead, PacketReader, VendorResponse } from "./upstream.ts";

/** Milliseconds that an unused connection is kept: less than vendors' own limits. */
const KEPT = 30_000;

const OPTIONS = { keepAlive: true, timeout: KEPT, scheduling: "lifo" } as const;

/** Where a URL leads, taken apart once. */
interface Place {
  readonly agent: Agent;
  readonly host: string;
  readonly port: string | number;
  readonly path: string;
  /** As the `host` header has it. */
  readonly authority: string;
}

/** URLs come of the configuration, but some hold a model's name: no more than these are kept. */
const MOST_PLACES = 1000;

/** A client with connections of its own. */
export class HttpClient {
  readonly #plain = new Agent(OPTIONS);
  readonly #secure = new SecureAgent(OPTIONS);
  readonly #places = new Map<string, Place>();

  readonly fetch: Fetch = (url, { method, headers, body, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<VendorResponse>();
    if (signal.aborted) return Promise.reject(signal.reason);
    const { agent, host, port, path, authority } = this.#placeOf(url);
    const bytes = encoder.encode(body);
    const request = requestHttp({
      ...{ agent, host, port, path, method },
      headers: { host: authority, ...headers, "content-length": bytes.byteLength },
    });
    const stop = () => {
      reject(signal.reason);
      request.destroy();
    };
    signal.addEventListener("abort", stop, { once: true });
    request.on("response", (message) => {
      signal.removeEventListener("abort", stop);
      resolve(new NodeResponse(message));
    });
    request.on("error", (cause) => {
      signal.removeEventListener("abort", stop);
      reject(cause);
    });
    request.end(bytes);
    return promise;
  };

  /** Closes every connection. */
  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  #placeOf(url: string): Place {
    let place = this.#places.get(url);
    if (place === undefined) {
      place = toPlace(new URL(url), this.#plain, this.#secure);
      if (this.#places.size >= MOST_PLACES) this.#places.clear();
      this.#places.set(url, place);
    }
    return place;
  }
}

const encoder = new TextEncoder();

function toPlace(url: URL, plain: Agent, secure: Agent): Place {
  const tls = url.protocol === "https:";
  return {
    agent: tls ? secure : plain,
    // An IPv6 address stands in brackets.
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port || (tls ? 443 : 80),
    path: url.pathname + url.search,
    authority: url.host,
  };
}

/** `node:https` would ask for a permission that the gateway does not want. */
class SecureAgent extends Agent {
  override createConnection(options: { readonly host: string; readonly port: number }) {
    const { host, port } = options;
    const name = isIP(host) === 0 ? { servername: host } : {};
    return connectTls({ host, port, ...name, ALPNProtocols: ["http/1.1"] });
  }
}

class NodeResponse implements VendorResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: VendorHeaders;
  readonly body: NodeBody;

  constructor(message: IncomingMessage) {
    this.status = message.statusCode ?? 0;
    this.ok = this.status >= 200 && this.status < 300;
    this.headers = new NodeHeaders(message.headers);
    this.body = new NodeBody(message);
  }
}

/** Headers whose names are lower case already. */
class NodeHeaders implements VendorHeaders {
  readonly #headers: IncomingMessage["headers"];

  constructor(headers: IncomingMessage["headers"]) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
    return value === undefined ? null : toText(value);
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [name, value] of Object.entries(this.#headers)) {
      if (value !== undefined) yield [name, toText(value)];
    }
  }
}

function toText(value: string | readonly string[]): string {
  return typeof value === "string" ? value : value.join(", ");
}

/** The packets of an answer, at the reader's pace. */
class NodeBody implements PacketReader {
  readonly #message: IncomingMessage;
  readonly #packets: Uint8Array[] = [];
  #waiting: PromiseWithResolvers<PacketRead> | undefined;
  #ended = false;
  #failure: unknown;

  constructor(message: IncomingMessage) {
    this.#message = message;
    message.on("data", (packet: Uint8Array) => this.#push(packet));
    message.on("end", () => this.#end(message.complete ? undefined : BROKEN));
    message.on("error", (cause) => this.#end(cause));
    message.on("close", () => this.#end(BROKEN));
  }

  getReader(): PacketReader {
    return this;
  }

  read(): Promise<PacketRead> {
    const packet = this.#packets.shift();
    if (packet !== undefined) {
      if (this.#packets.length === 0) this.#message.resume();
      return Promise.resolve({ done: false, value: packet });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(DONE);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  cancel(): Promise<void> {
    if (!this.#message.complete) this.#message.destroy();
    this.#packets.length = 0;
    this.#end(undefined);
    return Promise.resolve();
  }

  #push(packet: Uint8Array): void {
    if (this.#ended) return;
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: packet });
      return;
    }
    this.#packets.push(packet);
    this.#message.pause();
  }

  #end(failure: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (failure === undefined) waiting?.resolve(DONE);
    else waiting?.reject(failure);
  }
}

const DONE: PacketRead = { done: true };
const BROKEN = new Error("The connection broke off");

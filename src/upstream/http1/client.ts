/**
 * An HTTP/1.1 client on the runtime's sockets. For a short exchange it uses about 60 % of the CPU
 * time of `fetch` (measured 2026-11-22). It does not follow redirects, reuses connections, and
 * closes a connection immediately if its response is not read to the end.
 *
 * The client sends a request again, on a new connection, only if the reused connection had been
 * idle for a while and the vendor closed it without sending a byte, which means that it closed
 * before the request arrived (RFC 9112, 9.3.1). After any other failure the vendor may have
 * processed and billed the request, so the client does not repeat it.
 */

import type { StopSignal } from "../../core/stop_signal.ts";
import type { ConnectionRules } from "../../config/connection_rules.ts";
import type { VendorRoute } from "../../config/vendor_route.ts";
import type { Clock } from "../../core/clock.ts";
import { ConnectionPool } from "./connection_pool.ts";
import { type Connection, PooledConnection } from "./connection.ts";
import { authorizationOf, forwards, type ProxyServer, toProxyServer } from "./proxy_server.ts";
import { type Message, RequestHeads, toMessage, Upload } from "./request_message.ts";
import { toTransportError, TransportError } from "../../core/transport_error.ts";
import { DEFAULT_CONNECTION_RULES } from "../../config/connection_rules.ts";
import { isStreamed, RequestBodyReader } from "../request_body.ts";
import {
  type Fetch,
  type FetchInit,
  RequestBodyError,
  type Transport,
  type VendorResponse,
} from "../transport.ts";

/** The destination of a connection. */
export interface Origin {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** The proxy, if any. */
  readonly via?: ProxyServer;
  /** The provider whose certificates are used. */
  readonly route?: VendorRoute;
}

export type Dial = (origin: Origin, signal: StopSignal) => Promise<Connection>;

export interface ClientDeps {
  readonly dial: Dial;
  readonly clock: Clock;
  /** A connection's minimum cooldown before its next request, in milliseconds. */
  readonly minCooldownMs?: number;
  /** The proxy for a URL whose provider does not configure one. Default: none. */
  readonly proxyFor?: (url: URL) => ProxyServer | undefined;
}

/**
 * The maximum number of cached URLs. URLs come from the configuration, but some contain a model
 * name.
 */
const MAX_ENDPOINTS = 1000;
/** The number of origins above which empty pools are removed. */
const MAX_POOLS = 1000;

/** A parsed URL. */
interface Endpoint {
  readonly origin: Origin;
  readonly heads: RequestHeads;
  /** The idle connections to this origin. */
  readonly pool: ConnectionPool<PooledConnection>;
}

/** The {@linkcode Transport} for HTTP/1.1. */
export class HttpClient implements Transport {
  readonly #deps: ClientDeps;
  readonly #endpoints = new Map<string, Endpoint>();
  /** The last request's endpoint. */
  #last:
    | { readonly url: string; readonly route: VendorRoute | undefined; readonly endpoint: Endpoint }
    | undefined;
  /** Numbers the routes, since connections are not shared between routes. */
  readonly #routes = new WeakMap<VendorRoute, number>();
  #routeCount = 0;
  readonly #pools = new Map<string, ConnectionPool<PooledConnection>>();

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  readonly fetch: Fetch = (url, init) => {
    const { body, connection: rules = DEFAULT_CONNECTION_RULES, contentLength, signal } = init;
    if (isStreamed(body)) {
      return this.#sendStreamed(url, init, new RequestBodyReader(body, contentLength));
    }
    let kept: PooledConnection | undefined;
    try {
      if (signal.aborted) throw signal.reason;
      const endpoint = this.#endpointFor(url, rules.route);
      const message = toMessage(endpoint.heads, init, rules.reuse);
      const now = this.#deps.clock.now();
      kept = rules.reuse ? endpoint.pool.take(now, rules) : undefined;
      if (kept === undefined) return this.#sendAnew(message, endpoint, init, rules);
      const connection = kept;
      return connection.ask(message, signal, now, async (thrown) => {
        connection.close();
        signal.throwIfAborted();
        const cause = toTransportError(thrown, endpoint.pool.endpoint);
        if (!rules.resend || !connection.wasClosedBefore) throw cause;
        init.watcher?.onResend?.(cause);
        return await this.#sendAnew(message, endpoint, init, rules);
      });
    } catch (thrown) {
      kept?.close();
      return Promise.reject(thrown);
    }
  };

  async #sendStreamed(
    url: string,
    init: FetchInit,
    body: RequestBodyReader,
  ): Promise<VendorResponse> {
    try {
      // A streamed body cannot be sent a second time if the vendor has just closed the connection.
      const { connection: rules = DEFAULT_CONNECTION_RULES } = init;
      init.signal.throwIfAborted();
      const endpoint = this.#endpointFor(url, rules.route);
      const message = toMessage(endpoint.heads, init, rules.reuse, new Upload(body));
      return await this.#sendAnew(message, endpoint, init, rules);
    } catch (thrown) {
      body.cancel();
      throw thrown;
    }
  }

  /** Sends a request on a new connection. */
  async #sendAnew(
    message: Message,
    { origin, pool }: Endpoint,
    { signal, watcher }: FetchInit,
    rules: ConnectionRules,
  ): Promise<VendorResponse> {
    watcher?.onConnecting?.(true);
    const connection = await this.#open(origin, rules, signal);
    watcher?.onConnecting?.(false);
    const pooled = new PooledConnection(connection, pool, rules);
    return await pooled.ask(message, signal, this.#deps.clock.now(), (thrown) => {
      pooled.close();
      const isKnown = thrown instanceof RequestBodyError;
      const failure = isKnown ? thrown : toTransportError(thrown, pool.endpoint);
      return Promise.reject(signal.aborted ? signal.reason : failure);
    });
  }

  /** Opens a connection within `connectTimeout`. */
  async #open(
    origin: Origin,
    { connectTimeout }: ConnectionRules,
    signal: StopSignal,
  ): Promise<Connection> {
    const controller = new AbortController();
    const cancel = this.#deps.clock.after(connectTimeout, () => {
      const cause = `no connection within ${connectTimeout} ms`;
      controller.abort(new TransportError("timeout", cause, hostAndPort(origin)));
    });
    const leave = () => controller.abort(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      const connection = await this.#deps.dial(origin, controller.signal);
      if (!controller.signal.aborted) return connection;
      // The request was aborted before the connection opened.
      connection.close();
      throw controller.signal.reason;
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
    }
  }

  /** Closes the idle connections now, and the others when their responses end. */
  close(): void {
    for (const pool of this.#pools.values()) pool.close();
  }

  #endpointFor(text: string, route: VendorRoute | undefined): Endpoint {
    // Comparing a string takes less time than hashing it.
    const last = this.#last;
    if (last !== undefined && last.url === text && last.route === route) return last.endpoint;
    const prefix = route === undefined ? "" : `${this.#numberOf(route)} `;
    let endpoint = this.#endpoints.get(prefix + text);
    if (endpoint === undefined) {
      endpoint = this.#toEndpoint(new URL(text), route, prefix);
      if (this.#endpoints.size >= MAX_ENDPOINTS) this.#endpoints.clear();
      this.#endpoints.set(prefix + text, endpoint);
    }
    this.#last = { url: text, route, endpoint };
    return endpoint;
  }

  #numberOf(route: VendorRoute): number {
    let number = this.#routes.get(route);
    if (number === undefined) this.#routes.set(route, number = ++this.#routeCount);
    return number;
  }

  #toEndpoint(url: URL, route: VendorRoute | undefined, prefix: string): Endpoint {
    const via = this.#proxyFor(url, route);
    const origin = { ...originOf(url), ...(via && { via }), ...(route && { route }) };
    const isForwarded = via !== undefined && forwards(via, origin.tls);
    const authorization = isForwarded ? authorizationOf(via) : undefined;
    const own = authorization === undefined ? "" : `proxy-authorization: ${authorization}\r\n`;
    const path = `${isForwarded ? url.origin : ""}${url.pathname}${url.search}`;
    return {
      origin,
      heads: new RequestHeads(` ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${own}`),
      pool: this.#poolOf(prefix + url.origin, origin),
    };
  }

  #proxyFor(url: URL, route: VendorRoute | undefined): ProxyServer | undefined {
    const proxy = route?.proxy;
    if (proxy === undefined) return this.#deps.proxyFor?.(url);
    return proxy === "direct" ? undefined : toProxyServer(proxy, "the provider");
  }

  #poolOf(name: string, origin: Origin): ConnectionPool<PooledConnection> {
    let pool = this.#pools.get(name);
    if (pool !== undefined) return pool;
    if (this.#pools.size >= MAX_POOLS) {
      // Providers from a configuration that has been replaced.
      for (const [other, { isEmpty }] of this.#pools) if (isEmpty) this.#pools.delete(other);
      this.#endpoints.clear();
      this.#last = undefined;
    }
    const { clock, minCooldownMs } = this.#deps;
    this.#pools.set(name, pool = new ConnectionPool(clock, hostAndPort(origin), minCooldownMs));
    return pool;
  }
}

/** A URL's origin. */
function originOf({ protocol, hostname, port }: URL): Origin {
  const tls = protocol === "https:";
  // An IPv6 address is in brackets.
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (tls ? 443 : 80), tls };
}

function hostAndPort({ host, port }: Origin): string {
  return `${host}:${port}`;
}

/**
 * The {@linkcode Transport} of the runtime's `fetch`: for vendors behind a proxy, and for
 * operators who suspect the native client of a fault.
 */

import { type ConnectionRules, DEFAULT_CONNECTION_RULES } from "../config/connection_rules.ts";
import { isProxy, type VendorRoute } from "../config/vendor_route.ts";
import type { Clock } from "../core/clock.ts";
import {
  endpointOf,
  toProxyError,
  toTransportError,
  TransportError,
} from "../core/transport_error.ts";
import { type Dial, originOf } from "./http1/client.ts";
import { VendorClients } from "./vendor_clients.ts";
import { isStreamed, RequestBodyReader } from "./request_body.ts";
import { checkHeader, checkMethod } from "./request_head.ts";
import type { Fetch, FetchInit, PacketReader, Transport, VendorResponse } from "./transport.ts";

/** What the transport depends on. */
export interface FetchTransportDeps {
  readonly clock: Clock;
  /**
   * Opens a connection, to find out whether a vendor that has not answered can be reached. Undefined
   * where vendors are reached through a proxy: then `connectTimeout` has no effect.
   */
  readonly probe: Dial | undefined;
  /** The setting of the proxy that a request uses, such as `HTTPS_PROXY`. Default: it uses none. */
  readonly proxyOf?: ((url: URL) => string | undefined) | undefined;
}

/**
 * Ignores `maxAge`, `maxRequests` and `resend` of the {@linkcode ConnectionRules}. `fetch` does not
 * tell when a connection has opened; so if no response has begun after `connectTimeout`, a second
 * connection is tried, and the request is ended if that does not open within the same time either.
 *
 * Its connections do not have `TCP_NODELAY`, for which the runtime has no setting (Deno 2.9.6): the last
 * packet of a body may wait until the vendor has acknowledged the others. Those of the native client
 * have it.
 */
export class FetchTransport implements Transport {
  readonly #deps: FetchTransportDeps;
  readonly #pooling = Deno.createHttpClient({});
  /** For providers whose connections serve one request each. */
  readonly #single = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  readonly #ofRoutes = new VendorClients();
  #isClosed = false;

  constructor(deps: FetchTransportDeps) {
    this.#deps = deps;
  }

  readonly fetch: Fetch = async (url, init) => {
    const { signal, connection: rules = DEFAULT_CONNECTION_RULES } = init;
    const upload = isStreamed(init.body)
      ? new RequestBodyReader(init.body, init.contentLength)
      : undefined;
    const controller = new AbortController();
    const leave = () => controller.abort(signal.reason);
    let stopProbe = () => {};
    try {
      signal.throwIfAborted();
      const request = toRequestInit(init, rules, upload);
      signal.addEventListener("abort", leave, { once: true });
      stopProbe = this.#watch(new URL(url), rules, controller);
      const client = this.#clientFor(rules);
      const sent = { ...request, client, signal: controller.signal };
      const response = await this.#send(url, sent, rules.route);
      return upload === undefined ? response : endingUpload(response, () => {
        if (upload.isEnded) return;
        upload.cancel();
        controller.abort();
      });
    } catch (thrown) {
      const failure = upload?.failure;
      upload?.cancel();
      signal.throwIfAborted();
      throw failure ?? thrown;
    } finally {
      stopProbe();
      signal.removeEventListener("abort", leave);
    }
  };

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pooling.close();
    this.#single.close();
    this.#ofRoutes.close();
  }

  #clientFor({ route, reuse }: ConnectionRules): Deno.HttpClient {
    if (route !== undefined) return this.#ofRoutes.of(route, reuse);
    return reuse ? this.#pooling : this.#single;
  }

  async #send(
    url: string,
    init: RequestInit & { readonly client: Deno.HttpClient },
    route: VendorRoute | undefined,
  ): Promise<VendorResponse> {
    try {
      return await fetch(url, init);
    } catch (thrown) {
      const endpoint = endpointOf(url);
      const proxy = isProxy(route) ? "the provider" : this.#deps.proxyOf?.(new URL(url));
      throw proxy === undefined || endpoint === undefined
        ? toTransportError(thrown, endpoint)
        : toProxyError(thrown, endpoint, proxy);
    }
  }

  /** Aborts a request whose vendor cannot be reached. Returns the function that ends this check. */
  #watch(
    url: URL,
    { connectTimeout, route }: ConnectionRules,
    request: AbortController,
  ): () => void {
    const { clock, probe } = this.#deps;
    if (probe === undefined || isProxy(route)) return () => {};
    const controller = new AbortController();
    // The kernel accepts connections for a busy vendor, but cannot complete TLS.
    const origin = { ...originOf(url), tls: false };
    let cancel = clock.after(connectTimeout, () => {
      cancel = clock.after(connectTimeout, () => {
        const cause = `no connection within ${2 * connectTimeout} ms`;
        request.abort(new TransportError("timeout", cause, `${origin.host}:${origin.port}`));
      });
      // A refused connection does not prove that the first one is not open.
      probe(origin, controller.signal).then((connection) => connection.close(), () => {})
        .finally(() => cancel());
    });
    return () => {
      cancel();
      controller.abort();
    };
  }
}

/** @throws {TypeError} when the request is not valid. */
function toRequestInit(
  { method, headers, body }: FetchInit,
  { reuse }: ConnectionRules,
  upload: RequestBodyReader | undefined,
): RequestInit {
  checkMethod(method, body !== undefined);
  const fields = new Headers();
  for (const name in headers) {
    const value = headers[name] ?? "";
    checkHeader(name, value);
    fields.append(name, value);
  }
  // By default the runtime asks for compressed bodies.
  if (!fields.has("accept-encoding")) fields.set("accept-encoding", "identity");
  if (!reuse) fields.set("connection", "close");
  // By default the runtime adds a type to a text.
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const stream = upload && toStream(upload);
  return {
    method,
    headers: fields,
    redirect: "manual",
    ...(bytes === undefined ? {} : { body: stream ?? bytes as Uint8Array<ArrayBuffer> }),
  };
}

const encoder = new TextEncoder();

function toStream(upload: RequestBodyReader): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const bytes = await upload.next();
      if (bytes === undefined) controller.close();
      // Copied: the source may use its bytes again once it is asked for more.
      else controller.enqueue(new Uint8Array(bytes));
    },
    cancel: () => upload.cancel(),
  }, { highWaterMark: 0 });
}

/** A response to an upload. The upload ends when the response is no longer read. */
function endingUpload(response: VendorResponse, end: () => void): VendorResponse {
  const { status, ok, url = "", headers, body } = response;
  if (body === null) {
    end();
    return response;
  }
  const cancel = () => {
    end();
    return body.cancel();
  };
  const getReader = (): PacketReader => {
    const reader = body.getReader();
    return {
      async read() {
        const packet = await reader.read();
        if (packet.done) end();
        return packet;
      },
      cancel() {
        end();
        return reader.cancel();
      },
    };
  };
  return { status, ok, url, headers, body: { getReader, cancel } };
}

/** The runtime's HTTP clients for providers with a proxy or certificates of their own. */

import type { VendorRoute } from "../config/vendor_route.ts";
import { messageOf } from "../core/errors.ts";
import { TransportError } from "../core/transport_error.ts";

/** The clients of one route: one that keeps connections, and one that does not. */
interface Clients {
  pooling?: Deno.HttpClient;
  single?: Deno.HttpClient;
}

/**
 * Creates clients on demand, so that no connection serves two routes. A client is closed after its
 * configuration has been replaced; its open responses are still read.
 */
export class VendorClients {
  readonly #clients = new WeakMap<VendorRoute, Clients>();
  readonly #open = new Set<Deno.HttpClient>();
  readonly #collected = new FinalizationRegistry<Clients>((clients) => this.#close(clients));

  /**
   * @param reuse whether connections serve more than one request
   * @throws {TransportError} when the certificates cannot be used.
   */
  of(route: VendorRoute, reuse: boolean): Deno.HttpClient {
    let clients = this.#clients.get(route);
    if (clients === undefined) {
      this.#clients.set(route, clients = {});
      this.#collected.register(route, clients);
    }
    return clients[reuse ? "pooling" : "single"] ??= this.#create(route, reuse);
  }

  close(): void {
    for (const client of this.#open) client.close();
    this.#open.clear();
  }

  #create({ proxy, ca, client: own }: VendorRoute, reuse: boolean): Deno.HttpClient {
    let client: Deno.HttpClient;
    try {
      client = Deno.createHttpClient({
        ...(proxy !== undefined && proxy !== "direct" && { proxy: toProxy(proxy) }),
        ...(ca !== undefined && { caCerts: [ca] }),
        ...own,
        ...(!reuse && { poolMaxIdlePerHost: 0 }),
      });
    } catch (thrown) {
      const cause = `the certificates cannot be used: ${messageOf(thrown)}`;
      throw new TransportError("tls", cause, undefined, { cause: thrown });
    }
    this.#open.add(client);
    return client;
  }

  #close(clients: Clients): void {
    for (const client of [clients.pooling, clients.single]) {
      if (client !== undefined && this.#open.delete(client)) client.close();
    }
  }
}

/** The proxy with its credentials as members, where the runtime expects them. */
function toProxy(text: string): Deno.Proxy {
  const url = new URL(text);
  const [username, password] = [url.username, url.password].map(decodeURIComponent);
  url.username = url.password = "";
  return {
    url: url.href.replace(/\/$/, ""),
    ...(username && { basicAuth: { username, password: password ?? "" } }),
  } as Deno.Proxy;
}

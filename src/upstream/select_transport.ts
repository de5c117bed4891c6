/** Chooses the client for requests to vendors. */

import type { HttpClientName } from "../config/upstream_schema.ts";
import { needsFetch } from "../config/vendor_route.ts";
import type { FetchInit, Transport } from "./transport.ts";

/**
 * A transport that sends each request by the client that the provider requires, else by the one whose
 * name `current` returns, so that a reload of the configuration takes effect with the next request.
 */
export function selectTransport(
  transports: Readonly<Record<HttpClientName, Transport>>,
  current: () => HttpClientName,
): Transport {
  return {
    fetch: (url, init) => transports[requiredBy(init) ?? current()].fetch(url, init),
    close() {
      transports.native.close();
      transports.fetch.close();
    },
  };
}

/** Only `fetch` has proxies and certificates of providers; only the native client needs no proxy. */
function requiredBy({ connection }: FetchInit): HttpClientName | undefined {
  const route = connection?.route;
  if (route === undefined) return undefined;
  return needsFetch(route) ? "fetch" : "native";
}

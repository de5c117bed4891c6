/** Chooses the client for requests to vendors. */

import type { HttpClientName } from "../config/upstream_schema.ts";
import type { Transport } from "./transport.ts";

/**
 * A transport that sends each request by the client whose name `current` returns, so that a reload
 * of the configuration takes effect with the next request.
 */
export function selectTransport(
  transports: Readonly<Record<HttpClientName, Transport>>,
  current: () => HttpClientName,
): Transport {
  return {
    fetch: (url, init) => transports[current()].fetch(url, init),
    close() {
      transports.native.close();
      transports.fetch.close();
    },
  };
}

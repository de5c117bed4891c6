/** The HTTP clients that read the configuration's secrets and lists of models. */

import { systemClock } from "../../core/clock.ts";
import { HttpClient } from "../../upstream/http1/client.ts";
import { dial } from "../../upstream/http1/dial.ts";
import type { Fetch } from "../../upstream/transport.ts";
import { readEnvironmentProxies } from "../stores/environment_proxies.ts";
import { metadataClient } from "./metadata_services.ts";

export interface NetworkClients {
  /** Reaches metadata services: it uses no proxy. */
  readonly direct: Fetch;
  /** Reaches other services, through the proxy of the environment if there is one. */
  readonly fetch: Fetch;
}

/** Creates the clients. They connect to nothing yet. */
export function createNetworkClients(): NetworkClients {
  const proxyFor = readEnvironmentProxies();
  const client = new HttpClient({ dial, clock: systemClock, proxyFor });
  return { direct: metadataClient(), fetch: client.fetch };
}

/** The HTTP clients that read the configuration's secrets and lists of models. */

import { needsFetch } from "../../config/vendor_route.ts";
import { systemClock } from "../../core/clock.ts";
import { FetchTransport } from "../../upstream/fetch_transport.ts";
import type { Fetch } from "../../upstream/transport.ts";
import { readRequiredClient } from "../stores/required_client.ts";
import { metadataClient } from "./metadata_services.ts";

export interface NetworkClients {
  /** Reaches metadata services: it uses no proxy. */
  readonly direct: Fetch;
  /** Reaches other services, through the proxy of the environment if there is one. */
  readonly fetch: Fetch;
}

/** Creates the clients. They connect to nothing yet. */
export function createNetworkClients(): NetworkClients {
  const direct = metadataClient();
  const isProxied = readRequiredClient()?.isProxied === true;
  let transport: FetchTransport | undefined;
  const runtime = (): Fetch =>
    (transport ??= new FetchTransport({ clock: systemClock, probe: undefined })).fetch;
  const send: Fetch = (url, init) => {
    const client = isProxied || needsFetch(init.connection?.route) ? runtime() : direct;
    return client(url, init);
  };
  return { direct, fetch: send };
}

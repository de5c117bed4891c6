/** Connects the vendors' lists of models with the network. */

import { systemClock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { Credentials } from "../../upstream/credentials/credentials.ts";
import { FetchTransport } from "../../upstream/fetch_transport.ts";
import { readModelList } from "../../upstream/model_lists.ts";
import type { Fetch } from "../../upstream/transport.ts";
import { readRequiredClient } from "../stores/required_client.ts";
import { readFile } from "../system/files.ts";
import { logMessage } from "../system/stdio.ts";
import { metadataClient } from "./metadata_services.ts";
import { ModelLists } from "./model_lists.ts";

/** Creates the lists of this process. They connect to nothing yet. */
export function createModelLists(): ModelLists {
  const clock = systemClock;
  let client: { readonly direct: Fetch; readonly fetch: Fetch } | undefined;
  let credentials: Credentials | undefined;
  return new ModelLists({
    clock,
    log: logMessage,
    async read(provider, signal) {
      client ??= createClients();
      credentials ??= new Credentials({ readFile, direct: client.direct, log: logMessage });
      const { models } = provider.adapter;
      if (models === undefined) throw new GatewayError("internal", "The vendor has no list");
      const { fetch } = client;
      return await readModelList(provider, models, { clock, credentials, fetch, signal });
    },
  });
}

function createClients() {
  const direct = metadataClient();
  const isProxied = readRequiredClient()?.isProxied === true;
  return {
    direct,
    fetch: isProxied ? new FetchTransport({ clock: systemClock, probe: undefined }).fetch : direct,
  };
}

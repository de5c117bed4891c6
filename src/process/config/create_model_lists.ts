/** Connects the vendors' lists of models with the network. */

import { systemClock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { Credentials } from "../../upstream/credentials/credentials.ts";
import { readModelList } from "../../upstream/model_lists.ts";
import { readFile } from "../system/files.ts";
import { logMessage } from "../system/stdio.ts";
import { ModelLists } from "./model_lists.ts";
import { createNetworkClients, type NetworkClients } from "./network_clients.ts";

/** Creates the lists of this process. They connect to nothing yet. */
export function createModelLists(): ModelLists {
  const clock = systemClock;
  let client: NetworkClients | undefined;
  let credentials: Credentials | undefined;
  /** The last reasons by provider: a list is read every few minutes. */
  const cuts = new Map<string, string>();
  return new ModelLists({
    clock,
    log: logMessage,
    async read(provider, signal) {
      client ??= createNetworkClients();
      credentials ??= new Credentials({ readFile, direct: client.direct, log: logMessage });
      const { models } = provider.adapter;
      if (models === undefined) throw new GatewayError("internal", "The vendor has no list");
      const { fetch } = client;
      const { id } = provider.settings;
      return await readModelList(provider, models, {
        ...{ clock, credentials, fetch, signal },
        onCut: (reason) => {
          if (cuts.get(id) === reason) return;
          cuts.set(id, reason);
          logMessage(`The list of models of provider '${id}' is cut: ${reason}`, "warn");
        },
      });
    },
  });
}

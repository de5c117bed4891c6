/** Connects config.yaml's references to secret managers with their services. */

import type { Config } from "../../config/config.ts";
import { systemClock } from "../../core/clock.ts";
import {
  isSecretReference,
  readSecret,
  reasonFor,
} from "../../upstream/credentials/secrets/read_secret.ts";
import { VaultLogins } from "../../upstream/credentials/secrets/vault_login.ts";
import { type Environment, readFile } from "../system/files.ts";
import { logMessage } from "../system/stdio.ts";
import { type ConfigOptions, readConfig } from "./load_config.ts";
import { ManagedSecrets } from "./managed_secrets.ts";
import { createModelLists } from "./create_model_lists.ts";
import { createNetworkClients, type NetworkClients } from "./network_clients.ts";

/** Creates the store of secrets of this process. It connects to nothing yet. */
export function createSecrets(): ManagedSecrets {
  const clock = systemClock;
  const logins = new VaultLogins();
  let clients: NetworkClients | undefined;
  return new ManagedSecrets({
    clock,
    readFile,
    log: logMessage,
    isReference: isSecretReference,
    async read(reference, env) {
      clients ??= createNetworkClients();
      try {
        return await readSecret(reference, env, { ...clients, clock, readFile, logins });
      } catch (thrown) {
        throw new Error(reasonFor(thrown), { cause: thrown });
      }
    },
  });
}

/** Loads the configuration of a command that ends, with its secrets and the vendors' lists. */
export async function readConfigOnce(command: ConfigOptions, env: Environment): Promise<Config> {
  const lists = createModelLists();
  const { config } = await readConfig({ ...command, secrets: createSecrets(), lists }, env);
  // Lists that are still being read are not needed any more.
  lists.follow([]);
  return config;
}

/** Connects the editor of the configuration with the running gateway. */

import type { Config } from "../../../config/config.ts";
import type { RunConfigCall } from "../../../config/editing/calls.ts";
import type { Snapshot } from "../../../config/snapshot.ts";
import { readEnvironment } from "../../system/files.ts";
import { createSecrets } from "../create_secrets.ts";
import { type ConfigOptions, loadText } from "../load_config.ts";
import type { LiveConfig, ReloadOptions } from "../reload.ts";
import { reloadOptions } from "../reload_options.ts";
import { createConfigEditor } from "./config_editor.ts";

/** The parts of a gateway that its configuration is edited in. */
export interface EditedGateway {
  readonly command: ConfigOptions;
  readonly first: Config;
  /** The host name or IP address of the main listener. */
  readonly hostname: string;
  readonly live: () => LiveConfig;
  /** The snapshot of the configuration in use. */
  readonly snapshot: () => Snapshot;
  /** Resolves when all threads use the configuration of the last reload. Default: at once. */
  readonly applied?: () => Promise<void>;
}

/** Creates the function that runs admins' calls on the configuration. */
export function createEditor(
  { command, first, hostname, live, snapshot, applied = () => Promise.resolve() }: EditedGateway,
): RunConfigCall {
  const { faultsOf = noFaults } = reloadOptions(command, first, hostname);
  return createConfigEditor({
    ...{ live, snapshot, applied, faultsOf },
    async loadText(text) {
      const env = readEnvironment();
      // A text that is refused must not change which secrets the gateway follows.
      const secrets = createSecrets();
      await secrets.prepare(text, env);
      const { source } = live().current;
      return await loadText({ text, source }, { ...command, secrets }, env);
    },
  });
}

const noFaults: NonNullable<ReloadOptions["faultsOf"]> = () => [];

/** Runs `sluice connect` with the files and the terminal of this process. */

import type { Config } from "../../config/config.ts";
import { modelsOfConfig, type ModelSource } from "../../clients/target.ts";
import { AdminClient, AdminError, toBase } from "../admin_client.ts";
import type { AdminOutput } from "../admin_output.ts";
import type { Environment } from "../../process/system/files.ts";
import { SettingsFile } from "../../process/system/settings_file.ts";
import { StartError } from "../../process/system/startup_error.ts";
import { fileExists, operatingSystem, questioner } from "../../process/system/terminal.ts";
import type { ConnectCommand } from "./arguments.ts";
import { runConnect, SettingsError } from "./connect.ts";
import { modelsOfAnswer, toTarget } from "./target.ts";

/** Where the gateway is without `--url`. */
export interface LocalGateway {
  readonly env: Environment;
  readonly origin: () => string;
  readonly config: () => Config;
}

/**
 * Runs a command.
 *
 * @throws {StartError} when the settings cannot be changed, or the gateway cannot be asked.
 * @throws {UsageError} for an invalid option.
 */
export async function connectClient(
  command: ConnectCommand,
  local: LocalGateway,
): Promise<AdminOutput> {
  const { options } = command;
  const url = options.get("url");
  try {
    const origin = url === undefined ? local.origin() : toBase(url);
    const source = url === undefined
      ? modelsOfConfig(local.config())
      : await modelsOfGateway(origin, local.env);
    return await runConnect(command, toTarget(origin, source, options), {
      places: { os: operatingSystem(), env: local.env, exists: fileExists },
      open: (path) => new SettingsFile(path),
      ask: questioner(),
    });
  } catch (thrown) {
    if (!(thrown instanceof SettingsError) && !(thrown instanceof AdminError)) throw thrown;
    throw new StartError(thrown.message);
  }
}

/** @throws {StartError} without a key. @throws {AdminError} when the gateway refuses. */
async function modelsOfGateway(origin: string, env: Environment): Promise<ModelSource> {
  const key = env("SLUICE_API_KEY")?.trim() ?? "";
  if (!/^[!-~]+$/.test(key)) {
    throw new StartError("Set SLUICE_API_KEY to a service key of the gateway, to read its models");
  }
  return modelsOfAnswer(await new AdminClient(origin, key).json("GET", "/v1/models"));
}

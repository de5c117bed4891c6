/** Finds and loads the configuration. */

import defaultConfig from "../../../config.yaml" with { type: "text" };
import type { Config } from "../../config/config.ts";
import { type ConfigWithSnapshot, loadConfigWithSnapshot } from "../../config/snapshot.ts";
import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { adapters } from "../../providers/registry.ts";
import { findAmbient, type HasMetadata } from "../../upstream/credentials/find_ambient.ts";
import { type Environment, type FileLimits, readFile, readOptional } from "../system/files.ts";
import { StartError } from "../system/startup_error.ts";

/** The options of a command that select the configuration. */
export interface ConfigOptions {
  /** The path of `--config`. */
  readonly config?: string | undefined;
  /** True for a reload, which must not read a pipe: the pipe is empty, and reading would block. */
  readonly reloads?: boolean;
  /** Whether a metadata service exists. Default: it is unknown. */
  readonly hasMetadata?: HasMetadata;
}

/** The paths that are tried when no file is given. */
const DEFAULT_PATHS = ["./config.yaml", "/etc/sluice/config.yaml"];

/** The source of the configuration when there is no file. */
export const BUILT_IN = "built-in";

/** The service key of this run if none is configured. It stays the same after a reload. */
const GENERATED_KEY = newId("sk-sluice-");

/**
 * Loads the configuration of a command, else the first that exists.
 *
 * @throws {StartError} when the file cannot be read.
 * @throws {ConfigErrors} when the configuration is invalid.
 */
export function readConfig(options: ConfigOptions, env: Environment): Config {
  return readConfigWithSnapshot(options, env).config;
}

/** The same, with a snapshot from which workers load the configuration. */
export function readConfigWithSnapshot(
  options: ConfigOptions,
  env: Environment,
): ConfigWithSnapshot {
  const { hasMetadata = () => undefined } = options;
  const { text, source } = findConfig(options.config ?? env("SLUICE_CONFIG"), {
    pipes: options.reloads !== true,
  });
  return loadConfigWithSnapshot(text, {
    source,
    env,
    adapters,
    readFile,
    findAmbient: (search) => findAmbient(search, { env, readFile }, hasMetadata),
    now: () => systemClock.wallTime(),
    newKey: () => GENERATED_KEY,
  });
}

/** The text and the source of the configuration. */
export function findConfig(
  path: string | undefined,
  limits: FileLimits = {},
): { text: string; source: string } {
  for (const source of path === undefined ? DEFAULT_PATHS : [path]) {
    const text = readOptional(source, limits);
    if (text !== undefined) return { text, source };
  }
  if (path !== undefined) throw new StartError(`Cannot read ${path}: the file does not exist`);
  return { text: defaultConfig, source: BUILT_IN };
}

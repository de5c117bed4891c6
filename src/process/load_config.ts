/** Finds and loads the configuration. */

import defaultConfig from "../../config.yaml" with { type: "text" };
import type { Config } from "../config/config.ts";
import { type ConfigWithSnapshot, loadConfigWithSnapshot } from "../config/snapshot.ts";
import { systemClock } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import { adapters } from "../providers/registry.ts";
import { type Environment, readFile, readOptional } from "./files.ts";
import { StartError } from "./startup_error.ts";

/** The options of a command that name the configuration. */
export interface ConfigOptions {
  /** The path of `--config`. */
  readonly config?: string | undefined;
}

/** Where the configuration is looked for when nobody names a file. */
const PLACES = ["./config.yaml", "/etc/sluice/config.yaml"];

/** Where the configuration came from when there is no file. */
export const BUILT_IN = "built-in";

/** The service key of this run, where none is configured: the same after every reload. */
const RUN_KEY = newId("sk-sluice-");

/** Loads the configuration that a command names, else the first that is found. */
export function readConfig(options: ConfigOptions, env: Environment): Config {
  return readRecorded(options, env).config;
}

/** The same, with what it takes to load it in another thread. */
export function readRecorded(options: ConfigOptions, env: Environment): ConfigWithSnapshot {
  const { text, source } = findConfig(options.config ?? env("SLUICE_CONFIG"));
  return loadConfigWithSnapshot(text, {
    source,
    env,
    adapters,
    readFile,
    now: () => systemClock.wallTime(),
    newKey: () => RUN_KEY,
  });
}

/** The text of the configuration, and where it is from. */
export function findConfig(named: string | undefined): { text: string; source: string } {
  for (const source of named === undefined ? PLACES : [named]) {
    const text = readOptional(source);
    if (text !== undefined) return { text, source };
  }
  if (named !== undefined) throw new StartError(`Cannot read ${named}: there is no such file`);
  return { text: defaultConfig, source: BUILT_IN };
}

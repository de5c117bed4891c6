/** Follows the file of the configuration. */

import { systemClock } from "../../core/clock.ts";
import { isPipe, readIfPossible } from "../system/files.ts";
import type { Config } from "../../config/config.ts";
import { BUILT_IN, type ConfigOptions } from "./load_config.ts";
import { followFile, type LiveConfig } from "./reload.ts";

/** Reloads the configuration when its file changes, until the returned function is called. */
export function watchConfig(live: LiveConfig, loaded: string): () => void {
  const { source } = live.current;
  if (source === BUILT_IN || isPipe(source)) return () => {};
  const file = { loaded, read: () => readIfPossible(source) };
  return followFile(file, systemClock, () => void live.reload());
}

/** The command for a reload: keeps the same file, so that a deleted file is an error. */
export function withSameFile(command: ConfigOptions, { source }: Config): ConfigOptions {
  return source === BUILT_IN
    ? { ...command, reloads: true }
    : { ...command, config: source, reloads: true };
}

/** How a reload of the running gateway is prepared and checked. */

import type { Config } from "../../config/config.ts";
import { readEnvironment } from "../system/files.ts";
import { type ConfigOptions, prepareReload } from "./load_config.ts";
import { findReloadFaults } from "./losses.ts";
import type { ReloadOptions } from "./reload.ts";
import { withSameFile } from "./watch_config.ts";

/**
 * The options of a reload that follow from how the gateway was started.
 *
 * @param host the host name or IP address of the main listener
 */
export function reloadOptions(
  command: ConfigOptions,
  first: Config,
  host: string,
): Pick<ReloadOptions, "prepare" | "faultsOf"> {
  return {
    ...(command.secrets && {
      prepare: () => prepareReload(withSameFile(command, first), readEnvironment()),
    }),
    faultsOf: (current, next) => findReloadFaults(current, next, { ...command, host }),
  };
}

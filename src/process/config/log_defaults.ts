/** The settings of the log in environment variables. */

import { LOG_FORMATS } from "../../config/log_schema.ts";
import { LOG_LEVELS } from "../../core/log_level.ts";
import type { Environment } from "../system/files.ts";
import type { LogDefaults } from "../system/stdio.ts";
import { StartError } from "../system/startup_error.ts";

/**
 * Reads SLUICE_LOG_LEVEL and SLUICE_LOG_FORMAT.
 *
 * @throws {StartError} for an unknown value.
 */
export function readLogDefaults(env: Environment): LogDefaults {
  const level = read(env, "SLUICE_LOG_LEVEL", LOG_LEVELS);
  const format = read(env, "SLUICE_LOG_FORMAT", LOG_FORMATS);
  return { ...(level && { level }), ...(format && { format }) };
}

function read<Value extends string>(
  env: Environment,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = env(name);
  if (text === undefined) return undefined;
  const value = values.find((one) => one === text);
  if (value === undefined) throw new StartError(`${name} must be one of ${values.join(", ")}`);
  return value;
}

/** `server.reasoning_state` and `server.responses_memory` of config.yaml. */

import type { ReasoningStateSettings } from "../reasoning_state/carrier.ts";
import { deriveKey } from "../reasoning_state/packing.ts";
import type { MemoryLimits } from "../memory/store.ts";
import type { ServerEntry } from "./server_schema.ts";

/** How reasoning state is kept for clients that do not return it. */
export interface StateSettings extends ReasoningStateSettings {
  readonly memory: MemoryLimits;
}

/** The settings of a validated section. */
export function toStateSettings(entry: ServerEntry["reasoning_state"]): StateSettings {
  const { enabled, key, max_id_length, memory, memory_ttl } = entry;
  return {
    enabled,
    key: key ? deriveKey(key) : undefined,
    maxIdLength: max_id_length,
    memory: { bytes: memory, ttlMs: memory_ttl },
  };
}

/** The limits of the memory for answers. */
export function toMemoryLimits({ size, ttl }: ServerEntry["responses_memory"]): MemoryLimits {
  return { bytes: size, ttlMs: ttl };
}

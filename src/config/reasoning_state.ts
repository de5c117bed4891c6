/** `server.reasoning_state` and `server.responses_memory` in config.yaml. */

import { hkdfSync } from "node:crypto";
import type { MemoryLimits } from "../memory/store.ts";
import type { ServerEntry } from "./server_schema.ts";

/** How tool call IDs carry reasoning state. */
export interface ReasoningStateSettings {
  /** Whether the IDs of new tool calls carry state. */
  readonly enabled: boolean;
  /** The configured key: 32 bytes. Absent if this process's random key is used. */
  readonly key: Uint8Array | undefined;
  /** The maximum length of an ID, in characters. */
  readonly maxIdLength: number;
}

/** How reasoning state is stored for clients that do not return it. */
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

/** The length of a key, in bytes. */
const KEY_BYTES = 32;

/** Derives a key of 32 bytes from a secret text. Exported for tests. */
export function deriveKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", "sluice reasoning state", KEY_BYTES));
}

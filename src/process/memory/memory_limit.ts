/** The memory that requests and answers may take in this process. */

import { getHeapStatistics } from "node:v8";
import type { Clock } from "../../core/clock.ts";
import { type InFlightBuffer, InFlightMemory } from "../../core/in_flight_memory.ts";
import type { ServerMetrics } from "../../telemetry/server_metrics.ts";
import { logMessage } from "../system/stdio.ts";

/** The memory of all workers, and the number of this worker. */
export interface InFlightPlace {
  readonly buffer: InFlightBuffer;
  /** From 1. */
  readonly worker: number;
}

/** The part of the heap limit for requests and answers. One worker may get all of them. */
const PART_OF_HEAP = 0.5;

/** The part of a container's memory. */
const PART_OF_CONTAINER = 0.25;

/** The limits of a container: cgroup v2, then v1. */
const CONTAINER_LIMITS = [
  "/sys/fs/cgroup/memory.max",
  "/sys/fs/cgroup/memory/memory.limit_in_bytes",
];

/** The minimum time between two messages about refusals, in milliseconds. */
const MESSAGE_INTERVAL_MS = 60_000;

/** Creates a worker's view of the memory; refusals are counted and logged. */
export function createInFlightMemory(
  { buffer, worker }: InFlightPlace,
  clock: Clock,
  metrics: ServerMetrics,
): InFlightMemory {
  let loggedAt = -Infinity;
  return new InFlightMemory(buffer, worker, {
    defaultLimit: defaultLimit(),
    onRefused(kind) {
      metrics.memoryRefused(kind);
      const now = clock.now();
      if (now - loggedAt < MESSAGE_INTERVAL_MS) return;
      loggedAt = now;
      logMessage(`refusing large ${kind}s: server.max_in_flight_bytes is reached`);
    },
  });
}

/**
 * The default limit in bytes. The runtime derives its heap limit from the system's memory, and with
 * DENO_USE_CGROUPS from the container's. The container's limit itself is readable only with all
 * permissions.
 */
function defaultLimit(): number {
  const heap = PART_OF_HEAP * getHeapStatistics().heap_size_limit;
  return Math.floor(Math.min(heap, PART_OF_CONTAINER * readContainerLimit()));
}

function readContainerLimit(): number {
  for (const path of CONTAINER_LIMITS) {
    try {
      const limit = Number(Deno.readTextFileSync(path));
      if (limit > 0) return limit;
    } catch {
      // There is no such limit, or no permission to read it.
    }
  }
  return Infinity;
}

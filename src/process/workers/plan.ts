/** How many workers the gateway starts, and what each of them may use. */

import { type Config, MAX_WORKERS } from "../../config/config.ts";

/** How many workers there are. */
export interface WorkerPlan {
  /** The number of workers to start with. */
  readonly first: number;
  /** The maximum number. If it is larger, workers are added under load. */
  readonly max: number;
}

/** Plans the workers: one where the system cannot share a port between threads. */
export function planWorkers(
  wanted: number | "auto",
  { cores, os }: { readonly cores: number; readonly os: string } = {
    cores: navigator.hardwareConcurrency,
    os: Deno.build.os,
  },
): WorkerPlan {
  if (os !== "linux") return { first: 1, max: 1 };
  if (wanted !== "auto") return { first: wanted, max: wanted };
  return { first: 1, max: Math.min(cores, MAX_WORKERS) };
}

/** The configuration of one worker: limits on requests, connections and memory are divided. */
export function shareOf(config: Config, workers: number): Config {
  const { server } = config;
  const { reasoningState, responsesMemory } = server;
  const share = (limit: number) => Math.ceil(limit / workers);
  return {
    ...config,
    server: {
      ...server,
      maxInFlight: share(server.maxInFlight),
      maxConnections: share(server.maxConnections),
      maxConnectionsPerAddress: share(server.maxConnectionsPerAddress),
      responseCacheBytes: share(server.responseCacheBytes),
      responsesMemory: { ...responsesMemory, bytes: share(responsesMemory.bytes) },
      reasoningState: {
        ...reasoningState,
        memory: { ...reasoningState.memory, bytes: share(reasoningState.memory.bytes) },
      },
    },
  };
}

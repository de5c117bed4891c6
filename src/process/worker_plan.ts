/** How many workers the gateway starts. */

import { MAX_WORKERS } from "../config/config.ts";

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
  { cores, os }: { readonly cores: number; readonly os: string },
): WorkerPlan {
  if (os !== "linux") return { first: 1, max: 1 };
  if (wanted !== "auto") return { first: wanted, max: wanted };
  return { first: 1, max: Math.min(cores, MAX_WORKERS) };
}

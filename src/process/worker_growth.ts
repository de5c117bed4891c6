/** Starts further workers while those that run are busy. */

import type { Clock } from "../core/clock.ts";

/** What {@linkcode growUnderLoad} needs. */
export interface GrowthOptions {
  readonly clock: Clock;
  /** Returns the CPU time of the process so far, in milliseconds. */
  readonly cpuMs: () => number;
  /** Returns the number of workers. */
  readonly workers: () => number;
  readonly maxWorkers: number;
  /** Starts workers until there are this many; resolves when they serve. */
  readonly grow: (workers: number) => Promise<void>;
}

/** The interval at which CPU time is measured. */
const SAMPLE_MS = 250;
/** The number of consecutive busy intervals before workers are added. */
const BUSY_SAMPLES = 2;
/** The CPU time of a busy interval, as a share of one core for each worker. */
const BUSY_SHARE = 0.75;
/** How long new workers are not measured: they compile their code. */
const SETTLE_MS = 1000;

/**
 * Doubles the number of workers, up to the maximum, whenever they use their cores for half a second.
 * Returns the function that stops it. Workers are never ended: their connections would break.
 */
export function growUnderLoad(options: GrowthOptions): () => void {
  const { clock, cpuMs, workers, maxWorkers, grow } = options;
  let cancel = () => {};
  let isStopped = false;
  let busySamples = 0;
  const measure = (delay: number) => {
    if (isStopped || workers() >= maxWorkers) return;
    cancel = clock.after(delay, () => {
      const [at, cpu] = [clock.now(), cpuMs()];
      cancel = clock.after(SAMPLE_MS, () => void sample(cpuMs() - cpu, clock.now() - at));
    });
  };
  const sample = async (cpu: number, elapsed: number) => {
    const isBusy = cpu >= BUSY_SHARE * elapsed * workers();
    busySamples = isBusy ? busySamples + 1 : 0;
    if (busySamples < BUSY_SAMPLES) return measure(0);
    busySamples = 0;
    await grow(Math.min(2 * workers(), maxWorkers));
    measure(SETTLE_MS);
  };
  measure(SETTLE_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}

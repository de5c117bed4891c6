/** Starts more workers while the running ones are busy, and ends idle ones. */

import type { Clock } from "../../core/clock.ts";

/** What {@linkcode scaleWithLoad} needs. */
export interface ScalingOptions {
  readonly clock: Clock;
  /** Returns the CPU time of the process so far, in milliseconds. */
  readonly cpuMs: () => number;
  /** Returns the number of workers. */
  readonly workers: () => number;
  /** The number of workers that are never ended. */
  readonly minWorkers: number;
  readonly maxWorkers: number;
  /** Starts workers until there are this many; resolves when they serve. */
  readonly grow: (workers: number) => Promise<void>;
  /** Ends those workers that are idle. */
  readonly endIdle: () => void;
}

/** The interval at which CPU time is measured. */
const SAMPLE_MS = 250;
/** The number of consecutive busy intervals before workers are added. */
const BUSY_SAMPLES = 2;
/** The CPU time of a busy interval, as a share of one core for each worker. */
const BUSY_SHARE = 0.75;
/** How long new workers are not measured: they compile their code. */
const SETTLE_MS = 1000;
/** The interval at which idle workers are looked for. */
const IDLE_CHECK_MS = 10_000;
/**
 * The CPU time of an interval in which idle workers may be ended, as a share of one core. Above
 * that, the remaining workers would soon be busy and others would be started again.
 */
const CALM_SHARE = 0.4;

/**
 * Doubles the number of workers, up to the maximum, whenever they use their cores for half a second,
 * and ends those that are idle. Returns the function that stops it.
 */
export function scaleWithLoad(options: ScalingOptions): () => void {
  const stopGrowth = growUnderLoad(options);
  const stopEnding = endWhenIdle(options);
  return () => {
    stopGrowth();
    stopEnding();
  };
}

function growUnderLoad(options: ScalingOptions): () => void {
  const { clock, cpuMs, workers, maxWorkers, grow } = options;
  let cancel = () => {};
  let isStopped = false;
  let busySamples = 0;
  const measure = (delay: number) => {
    if (isStopped) return;
    cancel = clock.after(delay, () => {
      if (workers() >= maxWorkers) return measure(SETTLE_MS);
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

function endWhenIdle({ clock, cpuMs, workers, minWorkers, endIdle }: ScalingOptions): () => void {
  let cancel = () => {};
  const checkLater = () => {
    const [at, cpu] = [clock.now(), cpuMs()];
    cancel = clock.after(IDLE_CHECK_MS, () => {
      const isCalm = cpuMs() - cpu < CALM_SHARE * (clock.now() - at);
      if (isCalm && workers() > minWorkers) endIdle();
      checkLater();
    });
  };
  checkLater();
  return () => cancel();
}

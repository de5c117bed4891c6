/**
 * Measures whether work takes linear time, by its CPU time at growing sizes. All threads of the
 * process count, so it needs a separate process.
 */

import { cpuUsage } from "node:process";

/** Creates the work for an input of a size; this is not measured. */
export type MakeWork = (size: number) => () => void;

/** The step between two sizes. */
const SCALE = 4;
/**
 * How many times longer work on an input of {@linkcode SCALE} times the size may take. Linear work
 * takes 4 times as long and quadratic work 16 times; garbage collection stretches the long runs
 * most.
 */
const MAX_RATIO = 9;
/** From this ratio on, the shorter run is measured again. */
const MIN_SUSPICIOUS_RATIO = 5;
/** How often. */
const SHORT_ROUNDS = 3;
/** Work that takes less than this at its largest size is not evaluated, in milliseconds. */
const FLOOR_MS = 8;
/** Work that takes longer than this is not tried at a larger size, in milliseconds. */
const CEILING_MS = 300;
/** The steps in a row at which faster work must grow too fast: caches end to help at one or two. */
const STEPS = 3;
/** How often a suspicious pair of sizes is measured. */
const ROUNDS = 6;
/** The time for it, in milliseconds. */
const ROUNDS_MS = 500;

/**
 * Runs the work at three sizes, of which `size` is the largest, and describes growth that is too
 * fast; undefined if there is none. The growth must continue at the next sizes: the engine stores
 * large values differently, and they no longer fit in the caches of the processor, which are steps
 * in cost.
 */
export function findFastGrowth(make: MakeWork, size: number): string | undefined {
  let before = toMeasured(make, size / SCALE ** 2);
  let steps = 0;
  for (let at = size / SCALE; at <= size || steps > 0; at *= SCALE) {
    const larger = toMeasured(make, at);
    const growth = compare(before, larger);
    steps = growth === undefined ? 0 : steps + 1;
    if (growth !== undefined && (steps === STEPS || larger.ms > CEILING_MS)) return growth;
    before = larger;
  }
  return undefined;
}

interface Measured {
  readonly size: number;
  readonly run: () => void;
  /** The shortest time so far, in milliseconds. */
  ms: number;
}

function toMeasured(make: MakeWork, size: number): Measured {
  const measured = { size: Math.ceil(size), run: make(Math.ceil(size)), ms: Infinity };
  measure(measured);
  return measured;
}

function measure(measured: Measured): void {
  const start = cpuMs();
  measured.run();
  measured.ms = Math.min(measured.ms, cpuMs() - start);
}

/** CPU time of the process so far, in milliseconds. */
function cpuMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
}

function isNearlyFast(smaller: Measured, larger: Measured): boolean {
  return larger.ms > FLOOR_MS && larger.ms > MIN_SUSPICIOUS_RATIO * smaller.ms;
}

/** Describes growth from one size to the next that is too fast each time it is measured. */
function compare(smaller: Measured, larger: Measured): string | undefined {
  const isFast = () => larger.ms > FLOOR_MS && larger.ms > MAX_RATIO * smaller.ms;
  // A pause in the short run would hide the growth.
  for (let round = 0; round < SHORT_ROUNDS && !isFast() && isNearlyFast(smaller, larger); round++) {
    measure(smaller);
  }
  // Long runs are not mistaken for pauses of the garbage collector.
  for (let round = 0, ms = 0; isFast() && round < ROUNDS && ms < ROUNDS_MS; round++) {
    measure(smaller);
    measure(larger);
    ms += larger.ms;
  }
  const at = ({ size, ms }: Measured) => `${ms.toFixed(1)} ms at ${size}`;
  return isFast() ? `${at(smaller)}, ${at(larger)}` : undefined;
}

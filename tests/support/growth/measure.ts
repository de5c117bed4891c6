/**
 * Tells whether work grows in proportion to its input, from the CPU time that it takes at growing
 * sizes. All threads of the process count, so that it needs a process of its own.
 */

import { cpuUsage } from "node:process";

/** Makes the work for an input of a size; the making is not measured. */
export type MakeWork = (size: number) => () => void;

/** The step between two sizes. */
const SCALE = 4;
/**
 * How many times longer work on an input of {@linkcode SCALE} times the size may take. Linear work
 * takes 4 times as long and quadratic work 16 times; garbage collection stretches the long runs
 * most.
 */
const MAX_RATIO = 9;
/** Work that takes less than this at its largest size is not judged, in milliseconds. */
const FLOOR_MS = 8;
/** Work that takes longer than this is not tried at a larger size, in milliseconds. */
const CEILING_MS = 500;
/** How often a pair of sizes that looks suspicious is measured. */
const ROUNDS = 6;

/**
 * Runs the work at three sizes, of which `size` is the largest, and describes growth that is too
 * fast; undefined where there is none. It has to go on at the next size: the engine stores what
 * is large in other ways than what is small, which costs more, but once.
 */
export function findFastGrowth(make: MakeWork, size: number): string | undefined {
  let before = toMeasured(make, size / SCALE ** 2);
  let found: string | undefined;
  for (let at = size / SCALE; at <= size || found !== undefined; at *= SCALE) {
    const larger = toMeasured(make, at);
    const growth = compare(before, larger);
    if (growth === undefined) found = undefined;
    else if (found !== undefined || larger.ms > CEILING_MS) return growth;
    else found = growth;
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

/** Describes growth from one size to the next that is too fast each time it is measured. */
function compare(smaller: Measured, larger: Measured): string | undefined {
  const isFast = () => larger.ms > FLOOR_MS && larger.ms > MAX_RATIO * smaller.ms;
  // Runs that take long are told from a pause for garbage by themselves.
  for (let round = 0, ms = 0; isFast() && round < ROUNDS && ms < CEILING_MS; round++) {
    measure(smaller);
    measure(larger);
    ms += larger.ms;
  }
  const at = ({ size, ms }: Measured) => `${ms.toFixed(1)} ms at ${size}`;
  return isFast() ? `${at(smaller)}, ${at(larger)}` : undefined;
}

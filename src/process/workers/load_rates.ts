/** What workers use and complete in a time: the rates that tell whether added workers help. */

import type { Clock } from "../../core/clock.ts";

/** The number of requests to models that each worker has ended, by the number of the worker. */
export type RequestCounts = ReadonlyMap<number, number>;

/** What rates are computed from. */
export interface RateSources {
  readonly clock: Clock;
  /** Returns the CPU time of the process so far, in milliseconds. */
  readonly cpuMs: () => number;
  /** Returns the requests of each worker; undefined if a worker does not say. */
  readonly requests: () => Promise<RequestCounts | undefined>;
}

/** The rates of a time. */
export interface Rates {
  /** CPU time, as a share of one core. */
  readonly cpu: number;
  /** Requests per millisecond; undefined if they are unknown or too few. */
  readonly requests: number | undefined;
}

/** A time that has begun. */
export interface Measurement {
  /** The requests of each worker at its begin. */
  readonly counts: RequestCounts | undefined;
  /** Ends the time now. */
  end(): Promise<Rates>;
}

/** The fewest requests from which a rate is known well enough. */
const MIN_REQUESTS = 200;

/** Begins to measure now. */
export async function measure({ clock, cpuMs, requests }: RateSources): Promise<Measurement> {
  const counts = await requests();
  const [at, cpu] = [clock.now(), cpuMs()];
  return {
    counts,
    async end() {
      const elapsed = clock.now() - at;
      const used = cpuMs() - cpu;
      const count = countBetween(counts, await requests());
      return {
        cpu: used / elapsed,
        requests: count === undefined || count < MIN_REQUESTS ? undefined : count / elapsed,
      };
    },
  };
}

/** The requests between two times; undefined if a worker was added, ended or restarted between. */
function countBetween(
  first: RequestCounts | undefined,
  last: RequestCounts | undefined,
): number | undefined {
  if (first === undefined || first.size !== last?.size) return undefined;
  let sum = 0;
  for (const [worker, count] of last) {
    const before = first.get(worker);
    if (before === undefined || count < before) return undefined;
    sum += count - before;
  }
  return sum;
}

/** Clocks and timers as a dependency, so that tests control the time. */

import { type TimeLimit, type TimeLimited, TimeLimits } from "./time_limits.ts";

/** A clock with timers. */
export interface Clock {
  /**
   * Monotonic time in milliseconds, with fractions: for durations and deadlines. It begins with the
   * Unix time at the start of the process and ignores corrections of the machine's clock.
   */
  now(): number;
  /**
   * Milliseconds since the Unix epoch by the machine's clock, including its corrections: for dates
   * that leave the process. The difference of two values is not a duration.
   */
  wallTime(): number;
  /** Calls `run` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, run: () => void): () => void;
  /** Begins a time limit of `ms` milliseconds, which calls `owner.onTimeLimit(name)` once. */
  limit<Name>(ms: number, owner: TimeLimited<Name>, name: Name): TimeLimit;
}

/**
 * Whether the timer keeps running when its last limit is cancelled. Configured time limits recur
 * with each request; the remaining time of a caller's deadline does not.
 */
function isReusable(ms: number): boolean {
  return ms >= 10_000 && ms % 1000 === 0;
}

/** A function that is called when its time is over. */
class Call implements TimeLimited<undefined> {
  constructor(readonly onTimeLimit: () => void) {}
}

/** Milliseconds since the epoch. Each read of the runtime's property costs as much as `now()`. */
const TIME_ORIGIN = performance.timeOrigin;

/** Without a function of our own: each time limit reads it. */
const elapsed = performance.now.bind(performance);

/** The clocks of the machine. A separate one has separate timers, which its owner ends. */
export class SystemClock extends TimeLimits implements Clock {
  constructor() {
    super({
      now: elapsed,
      start(ms, run) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      earlyMs: 1,
      isKept: isReusable,
    });
  }

  now(): number {
    return TIME_ORIGIN + performance.now();
  }

  wallTime(): number {
    return Date.now();
  }

  after(ms: number, run: () => void): () => void {
    const limit = this.limit(ms, new Call(run), undefined);
    return () => limit.cancel();
  }
}

/** The clock of the process. */
export const systemClock = new SystemClock();

/** How long work may block the event loop, in milliseconds. */
const MAX_SLICE_MS = 8;

/** Splits long work into slices of time, between which the event loop serves other requests. */
export class TimeSlice {
  #began = performance.now();

  /** Whether the slice has ended, so that the work should call {@linkcode next}. */
  get isOver(): boolean {
    return performance.now() - this.#began > MAX_SLICE_MS;
  }

  /**
   * Yields to the event loop. It uses a timer, because the runtime rarely polls the network while
   * callbacks are ready to run, as after `setImmediate`.
   */
  async next(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#began = performance.now();
  }
}

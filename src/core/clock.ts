/** Clocks and timers as a dependency, so that tests control the time. */

import { LinkedList } from "./linked_list.ts";

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
}

/**
 * Whether the timer keeps running when its last wait is cancelled. Configured time limits recur
 * with each request; the remaining time of a caller's deadline does not.
 */
function isReusable(ms: number): boolean {
  return ms >= 10_000 && ms % 1000 === 0;
}

/**
 * Waits of the same length. They end in the order in which they began, so one timer serves them
 * all. Most waits are time limits that are never reached.
 */
class WaitQueue {
  readonly #waits = new LinkedList<{ readonly at: number; readonly run: () => void }>();
  readonly #ms: number;
  readonly #onStop: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, onStop: () => void) {
    this.#ms = ms;
    this.#onStop = onStop;
  }

  add(run: () => void): () => void {
    const wait = this.#waits.add({ at: performance.now() + this.#ms, run });
    this.#timer ??= setTimeout(this.#ring, this.#ms);
    return () => {
      if (!this.#waits.remove(wait) || this.#waits.size > 0 || isReusable(this.#ms)) return;
      this.stop();
    };
  }

  /** Cancels all waits. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waits.clear();
    this.#onStop();
  }

  readonly #ring = () => {
    const now = performance.now();
    try {
      // The timer still counts as running: a new timer for a wait that begins now would fire too
      // late for earlier waits.
      for (let wait = this.#waits.first; wait !== undefined; wait = this.#waits.first) {
        // Timers may fire slightly early.
        if (wait.value.at > now + 1) break;
        this.#waits.remove(wait);
        wait.value.run();
      }
    } finally {
      const next = this.#waits.first;
      if (next === undefined) this.stop();
      else this.#timer = setTimeout(this.#ring, Math.max(0, next.value.at - performance.now()));
    }
  };
}

/** Milliseconds since the epoch. Each read of the runtime's property costs as much as `now()`. */
const TIME_ORIGIN = performance.timeOrigin;

/** The clocks of the machine. A separate one has separate timers, which its owner ends. */
export class SystemClock implements Clock {
  /** Queues by length in milliseconds. An empty queue is removed. */
  readonly #queues = new Map<number, WaitQueue>();

  now(): number {
    return TIME_ORIGIN + performance.now();
  }

  wallTime(): number {
    return Date.now();
  }

  after(delay: number, run: () => void): () => void {
    // The runtime warns of a negative delay, such as the rest of a time that has passed.
    const ms = Math.max(0, delay);
    let queue = this.#queues.get(ms);
    if (queue === undefined) {
      queue = new WaitQueue(ms, () => {
        // A wait that has just ended may have begun another queue.
        if (this.#queues.get(ms) === queue) this.#queues.delete(ms);
      });
      this.#queues.set(ms, queue);
    }
    return queue.add(run);
  }

  /** Cancels all waits. */
  close(): void {
    for (const queue of this.#queues.values()) queue.stop();
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

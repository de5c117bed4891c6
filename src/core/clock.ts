/** Time as a dependency, so that tests wait for nothing. */

export interface Clock {
  /**
   * Milliseconds, with fractions, that never run backwards: for durations and deadlines. They start
   * at the Unix time of the start and do not follow corrections of the machine's clock.
   */
  now(): number;
  /**
   * Milliseconds since the Unix epoch by the machine's clock, corrections included: for every date
   * that somebody else sees or checks. The difference of two readings is not a duration.
   */
  wallTime(): number;
  /** Calls `run` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

/**
 * Whether the timer is kept when the last wait is cancelled, until it rings: the
 * limits of the configuration are many seconds, and come again with each
 * request; what is left of a caller's deadline never does.
 */
function comesAgain(ms: number): boolean {
  return ms >= 10_000 && ms % 1000 === 0;
}

/**
 * Waits of one length. They end in the order in which they began, so one timer
 * serves them all: almost every wait is a limit that is never reached.
 */
class WaitQueue {
  readonly #waits = new Set<{ readonly at: number; readonly run: () => void }>();
  readonly #ms: number;
  readonly #onStop: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, onStop: () => void) {
    this.#ms = ms;
    this.#onStop = onStop;
  }

  add(run: () => void): () => void {
    const wait = { at: performance.now() + this.#ms, run };
    this.#waits.add(wait);
    this.#timer ??= setTimeout(this.#ring, this.#ms);
    return () => {
      if (!this.#waits.delete(wait) || this.#waits.size > 0 || comesAgain(this.#ms)) return;
      this.stop();
    };
  }

  /** Forgets every wait. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waits.clear();
    this.#onStop();
  }

  readonly #ring = () => {
    this.#timer = undefined;
    const now = performance.now();
    for (const wait of this.#waits) {
      // Timers may ring a little early.
      if (wait.at > now + 1) {
        this.#timer ??= setTimeout(this.#ring, wait.at - now);
        return;
      }
      this.#waits.delete(wait);
      wait.run();
    }
    if (this.#waits.size === 0) this.stop();
  };
}

/** The machine's two clocks: the monotonic one and the one that is corrected. */
export class SystemClock implements Clock {
  /** By length in milliseconds; a queue without waits is forgotten. */
  readonly #queues = new Map<number, WaitQueue>();

  now(): number {
    return performance.timeOrigin + performance.now();
  }

  wallTime(): number {
    return Date.now();
  }

  after(ms: number, run: () => void): () => void {
    let queue = this.#queues.get(ms);
    if (queue === undefined) {
      queue = new WaitQueue(ms, () => this.#queues.delete(ms));
      this.#queues.set(ms, queue);
    }
    return queue.add(run);
  }

  /** Forgets every wait. */
  close(): void {
    for (const queue of this.#queues.values()) queue.stop();
  }
}

/** The clock of the process, which ends with it. */
export const systemClock = new SystemClock();

/** How long the event loop may be held without a break, in milliseconds. */
const MAX_SLICE_MS = 8;

/** Splits long work into slices of time, between which the event loop serves other requests. */
export class TimeSlice {
  #began = performance.now();

  /** Whether the work has gone on for long enough. */
  get isOver(): boolean {
    return performance.now() - this.#began > MAX_SLICE_MS;
  }

  /**
   * Yields to the event loop. It takes a timer: while callbacks are ready to run, as
   * after `setImmediate`, the runtime seldom polls the network.
   */
  async next(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#began = performance.now();
  }
}

/** Time as a dependency, so that tests wait for nothing. */

export interface Clock {
  /** Milliseconds since the Unix epoch, with fractions. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's clock; it never runs backwards while the process lives. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => queueFor(ms).add(run),
};

/** The timer of waits from this many milliseconds on is kept when the last one is cancelled. */
const LONG = 10_000;

/**
 * Waits of one length. They end in the order in which they began, so one timer
 * serves them all: almost every wait is a limit that is never reached.
 */
class WaitQueue {
  readonly #waits = new Set<{ readonly at: number; readonly run: () => void }>();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(run: () => void): () => void {
    const wait = { at: performance.now() + this.#ms, run };
    this.#waits.add(wait);
    this.#timer ??= setTimeout(this.#ring, this.#ms);
    return () => {
      if (!this.#waits.delete(wait) || this.#waits.size > 0 || this.#ms >= LONG) return;
      this.#stop();
    };
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
    if (this.#waits.size === 0) this.#stop();
  };

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    queues.delete(this.#ms);
  }
}

/** By length in milliseconds; a queue without waits is forgotten. */
const queues = new Map<number, WaitQueue>();

function queueFor(ms: number): WaitQueue {
  let queue = queues.get(ms);
  if (queue === undefined) queues.set(ms, queue = new WaitQueue(ms));
  return queue;
}

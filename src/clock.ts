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
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

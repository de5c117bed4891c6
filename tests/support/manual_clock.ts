import { type Clock, type TimeLimit, type TimeLimited, TimeLimits } from "../../src/core/clock.ts";

/** A clock that tests control. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000;
  #correction = 0;
  readonly #timers = new Set<{ at: number; run: () => void }>();
  readonly #limits = new TimeLimits({
    now: () => this.#now,
    start: (ms, run) => this.after(ms, run),
    earlyMs: 0,
    isKept: () => false,
  });

  now(): number {
    return this.#now;
  }

  wallTime(): number {
    return this.#now + this.#correction;
  }

  /** Sets the machine's clock forward or back. */
  correct(ms: number): void {
    this.#correction += ms;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  limit<Name>(ms: number, owner: TimeLimited<Name>, name: Name): TimeLimit {
    return this.#limits.limit(ms, owner, name);
  }

  /** Timers that have neither fired nor been cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the time and fires due timers in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.at <= end)
        .sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = end;
  }
}

/** The maximum number of turns of the event loop's microtasks that an ended stream still takes. */
const MAX_LAST_TURNS = 10;

/** Waits until the end of a vendor's stream is read, which is after the end of its answer. */
export async function untilQuiet(clock: ManualClock): Promise<void> {
  for (let turn = 0; turn < MAX_LAST_TURNS && clock.pending > 0; turn++) await Promise.resolve();
}

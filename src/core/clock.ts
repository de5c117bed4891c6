/**
 * Clocks, timers and time limits as a dependency, so that tests can control the time; and time
 * slices for long work.
 */

/** The owner of a time limit. */
export interface TimeLimited<Name = unknown> {
  /** Called once when the limit with this name expires. */
  onTimeLimit(name: Name): void;
}

/** A running limit. */
export interface TimeLimit {
  /** Cancels the limit. Has no effect after it has expired. */
  cancel(): void;
}

/** The clock that limits use. */
interface Timers {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds. The returned function cancels the call. */
  start(ms: number, run: () => void): () => void;
  /** How many milliseconds early a timer may fire. */
  readonly earlyMs: number;
  /**
   * Whether the timer for limits of this length keeps running when the last of them is canceled.
   */
  isKept(ms: number): boolean;
}

/**
 * One clock's limits. Limits with the same length expire in the order in which they began, so one
 * timer, for the earliest, serves them all. Most limits are canceled before they expire. Exported
 * for tests.
 */
export class TimeLimits {
  readonly #timers: Timers;
  /** Lists by length in milliseconds. An empty one without a timer is removed. */
  readonly #lists = new Map<number, LimitList>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Starts a limit of this many milliseconds. A negative limit expires at once. */
  limit<Name>(ms: number, owner: TimeLimited<Name>, name: Name): TimeLimit {
    const length = ms < 0 ? 0 : ms;
    return new Entry(this.#lists.get(length) ?? this.#begin(length), owner, name);
  }

  #begin(ms: number): LimitList {
    const list: LimitList = new LimitList(this.#timers, ms, () => {
      // A limit that has just expired may have started another list.
      if (this.#lists.get(ms) === list) this.#lists.delete(ms);
    });
    this.#lists.set(ms, list);
    return list;
  }

  /** Cancels all limits. */
  close(): void {
    for (const list of this.#lists.values()) list.stop();
  }
}

/** A limit in its list. */
class Entry implements TimeLimit {
  // Set only in the constructor, since each request has several limits.
  declare readonly owner: TimeLimited;
  declare readonly name: unknown;
  declare readonly endsAt: number;
  declare previous: Entry | undefined;
  declare next: Entry | undefined;
  /** Undefined once it has expired or been canceled. */
  declare list: LimitList | undefined;

  constructor(list: LimitList, owner: TimeLimited, name: unknown) {
    const { last } = list;
    this.owner = owner;
    this.name = name;
    this.endsAt = list.timers.now() + list.ms;
    this.previous = last;
    this.next = undefined;
    this.list = list;
    if (last === undefined) list.first = this;
    else last.next = this;
    list.last = this;
    if (list.cancelTimer === undefined) list.start(list.ms);
  }

  cancel(): void {
    const { list, previous, next } = this;
    if (list === undefined) return;
    if (previous === undefined) list.first = next;
    else previous.next = next;
    if (next === undefined) list.last = previous;
    else next.previous = previous;
    // A removed entry must not keep its neighbors in memory.
    this.list = this.previous = this.next = undefined;
    if (list.first === undefined && !list.isKept) list.stop();
  }
}

/** Limits with one length, earliest first. Adding and removing take constant time. */
class LimitList {
  readonly timers: Timers;
  readonly ms: number;
  /** Whether its timer keeps running without limits. */
  isKept: boolean;
  readonly #onStop: () => void;
  first: Entry | undefined;
  last: Entry | undefined;
  cancelTimer: (() => void) | undefined;

  constructor(timers: Timers, ms: number, onStop: () => void) {
    this.timers = timers;
    this.ms = ms;
    this.isKept = timers.isKept(ms);
    this.#onStop = onStop;
  }

  /** Starts the timer. */
  start(ms: number): void {
    this.cancelTimer = this.timers.start(ms, this.#ring);
  }

  /** Cancels all limits and the timer. */
  stop(): void {
    const { cancelTimer, first } = this;
    this.cancelTimer = undefined;
    cancelTimer?.();
    // The last one stops the timer of a temporary list.
    this.isKept = false;
    if (first === undefined) this.#onStop();
    for (let entry = first; entry !== undefined; entry = this.first) entry.cancel();
  }

  readonly #ring = (): void => {
    const now = this.timers.now() + this.timers.earlyMs;
    try {
      // The timer still counts as running: a new timer for a limit that begins now would fire too
      // late for earlier ones.
      for (let entry = this.first; entry !== undefined; entry = this.first) {
        if (entry.endsAt > now) break;
        entry.cancel();
        entry.owner.onTimeLimit(entry.name);
      }
    } finally {
      const { first } = this;
      if (first === undefined) this.stop();
      else this.start(Math.max(0, first.endsAt - this.timers.now()));
    }
  };
}

/** A clock with timers. */
export interface Clock {
  /**
   * Monotonic time in milliseconds, with fractions: for durations and deadlines. It begins with the
   * Unix time at process startup and ignores corrections to the machine's clock.
   */
  now(): number;
  /**
   * Milliseconds since the Unix epoch according to the machine's clock, including its corrections:
   * for dates that leave the process. The difference of two values is not a duration.
   */
  wallTime(): number;
  /** Calls `run` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, run: () => void): () => void;
  /** Starts a time limit of `ms` milliseconds, which calls `owner.onTimeLimit(name)` once. */
  limit<Name>(ms: number, owner: TimeLimited<Name>, name: Name): TimeLimit;
}

/**
 * Whether the timer keeps running when its last limit is canceled. Configured time limits recur
 * with each request; the remaining time of a caller's deadline does not.
 */
function isReusable(ms: number): boolean {
  return ms >= 10_000 && ms % 1000 === 0;
}

/** The owner of limits that are functions: each is called when its time has passed. */
const CALLER: TimeLimited<() => void> = { onTimeLimit: (run) => run() };

/** Milliseconds since the epoch. Reading the runtime's property costs as much as `now()`. */
const TIME_ORIGIN = performance.timeOrigin;

/** Bound rather than wrapped in a function, since each time limit calls it. */
const elapsed = performance.now.bind(performance);

/** The machine's clocks. A separate instance has its own timers, which its owner cancels. */
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
    const limit = this.limit(ms, CALLER, run);
    return () => limit.cancel();
  }
}

/** The process's clock. */
export const systemClock = new SystemClock();

/** How long work may block the event loop, in milliseconds. */
const MAX_SLICE_MS = 8;

/** Splits long work into time slices, between which the event loop serves other requests. */
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

/** Waits for a promise for at most `ms` milliseconds. */
export async function within(
  ms: number,
  promise: Promise<unknown>,
  clock: Pick<Clock, "after"> = systemClock,
): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  await Promise.race([promise, timeout]).finally(cancel);
}

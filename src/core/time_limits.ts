/** Time limits in lists of the same length, with one timer for each list. */

/** What a time limit ends. */
export interface TimeLimited<Name = unknown> {
  /** Called once, when the limit with this name is over. */
  onTimeLimit(name: Name): void;
}

/** A limit that has begun. */
export interface TimeLimit {
  /** Ends the limit without a call. Also allowed when it is over. */
  cancel(): void;
}

/** The time that limits are measured by. */
export interface Timers {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds. The returned function cancels the call. */
  start(ms: number, run: () => void): () => void;
  /** How many milliseconds early timers may fire. */
  readonly earlyMs: number;
  /** Whether the timer of limits of this length keeps running when the last of them is cancelled. */
  isKept(ms: number): boolean;
}

/**
 * The limits of one clock. Limits of the same length end in the order in which they began, so one
 * timer serves them all: that of the earliest. Most limits are cancelled before they are over.
 */
export class TimeLimits {
  readonly #timers: Timers;
  /** Lists by length in milliseconds. An empty one without a timer is removed. */
  readonly #lists = new Map<number, LimitList>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Begins a limit of this many milliseconds. */
  begin<Name>(ms: number, owner: TimeLimited<Name>, name: Name): TimeLimit {
    let list = this.#lists.get(ms);
    if (list === undefined) {
      list = new LimitList(this.#timers, ms, () => {
        // A limit that was just over may have begun another list.
        if (this.#lists.get(ms) === list) this.#lists.delete(ms);
      });
      this.#lists.set(ms, list);
    }
    return list.add(owner, name);
  }

  /** Cancels all limits. */
  close(): void {
    for (const list of this.#lists.values()) list.stop();
  }
}

/** A limit in its list. */
class Entry implements TimeLimit {
  readonly owner: TimeLimited;
  readonly name: unknown;
  readonly endsAt: number;
  previous: Entry | undefined;
  next: Entry | undefined;
  /** Undefined once it is over or cancelled. */
  list: LimitList | undefined;

  constructor(list: LimitList, owner: TimeLimited, name: unknown, endsAt: number) {
    this.owner = owner;
    this.name = name;
    this.endsAt = endsAt;
    this.previous = list.last;
    this.next = undefined;
    this.list = list;
  }

  cancel(): void {
    const { list } = this;
    if (list === undefined) return;
    list.remove(this);
    if (list.first === undefined) list.emptied();
  }
}

/** Limits of one length, the earliest first. Adding and removing take constant time. */
class LimitList {
  readonly #timers: Timers;
  readonly #ms: number;
  readonly #onStop: () => void;
  first: Entry | undefined;
  last: Entry | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(timers: Timers, ms: number, onStop: () => void) {
    this.#timers = timers;
    this.#ms = ms;
    this.#onStop = onStop;
  }

  add(owner: TimeLimited, name: unknown): Entry {
    const entry = new Entry(this, owner, name, this.#timers.now() + this.#ms);
    const { previous } = entry;
    if (previous === undefined) this.first = entry;
    else previous.next = entry;
    this.last = entry;
    this.#cancelTimer ??= this.#timers.start(this.#ms, this.#ring);
    return entry;
  }

  /** The last limit was cancelled. */
  emptied(): void {
    if (!this.#timers.isKept(this.#ms)) this.stop();
  }

  /** Cancels all limits and the timer. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.first !== undefined) this.remove(this.first);
    this.#onStop();
  }

  remove(entry: Entry): void {
    const { previous, next } = entry;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.last = previous;
    else next.previous = previous;
    // A removed entry must not keep its neighbors in memory.
    entry.list = entry.previous = entry.next = undefined;
  }

  readonly #ring = (): void => {
    const now = this.#timers.now() + this.#timers.earlyMs;
    try {
      // The timer still counts as running: a new timer for a limit that begins now would fire too
      // late for earlier ones.
      for (let entry = this.first; entry !== undefined; entry = this.first) {
        if (entry.endsAt > now) break;
        this.remove(entry);
        entry.owner.onTimeLimit(entry.name);
      }
    } finally {
      const first = this.first;
      if (first === undefined) this.stop();
      else {
        const left = Math.max(0, first.endsAt - this.#timers.now());
        this.#cancelTimer = this.#timers.start(left, this.#ring);
      }
    }
  };
}

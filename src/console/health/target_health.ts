/** The health of one target: a provider's model. */

import type { FirstContent, TargetAttempt } from "./target_attempts.ts";

const MINUTE_MS = 60_000;

/** The states of a target, worst first. */
export const STATES = ["failing", "degraded", "slow", "silent", "ok", "unused"] as const;

export type TargetState = (typeof STATES)[number];

/** The thresholds for states, which the API also reports. */
export const THRESHOLDS = {
  /** The period that the states cover, in milliseconds. */
  window_ms: 10 * MINUTE_MS,
  failing: {
    min_attempts: 5,
    failed_share: 0.5,
    /** This many consecutive failures are sufficient, regardless of the number of attempts. */
    failed_in_a_row: 5,
  },
  degraded: { min_attempts: 20, failed_share: 0.05 },
  /** The factor by which the time to first content must exceed the last day's median. */
  slow: { min_attempts: 20, factor: 2 },
  /** The period after which a target without attempts is considered unused, in milliseconds. */
  unused_ms: 24 * 60 * MINUTE_MS,
} as const;

/** The length of a history cell, in milliseconds, and the number of cells per target: one day. */
export const CELL_MS = 5 * MINUTE_MS;

export const CELLS = 288;

/** The number of attempts and the number of failures. */
export interface AttemptSums {
  readonly attempts: number;
  readonly failures: number;
}

const { window_ms: WINDOW_MS, failing, degraded, slow, unused_ms: UNUSED_MS } = THRESHOLDS;
/** The number of cells in the window, which is accurate to one cell. */
const RECENT_CELL_MS = 10_000;
/** The duration cells within the window and within a day, in milliseconds. */
const RECENT_DURATION_MS = 60_000;
const DAY_DURATION_MS = 3 * 3_600_000;
const DAY_MS = CELL_MS * CELLS;
/** The number of recent attempts whose results are stored individually. */
const LAST_ATTEMPTS = 8;

/** A target's last failure. Times are in milliseconds since the Unix epoch. */
export interface LastFailure {
  readonly request: string;
  readonly time: number;
  /** When the request ended. */
  readonly ended: number;
  readonly error: string;
  readonly status: number;
  readonly cause: string | undefined;
}

/** Median times to first content, in milliseconds. */
export interface FirstContentMedians {
  readonly recent: number;
  readonly usual: number;
}

/** A snapshot of a target. */
export interface TargetReport {
  readonly provider: string;
  readonly upstream: string;
  readonly state: TargetState;
  /** When the state began; undefined if it is not known. */
  readonly since: number | undefined;
  /** The window, the last day, and the individual results of the last attempts. */
  readonly recent: AttemptSums;
  readonly day: AttemptSums;
  readonly last: AttemptSums;
  /** When a failing, degraded or silent target was last OK; undefined for others. */
  readonly incident:
    | AttemptSums & { readonly since: number; readonly rescued: number }
    | undefined;
  readonly lastAttempt: number | undefined;
  readonly lastFailure: LastFailure | undefined;
  readonly firstContent: FirstContentMedians | undefined;
}

/** The time to first content, for one kind of answer. */
interface Durations {
  readonly recent: DurationCells;
  readonly day: DurationCells;
}

interface Incident {
  readonly since: number;
  attempts: number;
  failures: number;
  rescued: number;
}

export class TargetHealth {
  readonly provider: string;
  readonly upstream: string;
  readonly #recent = new AttemptCells(RECENT_CELL_MS, WINDOW_MS / RECENT_CELL_MS + 1);
  readonly #day = new AttemptCells(CELL_MS, CELLS);
  /** Streams and complete answers are measured separately, since they are not comparable. */
  readonly #durations = new Map<boolean, Durations>();
  /** Whether each of the recent attempts failed, oldest first. */
  readonly #last: boolean[] = [];
  /** The current number of consecutive failures; undefined after a success. */
  #row: Incident | undefined;
  /** The result and the time of the last comparison of durations. */
  #isSlow = false;
  #comparedAt = -Infinity;
  #state: "failing" | "degraded" | "slow" | "ok" = "ok";
  #since: number | undefined;
  #incident: Incident | undefined;
  #lastAttempt: number | undefined;
  #lastFailure: LastFailure | undefined;
  #failedAt = -Infinity;

  constructor({ provider, upstream }: Pick<TargetAttempt, "provider" | "upstream">) {
    this.provider = provider;
    this.upstream = upstream;
  }

  /** Adds an attempt that has ended. */
  add({ failure, firstContent, request, time }: TargetAttempt): void {
    const hasFailed = failure !== undefined;
    this.#recent.add(time, hasFailed);
    this.#day.add(time, hasFailed);
    this.#last.push(hasFailed);
    if (this.#last.length > LAST_ATTEMPTS) this.#last.shift();
    if (!hasFailed) this.#row = undefined;
    else count(this.#row ??= { since: time, attempts: 0, failures: 0, rescued: 0 }, failure);
    this.#lastAttempt = Math.max(this.#lastAttempt ?? time, time);
    if (failure !== undefined) {
      const { cause, ended, error, status } = failure;
      this.#lastFailure = { request, time, ended, error, status, cause };
      this.#failedAt = Math.max(this.#failedAt, time);
    }
    if (firstContent !== undefined) this.#measure(firstContent, time);
    if (this.#incident !== undefined) count(this.#incident, failure);
    if (!this.#isCalm(time)) this.#update(failure, time);
  }

  /** Whether an attempt cannot change the state, because nothing failed in the window. */
  #isCalm(time: number): boolean {
    return this.#state === "ok" && this.#since !== undefined &&
      time - this.#failedAt > WINDOW_MS + RECENT_CELL_MS &&
      time - this.#comparedAt < RECENT_CELL_MS;
  }

  /** The cells in the last day that have attempts: each one's start, attempts and failures. */
  cells(now: number): readonly (readonly [number, number, number])[] {
    return [...this.#day.since(now - DAY_MS)];
  }

  /** The state at a time: that of the last attempt, until it is outdated. */
  stateAt(now: number): { readonly state: TargetState; readonly since: number | undefined } {
    const last = this.#lastAttempt;
    const isQuiet = last !== undefined && now - last > WINDOW_MS;
    if (isQuiet && this.isBad) return { state: "silent", since: last };
    if (last === undefined) return { state: "unused", since: undefined };
    if (now - last > UNUSED_MS) return { state: "unused", since: last };
    // Without attempts, there is no evidence that the target is still slow.
    if (isQuiet && this.#state === "slow") return { state: "ok", since: last + WINDOW_MS };
    return { state: this.#state, since: this.#since };
  }

  /** Whether it was failing or degraded at its last attempt. */
  get isBad(): boolean {
    return this.#state === "failing" || this.#state === "degraded";
  }

  report(now: number): TargetReport {
    const { provider, upstream } = this;
    const failures = this.#last.filter((hasFailed) => hasFailed).length;
    return {
      provider,
      upstream,
      ...this.stateAt(now),
      recent: this.#recent.sums(now - WINDOW_MS),
      day: this.#day.sums(now - DAY_MS),
      last: { attempts: this.#last.length, failures },
      incident: this.#incident && { ...this.#incident },
      lastAttempt: this.#lastAttempt,
      lastFailure: this.#lastFailure,
      firstContent: this.#medians(now),
    };
  }

  #measure({ isStream, ms }: FirstContent, time: number): void {
    let durations = this.#durations.get(isStream);
    if (durations === undefined) {
      durations = {
        recent: new DurationCells(RECENT_DURATION_MS, WINDOW_MS / RECENT_DURATION_MS + 1),
        day: new DurationCells(DAY_DURATION_MS, DAY_MS / DAY_DURATION_MS + 1),
      };
      this.#durations.set(isStream, durations);
    }
    durations.recent.add(time, ms);
    durations.day.add(time, ms);
  }

  /** The state is updated after each attempt; a failure never improves it. */
  #update(failure: TargetAttempt["failure"], time: number): void {
    const state = this.#judge(time);
    const isBetter = LEVELS.indexOf(state) > LEVELS.indexOf(this.#state);
    if (failure !== undefined && isBetter) return;
    if (state === this.#state && this.#since !== undefined) return;
    this.#state = state;
    const isRow = state === "failing" && this.#isRow;
    this.#since = isRow ? this.#row?.since ?? time : time;
    if (!this.isBad) {
      this.#incident = undefined;
    } else if (this.#incident === undefined) {
      const none = { since: time, attempts: 0, failures: 0, rescued: 0 };
      this.#incident = isRow && this.#row !== undefined ? { ...this.#row } : none;
      if (!isRow) count(this.#incident, failure);
    }
  }

  /** Whether the consecutive failures are enough to report the target as failing. */
  get #isRow(): boolean {
    return (this.#row?.failures ?? 0) >= failing.failed_in_a_row;
  }

  #judge(now: number): "failing" | "degraded" | "slow" | "ok" {
    const { attempts, failures } = this.#recent.sums(now - WINDOW_MS);
    if (
      this.#isRow ||
      (attempts >= failing.min_attempts && failures >= attempts * failing.failed_share)
    ) return "failing";
    const isDegraded = attempts >= degraded.min_attempts &&
      failures >= attempts * degraded.failed_share;
    if (isDegraded) return "degraded";
    return this.#isSlowAt(now) ? "slow" : "ok";
  }

  /** Compares durations, at most once per cell, since it is slow. */
  #isSlowAt(now: number): boolean {
    if (now - this.#comparedAt >= RECENT_CELL_MS) {
      this.#comparedAt = now;
      const medians = this.#compare(now, slow.min_attempts);
      this.#isSlow = medians !== undefined && medians.recent > slow.factor * medians.usual;
    }
    return this.#isSlow;
  }

  #medians(now: number): FirstContentMedians | undefined {
    return this.#compare(now, 1);
  }

  #compare(now: number, minAttempts: number): FirstContentMedians | undefined {
    let worst: FirstContentMedians | undefined;
    for (const { day, recent } of this.#durations.values()) {
      const [lately, usual] = [recent.median(now - WINDOW_MS), day.median(now - DAY_MS)];
      if (lately === undefined || usual === undefined || lately.count < minAttempts) continue;
      const medians = { recent: lately.ms, usual: usual.ms };
      if (worst === undefined || medians.recent / medians.usual > worst.recent / worst.usual) {
        worst = medians;
      }
    }
    return worst;
  }
}

function count(sums: Incident, failure: TargetAttempt["failure"]): void {
  sums.attempts++;
  if (failure === undefined) return;
  sums.failures++;
  if (failure.isRescued) sums.rescued++;
}

/** The states that follow from attempts, worst first. */
const LEVELS = ["failing", "degraded", "slow", "ok"] as const;

/** The attempts in the latest time cells. An older cell is reused for a newer one. */
class AttemptCells {
  readonly #cellMs: number;
  readonly #attempts: Uint32Array;
  readonly #failures: Uint32Array;
  /** The number of the newest cell since the Unix epoch. */
  #newest = 0;

  constructor(cellMs: number, count: number) {
    this.#cellMs = cellMs;
    this.#attempts = new Uint32Array(count);
    this.#failures = new Uint32Array(count);
  }

  add(time: number, failed: boolean): void {
    const cell = Math.floor(time / this.#cellMs);
    if (cell > this.#newest) this.#advance(cell);
    const count = this.#attempts.length;
    if (cell <= this.#newest - count) return;
    const index = cell % count;
    this.#attempts[index] = (this.#attempts[index] ?? 0) + 1;
    if (failed) this.#failures[index] = (this.#failures[index] ?? 0) + 1;
  }

  /** The cells with attempts since a time, oldest first: start, attempts, failures. */
  *since(time: number): Iterable<readonly [start: number, attempts: number, failures: number]> {
    const count = this.#attempts.length;
    const first = Math.max(Math.floor(time / this.#cellMs), this.#newest - count + 1);
    for (let cell = first; cell <= this.#newest; cell++) {
      const attempts = this.#attempts[cell % count] ?? 0;
      if (attempts > 0) yield [cell * this.#cellMs, attempts, this.#failures[cell % count] ?? 0];
    }
  }

  /** The sums over the cells since a time. */
  sums(time: number): AttemptSums {
    const count = this.#attempts.length;
    let cell = Math.max(Math.floor(time / this.#cellMs), this.#newest - count + 1);
    let [attempts, failures] = [0, 0];
    for (; cell <= this.#newest; cell++) {
      attempts += this.#attempts[cell % count] ?? 0;
      failures += this.#failures[cell % count] ?? 0;
    }
    return { attempts, failures };
  }

  #advance(cell: number): void {
    const count = this.#attempts.length;
    const from = Math.max(this.#newest + 1, cell - count + 1);
    for (let next = from; next <= cell; next++) {
      this.#attempts[next % count] = 0;
      this.#failures[next % count] = 0;
    }
    this.#newest = Math.max(this.#newest, cell);
  }
}

/** The ratio between successive classes of durations, which is the precision of medians. */
const CLASS_FACTOR = 1.15;

const LOG_FACTOR = Math.log(CLASS_FACTOR);

/** Classes from 1 ms to about 20 min. */
const CLASSES = 100;

/** Durations in the latest time cells, for their median. */
class DurationCells {
  readonly #cellMs: number;
  readonly #count: number;
  /** Each cell's counts by class, created with the cell's first duration. */
  readonly #cells: ({ readonly cell: number; readonly counts: Uint32Array } | undefined)[];

  constructor(cellMs: number, count: number) {
    this.#cellMs = cellMs;
    this.#count = count;
    this.#cells = Array(count).fill(undefined);
  }

  add(time: number, ms: number): void {
    const cell = Math.floor(time / this.#cellMs);
    const index = cell % this.#count;
    let entry = this.#cells[index];
    if (entry === undefined || entry.cell < cell) {
      entry = this.#cells[index] = { cell, counts: new Uint32Array(CLASSES) };
    }
    if (entry.cell > cell) return;
    const one = Math.min(CLASSES - 1, Math.floor(Math.log(Math.max(1, ms)) / LOG_FACTOR));
    entry.counts[one] = (entry.counts[one] ?? 0) + 1;
  }

  /** The number of durations since a time, and their median; undefined if there are none. */
  median(time: number): { readonly count: number; readonly ms: number } | undefined {
    const first = Math.floor(time / this.#cellMs);
    const sums = new Uint32Array(CLASSES);
    let count = 0;
    for (const entry of this.#cells) {
      if (entry === undefined || entry.cell < first) continue;
      for (let index = 0; index < CLASSES; index++) {
        const number = entry.counts[index] ?? 0;
        sums[index] = (sums[index] ?? 0) + number;
        count += number;
      }
    }
    if (count === 0) return undefined;
    let below = 0;
    const index = sums.findIndex((number) => (below += number) * 2 >= count);
    // The middle of the class.
    return { count, ms: Math.round(CLASS_FACTOR ** (index + 0.5)) };
  }
}

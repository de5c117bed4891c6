/** The health of one target: a model of a provider. */

import { AttemptCells, type AttemptSums, DurationCells } from "./counters.ts";
import type { FirstContent, TargetAttempt } from "./target_attempts.ts";
import { CELL_MS, CELLS, type TargetState, THRESHOLDS } from "./thresholds.ts";

const { window_ms: WINDOW_MS, failing, degraded, slow, unused_ms: UNUSED_MS } = THRESHOLDS;
/** The cells of the window: the window is exact to one of them. */
const RECENT_CELL_MS = 10_000;
/** The cells of durations within the window and within a day, in milliseconds. */
const RECENT_DURATION_MS = 60_000;
const DAY_DURATION_MS = 3 * 3_600_000;
const DAY_MS = CELL_MS * CELLS;
/** The last attempts whose results are known one by one. */
const LAST_ATTEMPTS = 8;

/** The last failure of a target. Times are milliseconds since the Unix epoch. */
export interface LastFailure {
  readonly request: string;
  readonly time: number;
  readonly error: string;
  readonly status: number;
  readonly cause: string | undefined;
}

/** Medians of the time to the first content, in milliseconds. */
export interface FirstContentMedians {
  readonly recent: number;
  readonly usual: number;
}

/** What is known about a target at one moment. */
export interface TargetReport {
  readonly provider: string;
  readonly upstream: string;
  readonly state: TargetState;
  /** When the state began; undefined if it is not known. */
  readonly since: number | undefined;
  /** The window, the last day, and the last attempts one by one. */
  readonly recent: AttemptSums;
  readonly day: AttemptSums;
  readonly last: AttemptSums;
  /** Since a target that is failing, degraded or silent was last OK; undefined for others. */
  readonly incident:
    | AttemptSums & { readonly since: number; readonly rescued: number }
    | undefined;
  readonly lastAttempt: number | undefined;
  readonly lastFailure: LastFailure | undefined;
  readonly firstContent: FirstContentMedians | undefined;
}

/** The time to the first content of the answers of one kind. */
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
  /** Streams and whole answers are different kinds: a mix of them says nothing. */
  readonly #durations = new Map<boolean, Durations>();
  /** Whether each of the last attempts failed, the oldest first. */
  readonly #last: boolean[] = [];
  /** The failures in a row until now; undefined after an attempt that answered. */
  #row: Incident | undefined;
  /** The result of the last comparison of durations, and when it was. */
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
      const { cause, error, status } = failure;
      this.#lastFailure = { request, time, error, status, cause };
      this.#failedAt = Math.max(this.#failedAt, time);
    }
    if (firstContent !== undefined) this.#measure(firstContent, time);
    if (this.#incident !== undefined) count(this.#incident, failure);
    if (!this.#isCalm(time)) this.#update(failure, time);
  }

  /** Whether an attempt at a time cannot change the state: nothing has failed in the window. */
  #isCalm(time: number): boolean {
    return this.#state === "ok" && this.#since !== undefined &&
      time - this.#failedAt > WINDOW_MS + RECENT_CELL_MS &&
      time - this.#comparedAt < RECENT_CELL_MS;
  }

  /** The cells of the last day that have attempts: start, attempts and failures of each. */
  cells(now: number): readonly (readonly [number, number, number])[] {
    return [...this.#day.since(now - DAY_MS)];
  }

  /** The state at a time: that of the last attempt, until too much time has passed since. */
  stateAt(now: number): { readonly state: TargetState; readonly since: number | undefined } {
    const last = this.#lastAttempt;
    const isQuiet = last !== undefined && now - last > WINDOW_MS;
    if (isQuiet && this.isBad) return { state: "silent", since: last };
    if (last === undefined) return { state: "unused", since: undefined };
    if (now - last > UNUSED_MS) return { state: "unused", since: last };
    // Without attempts, nothing shows that it is still slow.
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

  /** The state follows from each attempt; a failure never improves it. */
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

  /** Whether the failures in a row are enough to call the target failing. */
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

  /** Compares durations, which takes time, at most once in the length of a cell. */
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

/** The states that attempts lead to, the worst first. */
const LEVELS = ["failing", "degraded", "slow", "ok"] as const;

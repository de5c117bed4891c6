/** Measurements and usage of hedging in earlier requests. There is one instance per worker. */

import type { HedgeRule } from "../../config/config.ts";
import type { TargetStats } from "../../gateway/target_stats.ts";
import { HedgeShare } from "./hedge_reserve.ts";

export class HedgingState {
  readonly #shares = new WeakMap<HedgeRule, HedgeShare>();
  readonly #times = new WeakMap<TargetStats, FirstContentTimes>();

  /** The share for a rule of config.yaml. A reload resets the share. */
  shareOf(rule: HedgeRule): HedgeShare {
    let share = this.#shares.get(rule);
    if (share === undefined) this.#shares.set(rule, share = new HedgeShare(rule.share));
    return share;
  }

  /** The times for the target with these statistics. */
  timesOf(stats: TargetStats): FirstContentTimes {
    let times = this.#times.get(stats);
    if (times === undefined) this.#times.set(stats, times = new FirstContentTimes());
    return times;
  }

  /** The delay until a second target is called, in milliseconds; undefined if unknown. */
  delayOf(
    { after, max, min }: HedgeRule,
    { stats, stream, bytes }: Measured,
    now: number,
  ): number | undefined {
    if (after !== "p90") return after;
    const p90 = this.#times.get(stats)?.p90(stream, bytes, now);
    return p90 === undefined ? undefined : Math.min(max, Math.max(min, p90));
  }
}

/** The inputs for estimating the time to the first content. */
export interface Measured {
  readonly stats: TargetStats;
  readonly stream: boolean;
  /** The request size. */
  readonly bytes: number;
}

/** The number of answers to keep for each size. */
const KEPT = 128;

/** The minimum number of answers for the 90th percentile. */
const MIN_ANSWERS = 20;

/** Milliseconds after which the recorded answers are outdated. */
const MAX_AGE_MS = 3_600_000;

/** The size limits, in bytes, of groups of requests that are measured separately. */
const SIZES = [4096, 16_384, 65_536, 262_144];

/** The latest times for one size. */
class Times {
  readonly #ms = new Float64Array(KEPT);
  #count = 0;
  #at = 0;
  #p90: number | undefined;

  add(ms: number, now: number): void {
    this.#ms[this.#count++ % KEPT] = ms;
    this.#at = now;
    this.#p90 = undefined;
  }

  p90(now: number): number | undefined {
    if (this.#count < MIN_ANSWERS || now > this.#at + MAX_AGE_MS) return undefined;
    if (this.#p90 === undefined) {
      const sorted = this.#ms.slice(0, this.#count).sort();
      this.#p90 = sorted[Math.ceil(0.9 * sorted.length) - 1];
    }
    return this.#p90;
  }
}

/** One target's times. Streams and complete answers are measured separately. */
class FirstContentTimes {
  readonly #times = new Map<number, Times>();

  /**
   * Adds the time of an answer, or the length of a wait without one.
   *
   * @param bytes the request size
   */
  add(stream: boolean, bytes: number, ms: number, now: number): void {
    const index = indexOf(stream, bytes);
    let times = this.#times.get(index);
    if (times === undefined) this.#times.set(index, times = new Times());
    times.add(ms, now);
  }

  /**
   * The 90th percentile of the time until an answer begins, in milliseconds; undefined with too few
   * answers.
   */
  p90(stream: boolean, bytes: number, now: number): number | undefined {
    return this.#times.get(indexOf(stream, bytes))?.p90(now);
  }
}

function indexOf(stream: boolean, bytes: number): number {
  const size = SIZES.findIndex((most) => bytes <= most);
  return 2 * (size === -1 ? SIZES.length : size) + (stream ? 1 : 0);
}

/** What the hedging of earlier requests has learned and used. One for each worker. */

import type { HedgeRule } from "../../config/config.ts";
import type { TargetStats } from "../../gateway/target_stats.ts";
import { FirstContentTimes } from "./first_content_times.ts";
import { HedgeShare } from "./hedge_share.ts";

export class HedgingState {
  readonly #shares = new WeakMap<HedgeRule, HedgeShare>();
  readonly #times = new WeakMap<TargetStats, FirstContentTimes>();

  /** The share of a rule of config.yaml. A reload begins again. */
  shareOf(rule: HedgeRule): HedgeShare {
    let share = this.#shares.get(rule);
    if (share === undefined) this.#shares.set(rule, share = new HedgeShare(rule.share));
    return share;
  }

  /** The times of the target with these statistics. */
  timesOf(stats: TargetStats): FirstContentTimes {
    let times = this.#times.get(stats);
    if (times === undefined) this.#times.set(stats, times = new FirstContentTimes());
    return times;
  }

  /** The milliseconds after which a second target is asked; undefined if that is not known. */
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

/** What the time to the first content depends on. */
export interface Measured {
  readonly stats: TargetStats;
  readonly stream: boolean;
  /** The size of the request. */
  readonly bytes: number;
}

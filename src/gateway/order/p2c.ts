/**
 * `balance: p2c`: of two targets drawn at random, the one with the lower load, as in "The Power of
 * Two Choices" (Mitzenmacher, 2001). The load is the expected latency times the open requests.
 */

import type { TargetStats } from "../target_stats.ts";
import { type OrderContext, type Strategy, SWITCH_FACTOR } from "./strategy.ts";
import { Usual } from "./rank.ts";

export const p2c: Strategy = (targets, context) => {
  const stats = targets.map(({ target }) => context.state.statsOf(target));
  const costs = costsOf(stats, context);
  const first = pickFirst(stats, costs, context);
  const rest = [...targets.keys()].filter((index) => index !== first)
    .sort((a, b) => (costs[a] ?? 0) - (costs[b] ?? 0));
  return [first, ...rest].flatMap((index) => targets[index] ?? []);
};

/**
 * The index of the target that gets the request. A target is unproven until its first answer, and
 * after a failure until its next answer. It gets at most one open request, unless there is no other
 * target.
 */
function pickFirst(
  stats: readonly TargetStats[],
  costs: readonly number[],
  { clock, random, stream }: OrderContext,
): number {
  const now = clock.now();
  const retried = stats.findIndex((one) => one.isRetryDue(now));
  if (retried >= 0) return retried;
  const all = [...stats.keys()];
  const free = all.filter((index) => {
    const one = stats[index];
    return one !== undefined && (one.inFlight === 0 ||
      one.failuresInRow === 0 && one.speedOf(stream).latency.last !== undefined);
  });
  const drawn = free.length > 0 ? free : all;
  const at = Math.floor(random() * drawn.length);
  const next = Math.floor(random() * (drawn.length - 1));
  const one = drawn[at] ?? 0;
  const other = drawn[next < at ? next : next + 1] ?? one;
  return (costs[other] ?? 0) < (costs[one] ?? 0) * SWITCH_FACTOR ? other : one;
}

/** The expected latency of each target in milliseconds, times its open requests and this one. */
function costsOf(
  stats: readonly TargetStats[],
  { clock, stream }: OrderContext,
): readonly number[] {
  const now = clock.now();
  const speeds = stats.map((one) => one.speedOf(stream));
  const usual = new Usual(speeds.map(({ latency }) => latency.last));
  return speeds.map(({ latency, penalty }, index) => {
    const ofOthers = usual.ofOthers(index);
    // Never 0, so that open requests always count.
    const expected = 1 + latency.value(ofOthers, now) + penalty.of(ofOthers, now);
    return expected * ((stats[index]?.inFlight ?? 0) + 1);
  });
}

/**
 * `balance: p2c`: of two targets drawn at random, the one with the lower load, as in "The Power of
 * Two Choices" (Mitzenmacher, 2001). The load is the expected latency times the open requests.
 */

import type { FallbackTarget } from "../../config/config.ts";
import { type OrderContext, type Strategy, SWITCH_FACTOR } from "./strategy.ts";
import { Usual } from "./usual.ts";

/** Puts an unproven target behind all others while a request probes it. */
const PROBED = 1e9;

export const p2c: Strategy = (targets, context) => {
  const costs = costsOf(targets, context);
  const one = Math.floor(context.random() * targets.length);
  const drawn = Math.floor(context.random() * (targets.length - 1));
  const other = drawn < one ? drawn : drawn + 1;
  const isOtherBetter = (costs[other] ?? 0) < (costs[one] ?? 0) * SWITCH_FACTOR;
  const first = isOtherBetter ? other : one;
  const rest = [...targets.keys()].filter((index) => index !== first)
    .sort((a, b) => (costs[a] ?? 0) - (costs[b] ?? 0));
  return [first, ...rest].flatMap((index) => targets[index] ?? []);
};

/** The expected latency of each target in milliseconds, times its open requests and this one. */
function costsOf(
  targets: readonly FallbackTarget[],
  { clock, state, stream }: OrderContext,
): readonly number[] {
  const now = clock.now();
  const stats = targets.map(({ target }) => state.statsOf(target));
  const speeds = stats.map((one) => one.speedOf(stream));
  const usual = new Usual(speeds.map(({ latency }) => latency.last));
  return stats.map(({ inFlight, failuresInRow }, index) => {
    const speed = speeds[index];
    if (speed === undefined) return 0;
    const { latency, failures, limitMs } = speed;
    // Never 0, so that open requests always count.
    const expected = 1 + latency.value(usual.ofOthers(index), now) +
      failures.fading(now) * limitMs;
    const isProven = latency.last !== undefined && failuresInRow === 0;
    return expected * (inFlight + 1) * (isProven || inFlight === 0 ? 1 : PROBED);
  });
}

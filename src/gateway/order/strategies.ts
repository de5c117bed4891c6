/** The strategies for `balance`: each orders targets. */

import {
  type OrderContext,
  type Strategies,
  type Strategy,
  SWITCH_FACTOR,
  withFirst,
} from "./strategy.ts";
import type { FallbackTarget } from "../../config/config.ts";
import type { TargetStats } from "../target_stats.ts";
import { rank, Usual } from "./rank.ts";

/**
 * The first target is drawn by weight. Targets without a weight are never drawn, unless none has a
 * weight, in which case all are equal.
 */
const weighted: Strategy = (targets, { random }) => {
  const isEqual = targets.every(({ weight }) => weight === undefined);
  const weights = targets.map(({ weight }) => isEqual ? 1 : weight ?? 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return targets;
  let rest = random() * total;
  return withFirst(targets.find((_, index) => (rest -= weights[index] ?? 0) < 0), targets);
};

type Figure = "firstContent" | "perToken";

/** The shortest time to the first content; for whole answers, the shortest time per token. */
const ttft: Strategy = (targets, context) =>
  fastest(targets, context, context.stream ? "firstContent" : "perToken");

/** The shortest time per output token. */
const throughput: Strategy = (targets, context) => fastest(targets, context, "perToken");

/** After this time without an attempt, one request measures the target again. */
const MEASURE_MS = 60_000;
/** The assumed output tokens of an answer, for the penalty per token of a failure. */
const USUAL_OUTPUT = 100;

/**
 * Orders targets by a measurement. A target without one counts as average. If it has no open
 * request, the next request measures it. The same applies to a target that has failed or had no
 * recent attempt.
 */
function fastest(
  targets: readonly FallbackTarget[],
  context: OrderContext,
  figure: Figure,
): readonly FallbackTarget[] {
  const { clock, state, stream } = context;
  const now = clock.now();
  const stats = targets.map(({ target }) => state.statsOf(target));
  const read = (name: Figure) => stats.map((one) => one.speedOf(stream)[name].value(now));
  const ofTokens = read(figure);
  // Answers without output tokens, such as embeddings, are compared by their duration.
  const isByTime = figure === "firstContent" || ofTokens.every((value) => value === undefined);
  const figures = isByTime ? read("firstContent") : ofTokens;
  const typical = new Usual(figures);
  const due = targets.find((_, index) => isDue(stats[index], figures[index], now));
  const costs = stats.map((one, index) => {
    const ofOthers = typical.ofOthers(index);
    const penalty = one.speedOf(stream).penalty.of(ofOthers, now, isByTime ? 1 : USUAL_OUTPUT);
    return (figures[index] ?? ofOthers) + penalty;
  });
  return withFirst(due, rank(targets, costs, context, !typical.isUnknown));
}

/** Whether the next request measures a target, regardless of its measurements. */
function isDue(stats: TargetStats | undefined, figure: number | undefined, now: number): boolean {
  if (stats === undefined) return false;
  if (stats.failuresInRow > 0) return stats.isRetryDue(now);
  return stats.isProbeDue(figure === undefined ? 0 : MEASURE_MS, now);
}

/**
 * The less loaded of two targets drawn at random, as in "The Power of Two Choices" (Mitzenmacher,
 * 2001). The load is the expected latency times the open requests.
 */
const p2c: Strategy = (targets, context) => {
  const stats = targets.map(({ target }) => context.state.statsOf(target));
  const costs = costsOf(stats, context);
  const first = pickFirst(stats, costs, context);
  const rest = [...targets.keys()].filter((index) => index !== first)
    .sort((a, b) => (costs[a] ?? 0) - (costs[b] ?? 0));
  return [first, ...rest].flatMap((index) => targets[index] ?? []);
};

/**
 * The index of the target that receives the request. A target is unproven until its first answer
 * and, after a failure, until its next one. It receives at most one request at a time, unless there
 * is no other target.
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
  const typical = new Usual(speeds.map(({ latency }) => latency.last));
  return speeds.map(({ latency, penalty }, index) => {
    const ofOthers = typical.ofOthers(index);
    // Never 0, so that open requests always count.
    const expected = 1 + latency.value(ofOthers, now) + penalty.of(ofOthers, now);
    return expected * ((stats[index]?.inFlight ?? 0) + 1);
  });
}

/** The strategies that need no feature, besides the order of config.yaml. */
export const STRATEGIES = { weighted, p2c, ttft, throughput } as const satisfies Strategies;

/**
 * `balance: ttft` and `balance: throughput`: the fastest target first, by the time to a stream's
 * first content or by the time for an output token.
 */

import type { FallbackTarget } from "../../config/config.ts";
import type { AnswerSpeed, TargetStats } from "../target_stats.ts";
import { rank, Usual } from "./rank.ts";
import { type OrderContext, type Strategy, withFirst } from "./strategy.ts";

type Figure = "firstContent" | "perToken";

/** The shortest time to the first content; of whole answers, the shortest time for a token. */
export const ttft: Strategy = (targets, context) =>
  fastest(targets, context, context.stream ? "firstContent" : "perToken");

/** The shortest time for an output token. */
export const throughput: Strategy = (targets, context) => fastest(targets, context, "perToken");

/** After this time without an attempt, one request measures a target again. */
const MEASURE_MS = 60_000;
/** The output tokens of an answer, for the penalty of a failure per token. */
const USUAL_OUTPUT = 100;

/**
 * Orders by a figure. A target without a figure counts as average. If it has no open request, the
 * next request measures it. The same applies to a target that has failed or had no recent attempt.
 */
function fastest(
  targets: readonly FallbackTarget[],
  context: OrderContext,
  figure: Figure,
): readonly FallbackTarget[] {
  const { clock, state, stream } = context;
  const now = clock.now();
  const stats = targets.map(({ target }) => state.statsOf(target));
  const read = (name: Figure) => stats.map((one) => valueOf(one.speedOf(stream), name, now));
  const ofTokens = read(figure);
  // Answers without output tokens, such as embeddings, are compared by their duration.
  const isByTime = figure === "firstContent" || ofTokens.every((value) => value === undefined);
  const figures = isByTime ? read("firstContent") : ofTokens;
  const usual = new Usual(figures);
  const due = targets.find((_, index) => isDue(stats[index], figures[index], now));
  const costs = stats.map((one, index) => {
    const ofOthers = usual.ofOthers(index);
    const penalty = one.speedOf(stream).penalty.of(ofOthers, now, isByTime ? 1 : USUAL_OUTPUT);
    return (figures[index] ?? ofOthers) + penalty;
  });
  return withFirst(due, rank(targets, costs, context, !usual.isUnknown));
}

/** Whether the next request measures a target, regardless of its figures. */
function isDue(stats: TargetStats | undefined, figure: number | undefined, now: number): boolean {
  if (stats === undefined) return false;
  if (stats.failuresInRow > 0) return stats.isRetryDue(now);
  return stats.isProbeDue(figure === undefined ? 0 : MEASURE_MS, now);
}

function valueOf(speed: AnswerSpeed, figure: Figure, now: number): number | undefined {
  return speed[figure].value(now);
}

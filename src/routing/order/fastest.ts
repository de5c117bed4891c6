/**
 * `balance: ttft` and `balance: throughput`: the fastest target first, by the time to a stream's
 * first content or by the time for an output token.
 */

import type { FallbackTarget } from "../../config/config.ts";
import type { AnswerSpeed } from "../target_stats.ts";
import { rank } from "./rank.ts";
import { type OrderContext, type Strategy, withFirst } from "./strategy.ts";
import { Usual } from "./usual.ts";

type Figure = "firstContent" | "perToken";

/** The shortest time to the first content; of whole answers, the shortest time for a token. */
export const ttft: Strategy = (targets, context) =>
  fastest(targets, context, context.stream ? "firstContent" : "perToken");

/** The shortest time for an output token. */
export const throughput: Strategy = (targets, context) => fastest(targets, context, "perToken");

/**
 * Orders by a figure. A target without a figure counts as average; if it has no open request, the
 * next request measures it.
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
  let figures = read(figure);
  // Answers without output tokens, such as embeddings, are compared by their duration.
  if (figures.every((value) => value === undefined)) figures = read("firstContent");
  const usual = new Usual(figures);
  const unknown = targets.find((_, index) =>
    figures[index] === undefined && stats[index]?.inFlight === 0
  );
  const costs = figures.map((value, index) => value ?? usual.ofOthers(index));
  return withFirst(unknown, rank(targets, costs, context, !usual.isUnknown));
}

function valueOf(speed: AnswerSpeed, figure: Figure, now: number): number | undefined {
  return speed[figure].value(now);
}

/**
 * `balance: ttft` and `balance: throughput`: the fastest target first, by the time to a stream's
 * first content or by the time for an output token.
 */

import type { FallbackTarget } from "../../config/config.ts";
import type { AnswerSpeed } from "../target_stats.ts";
import { type OrderContext, type Strategy, SWITCH_FACTOR, withFirst } from "./strategy.ts";
import { Usual } from "./usual.ts";

type Figure = "firstContent" | "perToken";

/** The shortest time to the first content; of whole answers, the shortest time for a token. */
export const ttft: Strategy = (targets, context) =>
  fastest(targets, context, context.stream ? "firstContent" : "perToken");

/** The shortest time for an output token. */
export const throughput: Strategy = (targets, context) => fastest(targets, context, "perToken");

/**
 * Orders by a figure. A target without one counts as usual; while it has no open request, the next
 * request measures it.
 */
function fastest(
  targets: readonly FallbackTarget[],
  { clock, state, stream }: OrderContext,
  figure: Figure,
): readonly FallbackTarget[] {
  const now = clock.now();
  const { leaders } = state;
  const stats = targets.map(({ target }) => state.statsOf(target));
  const read = (name: Figure) => stats.map((one) => valueOf(one.speedOf(stream), name, now));
  let figures = read(figure);
  // Answers without output tokens, such as embeddings, are compared by their duration.
  if (figures.every((value) => value === undefined)) figures = read("firstContent");
  const usual = new Usual(figures);
  const unknown = targets.find((_, index) =>
    figures[index] === undefined && stats[index]?.inFlight === 0
  );
  const costs = new Map(
    targets.map((target, index) => [target, figures[index] ?? usual.ofOthers(index)]),
  );
  const costOf = (target: FallbackTarget) => costs.get(target) ?? 0;
  const sorted = [...targets].sort((one, other) => costOf(one) - costOf(other));
  const [best] = sorted;
  const leader = leaders.get(targets, stream);
  const stays = leader !== undefined && best !== undefined &&
    costOf(best) >= costOf(leader) * SWITCH_FACTOR;
  const first = stays ? leader : best;
  if (first !== undefined && !usual.isUnknown) leaders.set(targets, stream, first);
  return withFirst(unknown, withFirst(first, sorted));
}

function valueOf(speed: AnswerSpeed, figure: Figure, now: number): number | undefined {
  return speed[figure].value(now);
}

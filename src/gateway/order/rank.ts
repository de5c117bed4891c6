/** Orders targets by a cost that changes with time. */

import type { FallbackTarget } from "../../config/config.ts";
import { type OrderContext, SWITCH_FACTOR, withFirst } from "./strategy.ts";

/**
 * Orders by cost, lowest first. The leader of the group stays first unless another target is
 * clearly better.
 *
 * @param costs one for each target
 * @param isKnown whether the costs are worth remembering a leader
 */
export function rank(
  targets: readonly FallbackTarget[],
  costs: readonly number[],
  { group = targets, state: { leaders }, stream }: OrderContext,
  isKnown = true,
): readonly FallbackTarget[] {
  const byTarget = new Map(targets.map((target, index) => [target, costs[index] ?? 0]));
  const costOf = (target: FallbackTarget) => byTarget.get(target) ?? 0;
  const sorted = [...targets].sort((one, other) => compare(costOf(one), costOf(other)));
  const [best] = sorted;
  const leader = leaders.get(group, stream);
  const stays = leader !== undefined && best !== undefined && byTarget.has(leader) &&
    costOf(best) >= costOf(leader) * SWITCH_FACTOR;
  const first = stays ? leader : best;
  if (first !== undefined && isKnown) leaders.set(group, stream, first);
  return withFirst(first, sorted);
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

/** Orders targets by a cost that changes over time, using group leaders and medians. */

import type { FallbackTarget } from "../../config/config.ts";
import {
  type Leaders,
  type OrderContext,
  type OrderState,
  SWITCH_FACTOR,
  withFirst,
} from "./strategy.ts";

type Group = readonly FallbackTarget[];

/**
 * Orders by cost, lowest first. The group's leader stays first unless another target is clearly
 * better.
 *
 * @param costs one per target
 * @param isKnown whether the costs are known well enough to store a leader
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

/**
 * For each target of a group, finds the median of the other targets, in constant time after one
 * sort.
 */
export class Usual {
  readonly #figures: readonly (number | undefined)[];
  readonly #sorted: readonly number[];

  /** @param figures one per target; undefined if unknown */
  constructor(figures: readonly (number | undefined)[]) {
    this.#figures = figures;
    this.#sorted = figures.filter((figure) => figure !== undefined).sort((a, b) => a - b);
  }

  /** Whether no figure is known. */
  get isUnknown(): boolean {
    return this.#sorted.length === 0;
  }

  /** The lower median of the other targets; 0 if none of them is known. */
  ofOthers(index: number): number {
    const own = this.#figures[index];
    const sorted = this.#sorted;
    if (own === undefined) return sorted[(sorted.length - 1) >> 1] ?? 0;
    const middle = (sorted.length - 2) >> 1;
    return sorted[middle < sorted.indexOf(own) ? middle : middle + 1] ?? 0;
  }
}

/** Leaders by group. */
export class GroupLeaders implements Leaders {
  readonly #ofStreams = new WeakMap<Group, FallbackTarget>();
  readonly #ofAnswers = new WeakMap<Group, FallbackTarget>();

  get(group: Group, stream: boolean): FallbackTarget | undefined {
    return this.#of(stream).get(group);
  }

  set(group: Group, stream: boolean, leader: FallbackTarget): void {
    this.#of(stream).set(group, leader);
  }

  #of(stream: boolean): WeakMap<Group, FallbackTarget> {
    return stream ? this.#ofStreams : this.#ofAnswers;
  }
}

/** A read-only view of the state, for explanations. */
export function readOnly(state: OrderState): OrderState {
  const { leaders } = state;
  return {
    statsOf: (target) => state.statsOf(target),
    hasRoom: (target, tokens, now) => state.hasRoom(target, tokens, now),
    leaders: { get: (group, stream) => leaders.get(group, stream), set: () => {} },
  };
}

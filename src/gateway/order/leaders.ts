/** Which target of each group is preferred. Groups of an earlier configuration are forgotten. */

import type { FallbackTarget } from "../../config/config.ts";
import type { Leaders, OrderState } from "./strategy.ts";

type Group = readonly FallbackTarget[];

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

/** The list of all features; add new ones here. */

import type { Clock } from "../core/clock.ts";
import type { Feature } from "../gateway/feature.ts";
import { affinity } from "./affinity/request_affinity.ts";
import { sessionHints } from "./affinity/session_hints.ts";
import type { StateStore } from "../memory/store.ts";
import { costCap } from "./cost_cap/cost_cap.ts";
import { priceOrder } from "./price_order/price_order.ts";
import { hedging } from "./hedging/hedging.ts";
import { promptCaching } from "./prompt_caching/prompt_caching.ts";
import type { StateCarrier } from "./reasoning_state/carrier.ts";
import { queue } from "./queue/queue.ts";
import { responseCache } from "./response_cache/response_cache.ts";
import { reasoningState } from "./reasoning_state/reasoning_state.ts";
import { MovedSessions } from "./affinity/moved_sessions.ts";
import { HedgingState } from "./hedging/hedging_state.ts";
import type { State } from "../gateway/state.ts";
import { continuation } from "./continuation/continued_stream.ts";
import { RequestQueues } from "./queue/waiting_line.ts";

/** The features' dependencies. */
export interface FeatureDeps {
  readonly reasoning: StateCarrier;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  /** The response cache's store. */
  readonly cache: StateStore;
  /** The process's secret. */
  readonly secret: Uint8Array;
  readonly state: FeatureState;
}

/**
 * The features of one thread. A request passes through them in this order, its answer in reverse.
 */
export function createFeatures(
  { reasoning, clock, newId, cache, secret, state }: FeatureDeps,
): readonly Feature[] {
  return [
    affinity(state.moved),
    priceOrder(clock),
    queue({ queues: state.queues, clock }),
    hedging({ clock, hedging: state.hedging, state: state.targets }),
    continuation,
    responseCache({ store: cache, secret, clock, newId }),
    reasoningState(reasoning),
    promptCaching(clock),
    sessionHints(reasoning),
    costCap,
  ];
}

/** The state of the features of one thread. It is kept across reloads of the configuration. */
export class FeatureState {
  /** The sessions that are not at the target that their hash selects. */
  readonly moved = new MovedSessions();
  /** The requests that wait for limits. */
  readonly queues = new RequestQueues();
  /** Measurements and usage of hedging. */
  readonly hedging = new HedgingState();
  /** The targets' routing statistics. */
  readonly targets: State;

  /** @param state is notified of ended requests while others wait for limits */
  constructor(state: State) {
    this.targets = state;
    const { queues } = this;
    queues.onUse = (isUsed) => {
      state.onRequestEnded = isUsed ? (request) => queues.requestEnded(request) : undefined;
    };
  }
}

/** What features remember, and share with other workers and replicas. */

import type { State } from "../gateway/state.ts";
import { HedgingState } from "./hedging/hedging_state.ts";
import { MovedSessions } from "./affinity/moved_sessions.ts";
import { RequestQueues } from "./queue/request_queues.ts";

/** The state of the features of one thread. It outlives a reload of the configuration. */
export class FeatureState {
  /** The sessions that are not where their hash says. */
  readonly moved = new MovedSessions();
  /** The requests that wait for limits. */
  readonly queues = new RequestQueues();
  /** What hedges have learned and used. */
  readonly hedging = new HedgingState();
  /** What routing knows of targets. */
  readonly targets: State;

  /** @param state tells of requests that have ended, as long as others wait for limits */
  constructor(state: State) {
    this.targets = state;
    const { queues } = this;
    queues.onUse = (isUsed) => {
      state.onRequestEnded = isUsed ? (request) => queues.requestEnded(request) : undefined;
    };
  }
}

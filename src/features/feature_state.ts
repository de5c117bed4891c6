/** What features remember, and share with other workers and replicas. */

import type { State } from "../routing/state.ts";
import { MovedSessions } from "./affinity/moved_sessions.ts";
import { RequestQueues } from "./queue/request_queues.ts";

/** The state of the features of one thread. It outlives a reload of the configuration. */
export class FeatureState {
  /** The sessions that are not where their hash says. */
  readonly moved = new MovedSessions();
  /** The requests that wait for limits. */
  readonly queues = new RequestQueues();

  /** @param state tells of requests that have ended, as long as others wait */
  constructor(state?: Pick<State, "onRequestEnded">) {
    const { queues } = this;
    if (state === undefined) return;
    queues.onUse = (isUsed) => {
      state.onRequestEnded = isUsed ? (request) => queues.requestEnded(request) : undefined;
    };
  }
}

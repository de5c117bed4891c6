/** What features remember, and share with other workers and replicas. */

import { MovedSessions } from "./affinity/moved_sessions.ts";

/** The state of the features of one thread. It outlives a reload of the configuration. */
export class FeatureState {
  /** The sessions that are not where their hash says. */
  readonly moved = new MovedSessions();
}

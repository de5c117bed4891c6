/** The values that the metrics read from other parts of the gateway when they are scraped. */

import type { BudgetSource } from "./cost_metrics.ts";
import type { BreakerGauge, RejectionGauge, TargetGauge } from "../routing/state.ts";

/** Reads current values from their owners. */
export interface GaugeSources {
  /** The number of open requests. */
  readonly inFlight: () => number;
  /** The number of requests that wait for limits. */
  readonly queued: () => number;
  /** Whether the current configuration differs from the file. */
  readonly stale: () => boolean;
  readonly breakers: () => Iterable<BreakerGauge>;
  readonly rejections: () => Iterable<RejectionGauge>;
  readonly budgetOf: BudgetSource;
  readonly targets: () => Iterable<TargetGauge>;
}

/** The limits that replicas share. */

import type { Config } from "../../config/config.ts";
import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { SharedLimits } from "../../governance/shared_limits/shared_limits.ts";
import type { Counters } from "../../governance/counters.ts";
import { SharedLimitsMetrics } from "../../telemetry/shared_limits_metrics.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { SharedStore } from "../../shared_store/shared_store.ts";

/** What shared limits need from their gateway. */
export interface SharedLimitsContext {
  readonly config: () => Config;
  readonly counters: Counters;
  /** The ID of this process. */
  readonly replica: string;
  readonly metrics: Metrics;
}

/** The limits in the shared store; undefined if replicas do not share them. */
export function createSharedLimits(
  store: SharedStore | undefined,
  { config, counters, replica, metrics }: SharedLimitsContext,
): SharedLimits | undefined {
  const { sharedStore: rules, shared } = config();
  if (store === undefined || rules === undefined || !shared.has("limits")) return undefined;
  return new SharedLimits({
    store,
    counters,
    clock: systemClock,
    newId,
    replica,
    policy: () => config().sharedStore?.onFailure ?? rules.onFailure,
    metrics: new SharedLimitsMetrics(metrics.registry),
  });
}

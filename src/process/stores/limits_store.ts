/** Connects the gateway to the limits store that the configuration names. */

import type { Config } from "../../config/config.ts";
import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { LimitsStore } from "../../governance/shared_limits/shared_limits.ts";
import { SCRIPTS } from "../../governance/shared_limits/scripts.ts";
import type { Counters } from "../../governance/counters.ts";
import { LimitsStoreMetrics } from "../../telemetry/limits_store_metrics.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { logMessage } from "../system/stdio.ts";

/** What a limits store needs from its gateway. */
export interface LimitsStoreContext {
  readonly config: () => Config;
  readonly counters: Counters;
  /** The ID of this process. */
  readonly replica: string;
  readonly metrics: Metrics;
}

/** The limits store of the configuration at startup; undefined if replicas share no limits. */
export function createLimitsStore(
  { config, counters, replica, metrics }: LimitsStoreContext,
): LimitsStore | undefined {
  const { limitsStore: rules, shared } = config();
  if (rules === undefined || !shared.has("limits")) return undefined;
  return new LimitsStore({
    async open(signal) {
      // The client is loaded only here: it is larger than all other code of limits.
      const { openClient } = await import("../../shared_store/client.ts");
      return await openClient(rules, SCRIPTS, signal);
    },
    name: `${rules.host}:${rules.port}`,
    counters,
    clock: systemClock,
    newId,
    replica,
    policy: () => config().limitsStore?.onFailure ?? rules.onFailure,
    log: logMessage,
    metrics: new LimitsStoreMetrics(metrics.registry),
  });
}

/** Connects the breakers and keys of a worker with those of other workers and replicas. */

import type { Config } from "../../config/config.ts";
import { systemClock } from "../../core/clock.ts";
import type { SharedStore } from "../../shared_store/shared_store.ts";
import { HealthExchange } from "../../routing/health_exchange/exchange.ts";
import type { State } from "../../routing/state.ts";

/** What an exchange needs from its gateway. */
export interface HealthExchangeContext {
  readonly config: () => Config;
  readonly state: State;
}

/** The exchange over the shared store; undefined if replicas do not share breakers. */
export function createHealthExchange(
  store: SharedStore | undefined,
  { config, state }: HealthExchangeContext,
): HealthExchange | undefined {
  const { sharedStore: rules, shared } = config();
  if (store === undefined || rules === undefined || !shared.has("breakers")) return undefined;
  return new HealthExchange({
    store,
    clock: systemClock,
    state,
    config,
    secret: rules.password ?? "",
  });
}

/** Connects the breakers and keys of a worker with those of other workers and replicas. */

import type { Config } from "../../config/config.ts";
import { systemClock } from "../../core/clock.ts";
import { StoreOutage } from "../../shared_store/outage.ts";
import type { Counters } from "../../governance/counters.ts";
import { type ExchangeReply, HealthExchange } from "../../routing/health_exchange/exchange.ts";
import { EXCHANGE_SCRIPTS } from "../../routing/health_exchange/script.ts";
import type { State } from "../../routing/state.ts";
import { logMessage } from "../system/stdio.ts";

/** What an exchange needs from its gateway. */
export interface HealthExchangeContext {
  readonly config: () => Config;
  readonly state: State;
  readonly counters: Counters;
}

/** The exchange of the configuration at startup; undefined if replicas do not share breakers. */
export function createHealthExchange(
  { config, state, counters }: HealthExchangeContext,
): HealthExchange | undefined {
  const { limitsStore: rules, shared } = config();
  if (rules === undefined || !shared.has("breakers")) return undefined;
  const { host, port } = rules;
  // The store of limits logs its own failures.
  const log = shared.has("limits") ? () => {} : logMessage;
  const outage = new StoreOutage(counters, "health exchange: workers without it", log);
  return new HealthExchange({
    async open(signal) {
      // The client is loaded only here: it is larger than all other code of the exchange.
      const { openClient } = await import("../../shared_store/client.ts");
      return await openClient<"exchange", string | number, ExchangeReply>(
        rules,
        EXCHANGE_SCRIPTS,
        signal,
      );
    },
    clock: systemClock,
    state,
    config,
    secret: rules.password ?? "",
    onUp: () => outage.end(`the limits store ${host}:${port} works again`),
    onDown(reason) {
      outage.begin(`the limits store ${host}:${port} fails (${reason}): breakers are not shared`);
    },
  });
}

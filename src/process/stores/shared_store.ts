/** Connects a worker to the shared store that the configuration names, and creates what uses it. */

import type { Config } from "../../config/config.ts";
import { toServerName } from "../../config/shared_store.ts";
import { systemClock } from "../../core/clock.ts";
import type { InFlightMemory } from "../../core/in_flight_memory.ts";
import type { Counters } from "../../governance/counters.ts";
import type { SharedLimits } from "../../governance/shared_limits/shared_limits.ts";
import type { HealthExchange } from "../../routing/health_exchange/exchange.ts";
import type { MovedSessions } from "../../features/affinity/moved_sessions.ts";
import {
  shareAmongWorkers,
  type SharedMoves,
  StoredMoves,
} from "../../features/affinity/moved_exchange.ts";
import type { State } from "../../routing/state.ts";
import { SharedStore } from "../../shared_store/shared_store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { logMessage } from "../system/stdio.ts";
import { createHealthExchange } from "./health_exchange.ts";
import { createSharedLimits } from "./shared_limits.ts";
import { createStateStores, type StateStores } from "./state_stores.ts";

/** What the users of the store need from their gateway. */
export interface StoreUsersContext {
  readonly config: () => Config;
  readonly counters: Counters;
  readonly state: State;
  /** The sessions that are not where their hash says. */
  readonly moved: MovedSessions;
  /** The ID of this process. */
  readonly replica: string;
  readonly metrics: Metrics;
  /** The memory that stored answers are a part of. */
  readonly memory: InFlightMemory;
}

/** What is shared in the store, or would be. */
export interface StoreUsers {
  readonly states: StateStores;
  readonly limits: SharedLimits | undefined;
  readonly health: HealthExchange | undefined;
  readonly moves: SharedMoves | undefined;
}

/** Creates the users of the store that is configured at startup, and connects. */
export function createStoreUsers(context: StoreUsersContext): StoreUsers {
  const store = createSharedStore(context);
  const users = {
    states: createStateStores(store, { ...context, clock: systemClock }),
    limits: createSharedLimits(store, context),
    health: createHealthExchange(store, context),
    moves: createSharedMoves(store, context),
  };
  store?.start();
  return users;
}

/**
 * Where moved sessions are shared; undefined if there is no other worker and no store. Exported for
 * tests.
 */
export function createSharedMoves(
  store: SharedStore | undefined,
  { config, counters, moved }: Pick<StoreUsersContext, "config" | "counters" | "moved">,
): SharedMoves | undefined {
  const { hasAffinity } = config();
  if (store !== undefined && hasAffinity) return new StoredMoves(moved, store, systemClock);
  if (counters.maxWorkers === 1) return undefined;
  const open = () => new BroadcastChannel("sluice moved sessions");
  return shareAmongWorkers(moved, systemClock, open, hasAffinity);
}

function createSharedStore({ config, counters }: StoreUsersContext): SharedStore | undefined {
  const { sharedStore: rules } = config();
  if (rules === undefined) return undefined;
  return new SharedStore({
    async open(scripts, signal) {
      // The client is loaded only here, since it is large.
      if (rules.cluster !== undefined) {
        const { openCluster } = await import("../../shared_store/cluster_client.ts");
        return await openCluster({ server: rules, scripts, clock: systemClock }, signal);
      }
      const { openClient } = await import("../../shared_store/client.ts");
      return await openClient(rules, scripts, signal);
    },
    name: toServerName(rules),
    clock: systemClock,
    counters,
    log: logMessage,
  });
}

/** Connects a worker to the configured shared store, and creates the users of the store. */

import { HOLD_MS } from "../../alerts/alerts.ts";
import { AlertClaims } from "../../alerts/claims.ts";
import type { Config } from "../../config/config.ts";
import { toServerName } from "../../config/shared_store.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { InFlightMemory, MemoryAccount } from "../../core/in_flight_memory.ts";
import type { Counters } from "../../governance/counters.ts";
import { SharedLimits } from "../../governance/shared_limits/shared_limits.ts";
import { HealthExchange } from "../../gateway/health_exchange/exchange.ts";
import type { MovedSessions } from "../../features/affinity/moved_sessions.ts";
import {
  shareAmongWorkers,
  type SharedMoves,
  StoredMoves,
} from "../../features/affinity/moved_exchange.ts";
import type { State } from "../../gateway/state.ts";
import { SharedStore } from "../../memory/shared_store/shared_store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { logMessage } from "../system/stdio.ts";
import { newId, randomBytes } from "../../core/ids.ts";
import { SharedLimitsMetrics, SharedStateMetrics } from "../../telemetry/shared_metrics.ts";
import { StoreEntries } from "../../memory/store_entries.ts";
import { EntryCipher } from "../../memory/entry_cipher.ts";
import {
  LayeredStore,
  type MemoryLimits,
  MemoryStore,
  type OnceStore,
  type StateSource,
  type StateStore,
} from "../../memory/store.ts";
import { SharedSource } from "../../memory/shared_source.ts";
import { UNSETTLED_LIMITS } from "../../gateway/execute/responses/unsettled.ts";
import { WorkerSource } from "../../memory/worker_source.ts";

/** The parts of a gateway that an exchange needs. */
interface HealthExchangeContext {
  readonly config: () => Config;
  readonly state: State;
}

/** The exchange over the shared store; undefined if replicas do not share breakers. */
function createHealthExchange(
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

/** The parts of a gateway that shared limits need. */
interface SharedLimitsContext {
  readonly config: () => Config;
  readonly counters: Counters;
  /** The ID of this process. */
  readonly replica: string;
  readonly metrics: Metrics;
}

/** The limits in the shared store; undefined if replicas do not share them. */
function createSharedLimits(
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
    metrics: new SharedLimitsMetrics(metrics.meter),
  });
}

/** The stores of one worker. */
interface StateStores {
  /** Reasoning state that does not fit into IDs. */
  readonly reasoning: StateStore;
  /** Answers of the Responses API. */
  readonly answers: StateStore;
  /** The charges for unfinished answers of vendors. */
  readonly unsettled: OnceStore;
  /** Answers that the response cache reuses. */
  readonly cache: StateStore;
  /** Whether there are no entries, including entries queued for other replicas. */
  readonly isEmpty: boolean;
  /** Sends queued entries to other replicas, and disconnects. */
  close(): Promise<void>;
}

interface StateStoresOptions {
  readonly config: () => Config;
  /** The number of workers, which have equal shares of the memory. */
  readonly counters: Pick<Counters, "workers" | "threads" | "maxWorkers">;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The memory that accounts for stored answers. */
  readonly memory: InFlightMemory;
}

/** The maximum size of queued values, for each memory of the process, in bytes. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;

/** A memory: its name, its limits, and the entries of this worker. */
interface Memory {
  readonly name: string;
  readonly limits: () => MemoryLimits;
  readonly local: MemoryStore;
  /** The same as in {@linkcode SharedSourceOptions}. */
  readonly isCache?: boolean;
}

/**
 * Creates the stores. Exported for tests.
 *
 * @param store the store in which replicas share entries, if any
 */
export function createStateStores(
  store: SharedStore | undefined,
  options: StateStoresOptions,
): StateStores {
  const { config, clock } = options;
  const server = () => config().server;
  const reasoning = createMemory("reasoning_state", clock, () => server().reasoning_state.memory);
  const account = options.memory.accountFor("stored", () => server().max_in_flight_bytes);
  const answers = createMemory("responses", clock, () => server().responses_memory, account);
  const unsettled = createMemory("unsettled", clock, () => ({
    ...UNSETTLED_LIMITS,
    bytes: UNSETTLED_LIMITS.bytes / options.counters.workers,
  }));
  const cache = createMemory("response_cache", clock, () => ({
    bytes: server().response_cache.size,
    ttlMs: config().cacheTtlMs,
  }));
  const isShared = store !== undefined && config().server.reasoning_state.key !== undefined;
  const sharing = isShared ? new Sharing(store, options) : undefined;
  return {
    reasoning: createStore(reasoning, options, sharing),
    answers: createStore(answers, options, sharing),
    unsettled: createStore(unsettled, options, sharing),
    cache: createStore({ ...cache, isCache: true }, options, sharing),
    get isEmpty() {
      return [reasoning, answers, unsettled].every(({ local }) => local.isEmpty) &&
        (sharing?.isEmpty ?? true);
    },
    close: () => sharing?.close() ?? Promise.resolve(),
  };
}

/** How long the response cache waits for other workers, in milliseconds. */
const CACHE_WAIT_MS = 50;

function createMemory(
  name: string,
  clock: Clock,
  limits: () => MemoryLimits,
  account?: MemoryAccount,
): Memory {
  return { name, limits, local: new MemoryStore(limits, () => clock.now(), account) };
}

function createStore(
  memory: Memory,
  { counters, clock }: StateStoresOptions,
  sharing: Sharing | undefined,
): OnceStore & StateStore {
  const { name, local, isCache = false } = memory;
  const sources: StateSource[] = [];
  if (counters.maxWorkers > 1) {
    const channel = new BroadcastChannel(`sluice ${name}`);
    const others = () => counters.threads - 1;
    sources.push(
      new WorkerSource({
        ...{ local, channel, others, clock, newId },
        // If a cache lookup does not finish in time, the vendor is called.
        ...(isCache && { waitMs: CACHE_WAIT_MS }),
      }),
    );
  }
  if (sharing !== undefined) sources.push(sharing.source(memory));
  return sources.length === 0 ? local : new LayeredStore(local, sources);
}

/** The entries that replicas share. */
class Sharing {
  readonly #options: StateStoresOptions;
  readonly #entries: StoreEntries;
  readonly #metrics: SharedStateMetrics;
  readonly #sources: SharedSource[] = [];
  #cipher: { readonly key: Uint8Array; readonly cipher: EntryCipher } | undefined;

  constructor(store: SharedStore, options: StateStoresOptions) {
    this.#options = options;
    const metrics = this.#metrics = new SharedStateMetrics(options.metrics.meter);
    this.#entries = new StoreEntries({
      store,
      clock: options.clock,
      onChange: (isUp) => {
        metrics.isUp(isUp);
        if (isUp) { for (const source of this.#sources) void source.flush(); }
      },
    });
  }

  get isEmpty(): boolean {
    return this.#sources.every(({ isEmpty }) => isEmpty);
  }

  source({ name, limits, local, isCache = false }: Memory): SharedSource {
    const { clock, counters } = this.#options;
    const source = new SharedSource({
      memory: name,
      isCache,
      local,
      entries: this.#entries.entries(name),
      cipher: () => this.#currentCipher(),
      limits: () => ({ ...limits(), bytes: limits().bytes * counters.workers }),
      maxQueuedBytes: () => MAX_QUEUED_BYTES / counters.workers,
      clock,
      metrics: this.#metrics.of(name),
    });
    this.#sources.push(source);
    return source;
  }

  async close(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.close()));
    await this.#entries.close();
  }

  /** A reload of the configuration may change the key. */
  #currentCipher(): EntryCipher | undefined {
    const { key } = this.#options.config().server.reasoning_state;
    if (key === undefined) return undefined;
    if (this.#cipher?.key !== key) {
      this.#cipher = { key, cipher: new EntryCipher(key, randomBytes) };
    }
    return this.#cipher.cipher;
  }
}

/** The parts of a gateway that the users of the store need. */
interface StoreUsersContext {
  readonly config: () => Config;
  readonly counters: Counters;
  readonly state: State;
  /** The sessions that have moved from the target of their hash. */
  readonly moved: MovedSessions;
  /** The ID of this process. */
  readonly replica: string;
  /** Whether this worker reads the conditions of alerts. */
  readonly hasAlerts: boolean;
  readonly metrics: Metrics;
  /** The memory that accounts for stored answers. */
  readonly memory: InFlightMemory;
}

/** The kinds of data that are or could be shared in the store. */
interface StoreUsers {
  readonly states: StateStores;
  readonly limits: SharedLimits | undefined;
  readonly health: HealthExchange | undefined;
  readonly moves: SharedMoves | undefined;
  readonly claims: AlertClaims | undefined;
}

/** Creates the users of the store that is configured at startup, and connects to it. */
export function createStoreUsers(context: StoreUsersContext): StoreUsers {
  const store = createSharedStore(context);
  const users = {
    states: createStateStores(store, { ...context, clock: systemClock }),
    limits: createSharedLimits(store, context),
    health: createHealthExchange(store, context),
    moves: createSharedMoves(store, context),
    claims: store && context.hasAlerts
      ? new AlertClaims(store, context.replica, HOLD_MS)
      : undefined,
  };
  store?.start();
  return users;
}

/**
 * The exchange of moved sessions; undefined if there are no other workers and no store. Exported
 * for tests.
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
        const { openCluster } = await import("../../memory/shared_store/cluster_client.ts");
        return await openCluster({ server: rules, scripts, clock: systemClock }, signal);
      }
      const { openClient } = await import("../../memory/shared_store/client.ts");
      return await openClient(rules, scripts, signal);
    },
    name: toServerName(rules),
    clock: systemClock,
    counters,
    log: logMessage,
  });
}

/** The memories for reasoning state and answers, which workers and replicas share. */

import type { Config } from "../../config/config.ts";
import type { SharedStore } from "../../shared_store/shared_store.ts";
import type { Clock } from "../../core/clock.ts";
import type { InFlightMemory, MemoryAccount } from "../../core/in_flight_memory.ts";
import type { Counters } from "../../governance/counters.ts";
import { newId, randomBytes } from "../../core/ids.ts";
import { StoreEntries } from "../../memory/store_entries.ts";
import { EntryCipher } from "../../memory/entry_cipher.ts";
import { LayeredStore, type StateSource } from "../../memory/layered_store.ts";
import { SharedSource } from "../../memory/shared_source.ts";
import {
  type MemoryLimits,
  MemoryStore,
  type OnceStore,
  type StateStore,
} from "../../memory/store.ts";
import { UNSETTLED_LIMITS } from "../../operations/responses/unsettled.ts";
import { WorkerSource } from "../../memory/worker_source.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { SharedStateMetrics } from "../../telemetry/shared_state_metrics.ts";

/** The stores of one worker. */
export interface StateStores {
  /** Reasoning state that does not fit into ids. */
  readonly reasoning: StateStore;
  /** Answers of the Responses API. */
  readonly answers: StateStore;
  /** What was charged for answers of vendors that were not finished. */
  readonly unsettled: OnceStore;
  /** Answers that the response cache uses again. */
  readonly cache: StateStore;
  /** Whether there are no entries, and none wait to be sent to other replicas. */
  readonly isEmpty: boolean;
  /** Sends queued entries to other replicas, and disconnects. */
  close(): Promise<void>;
}

export interface StateStoresOptions {
  readonly config: () => Config;
  /** Holds the number of workers, which have equal shares of the memory. */
  readonly counters: Pick<Counters, "workers" | "threads" | "maxWorkers">;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The memory that stored answers are a part of. */
  readonly memory: InFlightMemory;
}

/** The maximum size of values that wait to be written, for each memory of the process, in bytes. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;

/** A memory: its name, and the limits and the entries of this worker. */
interface Memory {
  readonly name: string;
  readonly limits: () => MemoryLimits;
  readonly local: MemoryStore;
  /** As in {@linkcode SharedSourceOptions}. */
  readonly isCache?: boolean;
}

/** @param store where replicas share entries, if they do */
export function createStateStores(
  store: SharedStore | undefined,
  options: StateStoresOptions,
): StateStores {
  const { config, clock } = options;
  const server = () => config().server;
  const reasoning = createMemory("reasoning_state", clock, () => server().reasoningState.memory);
  const account = options.memory.accountFor("stored", () => server().maxInFlightBytes);
  const answers = createMemory("responses", clock, () => server().responsesMemory, account);
  const unsettled = createMemory("unsettled", clock, () => ({
    ...UNSETTLED_LIMITS,
    bytes: UNSETTLED_LIMITS.bytes / options.counters.workers,
  }));
  const cache = createMemory("response_cache", clock, () => ({
    bytes: server().responseCacheBytes,
    ttlMs: config().cacheTtlMs,
  }));
  const isShared = store !== undefined && config().server.reasoningState.key !== undefined;
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
        // What a cache does not find in time is asked from a vendor.
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
    const metrics = this.#metrics = new SharedStateMetrics(options.metrics.registry);
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
    const { key } = this.#options.config().server.reasoningState;
    if (key === undefined) return undefined;
    if (this.#cipher?.key !== key) {
      this.#cipher = { key, cipher: new EntryCipher(key, randomBytes) };
    }
    return this.#cipher.cipher;
  }
}

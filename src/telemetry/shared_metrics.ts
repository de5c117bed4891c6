/**
 * The metrics of reasoning state and answers that replicas share. They exist only if the state is
 * shared.
 */

import { Gauge, type Registry } from "./prom_client.ts";
import { Counter, Histogram } from "./series.ts";
import type { StoreFailure } from "../memory/shared_store/connection.ts";
import type { DropReason, LookupResult, SharedSourceMetrics } from "../memory/shared_source.ts";

/** Bucket boundaries in seconds. A request waits at most 50 ms. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05];

export class SharedLimitsMetrics {
  readonly #isUp: Gauge;
  readonly #errors: Counter<"reason">;
  readonly #seconds: Histogram;
  readonly #dropped: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#isUp = new Gauge({
      name: "sluice_limits_store_up",
      help: "1 while every worker is connected to the shared store",
      aggregator: "min",
      registers,
    });
    this.#errors = new Counter(registry, {
      name: "sluice_limits_store_errors_total",
      help: "Failures of the shared store: no reply in time, no connection, or an error as a reply",
      labels: ["reason"],
    });
    this.#seconds = new Histogram(registry, {
      name: "sluice_limits_store_seconds",
      help: "Seconds until the shared store replied",
      bounds: BUCKETS,
    });
    this.#dropped = new Counter(registry, {
      name: "sluice_limits_store_settlements_dropped_total",
      help: "Costs of requests that the shared store never learned because it was gone too long",
    });
  }

  storeIsUp(isUp: boolean): void {
    this.#isUp.set(isUp ? 1 : 0);
  }

  storeFailed(reason: StoreFailure): void {
    this.#errors.add(1, reason);
  }

  storeReplied(ms: number): void {
    this.#seconds.of().observe(ms / 1000);
  }

  settlementsDropped(count: number): void {
    this.#dropped.add(count);
  }
}

export class SharedStateMetrics {
  readonly #isUp: Gauge;
  readonly #lookups: Counter<"memory" | "result">;
  readonly #writes: Counter<"memory">;
  readonly #dropped: Counter<"memory" | "reason">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#isUp = new Gauge({
      name: "sluice_shared_state_up",
      help: "1 while every worker is connected to the store of shared state",
      aggregator: "min",
      registers,
    });
    this.#lookups = new Counter(registry, {
      name: "sluice_shared_state_lookups_total",
      help: "Entries that no worker of this process had, by what the shared store replied",
      labels: ["memory", "result"],
    });
    this.#writes = new Counter(registry, {
      name: "sluice_shared_state_writes_total",
      help: "Entries that were written to the shared store",
      labels: ["memory"],
    });
    this.#dropped = new Counter(registry, {
      name: "sluice_shared_state_dropped_total",
      help: "Entries that were not written to the shared store, by reason",
      labels: ["memory", "reason"],
    });
  }

  isUp(isUp: boolean): void {
    this.#isUp.set(isUp ? 1 : 0);
  }

  /** Counts the operations on the entries of one memory. */
  of(memory: string): SharedSourceMetrics {
    return {
      lookedUp: (result: LookupResult, count) => this.#lookups.add(count, memory, result),
      written: () => this.#writes.add(1, memory),
      dropped: (reason: DropReason) => this.#dropped.add(1, memory, reason),
    };
  }
}

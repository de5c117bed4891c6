/**
 * The metrics for reasoning state and answers that replicas share. They exist only if state is
 * shared.
 */

import type { Gauge } from "./prom_client.ts";
import type { Counter, Histogram, Meter } from "./series.ts";
import type { StoreFailure } from "../memory/shared_store/connection.ts";
import type { DropReason, LookupResult, SharedSourceMetrics } from "../memory/shared_source.ts";

/** Bucket boundaries in seconds. A request waits at most 50 ms. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05];

export class SharedLimitsMetrics {
  readonly #isUp: Gauge;
  readonly #errors: Counter<"reason">;
  readonly #seconds: Histogram;
  readonly #dropped: Counter;

  constructor(meter: Meter) {
    this.#isUp = meter.gauge(
      "sluice_limits_store_up",
      "1 while every worker is connected to the shared store",
      [],
      "min",
    );
    this.#errors = meter.counter(
      "sluice_limits_store_errors_total",
      "Failures of the shared store: no reply in time, no connection, or an error as a reply",
      ["reason"],
    );
    this.#seconds = meter.histogram(
      "sluice_limits_store_seconds",
      "Seconds until the shared store replied",
      BUCKETS,
    );
    this.#dropped = meter.counter(
      "sluice_limits_store_settlements_dropped_total",
      "Costs of requests that were never sent to the shared store because it was down for too long",
    );
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

  constructor(meter: Meter) {
    this.#isUp = meter.gauge(
      "sluice_shared_state_up",
      "1 while every worker is connected to the store of shared state",
      [],
      "min",
    );
    this.#lookups = meter.counter(
      "sluice_shared_state_lookups_total",
      "Entries that no worker of this process had, by what the shared store replied",
      ["memory", "result"],
    );
    this.#writes = meter.counter(
      "sluice_shared_state_writes_total",
      "Entries that were written to the shared store",
      ["memory"],
    );
    this.#dropped = meter.counter(
      "sluice_shared_state_dropped_total",
      "Entries that were not written to the shared store, by reason",
      ["memory", "reason"],
    );
  }

  isUp(isUp: boolean): void {
    this.#isUp.set(isUp ? 1 : 0);
  }

  /** Counts the operations on one memory's entries. */
  of(memory: string): SharedSourceMetrics {
    return {
      lookedUp: (result: LookupResult, count) => this.#lookups.add(count, memory, result),
      written: () => this.#writes.add(1, memory),
      dropped: (reason: DropReason) => this.#dropped.add(1, memory, reason),
    };
  }
}

/**
 * The metrics of reasoning state and answers that replicas share. They exist only if the state is
 * shared.
 */

import type { DropReason, LookupResult, SharedSourceMetrics } from "../memory/shared_source.ts";
import { Gauge, type Registry } from "./prom_client.ts";
import { Counter } from "./series.ts";

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

  /** Counts what happens to the entries of one memory. */
  of(memory: string): SharedSourceMetrics {
    return {
      lookedUp: (result: LookupResult, count) => this.#lookups.add(count, memory, result),
      written: () => this.#writes.add(1, memory),
      dropped: (reason: DropReason) => this.#dropped.add(1, memory, reason),
    };
  }
}

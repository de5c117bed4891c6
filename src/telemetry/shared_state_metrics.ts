/**
 * The metrics of reasoning state and answers that replicas share. They exist only if the state is
 * shared.
 */

import type { DropReason, LookupResult, SharedSourceMetrics } from "../memory/shared_source.ts";
import { Counter, Gauge, type Registry } from "./prom_client.ts";

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
    this.#lookups = new Counter({
      name: "sluice_shared_state_lookups_total",
      help: "Entries that no worker of this process had, by what the shared store replied",
      labelNames: ["memory", "result"],
      registers,
    });
    this.#writes = new Counter({
      name: "sluice_shared_state_writes_total",
      help: "Entries that were written to the shared store",
      labelNames: ["memory"],
      registers,
    });
    this.#dropped = new Counter({
      name: "sluice_shared_state_dropped_total",
      help: "Entries that were not written to the shared store, by reason",
      labelNames: ["memory", "reason"],
      registers,
    });
  }

  isUp(isUp: boolean): void {
    this.#isUp.set(isUp ? 1 : 0);
  }

  /** Counts what happens to the entries of one memory. */
  of(memory: string): SharedSourceMetrics {
    return {
      lookedUp: (result: LookupResult, count) => this.#lookups.inc({ memory, result }, count),
      written: () => this.#writes.inc({ memory }),
      dropped: (reason: DropReason) => this.#dropped.inc({ memory, reason }),
    };
  }
}

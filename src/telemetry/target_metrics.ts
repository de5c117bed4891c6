/** The statistics of targets that balance requests, as the state of the process has them. */

import { Gauge, type Registry } from "./prom_client.ts";
import type { TargetGauge } from "../routing/state.ts";

const LABELS = ["provider", "model"] as const;

/** The gauges of targets. */
export class TargetMetrics {
  readonly #inFlight: Gauge<(typeof LABELS)[number]>;
  readonly #firstContent: Gauge<(typeof LABELS)[number]>;
  readonly #failures: Gauge<(typeof LABELS)[number]>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#inFlight = new Gauge({
      name: "sluice_target_in_flight",
      help: "Open attempts at a target",
      labelNames: LABELS,
      registers,
    });
    this.#firstContent = new Gauge({
      name: "sluice_target_first_content_seconds",
      help: "Recent mean time to a stream's first content",
      labelNames: LABELS,
      aggregator: "average",
      registers,
    });
    this.#failures = new Gauge({
      name: "sluice_target_failure_share",
      help: "Recent share of a target's streams that failed, from 0 to 1",
      labelNames: LABELS,
      aggregator: "average",
      registers,
    });
  }

  /** Replaces all values. */
  set(targets: Iterable<TargetGauge>): void {
    // Removes targets that are no longer configured.
    for (const gauge of [this.#inFlight, this.#firstContent, this.#failures]) gauge.reset();
    for (const { provider, model, inFlight, firstContentMs, failureShare } of targets) {
      const target = { provider, model };
      this.#inFlight.set(target, inFlight);
      if (firstContentMs !== undefined) this.#firstContent.set(target, firstContentMs / 1000);
      if (failureShare !== undefined) this.#failures.set(target, failureShare);
    }
  }
}

/** The metrics of all workers together. */

import { type MetricsSnapshot, printSum, sumSnapshots } from "../../telemetry/aggregate_metrics.ts";

export class WorkerMetrics {
  readonly #read: () => Promise<readonly MetricsSnapshot[]>;
  /** The sum of the counters of workers that have exited. */
  #exited: MetricsSnapshot = [];
  /** The metrics that are being gathered, and the next ones. */
  #gathering: Promise<string> | undefined;
  #nextGathering: Promise<string> | undefined;

  /** @param read returns the metrics of each worker; never rejects */
  constructor(read: () => Promise<readonly MetricsSnapshot[]>) {
    this.#read = read;
  }

  /** Keeps the counters of a worker that has exited: their sums must not decrease. */
  keep(counters: MetricsSnapshot): void {
    this.#exited = sumSnapshots([this.#exited, counters]);
  }

  /** The sums, in the text format of Prometheus. Concurrent calls share a result. */
  gather(): Promise<string> {
    if (this.#gathering === undefined) {
      this.#gathering = this.#gather().finally(() => this.#gathering = undefined);
      return this.#gathering;
    }
    // The metrics that are being gathered may be older than this call.
    this.#nextGathering ??= this.#gathering.finally(() => this.#nextGathering = undefined).then(
      () => this.gather(),
    );
    return this.#nextGathering;
  }

  async #gather(): Promise<string> {
    const running = await this.#read();
    return await printSum([...running, this.#exited]);
  }
}

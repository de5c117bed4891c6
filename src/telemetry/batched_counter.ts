/** A counter whose increments are added up until the next scrape. */

import { Counter, type Registry } from "./prom_client.ts";

interface Pending {
  readonly values: readonly string[];
  sum: number;
}

/**
 * Counts as a `Counter` of prom-client does, which builds a text of all labels for each increment:
 * that takes several times as long as this map.
 */
export class BatchedCounter<Label extends string> {
  readonly #labels: readonly Label[];
  readonly #unit: number;
  readonly #counter: Counter<Label>;
  /** By the values of the labels. An entry stays for the next increments. */
  readonly #pending = new Map<string, Pending>();

  /** @param unit how much of what is added is 1 of the counter */
  constructor(
    registry: Registry,
    name: string,
    help: string,
    labels: readonly Label[],
    unit = 1,
  ) {
    this.#labels = labels;
    this.#unit = unit;
    this.#counter = new Counter({ name, help, labelNames: labels, registers: [registry] });
  }

  /** @param values of the labels, in their order */
  add(amount: number, ...values: readonly string[]): void {
    const id = values.join("\0");
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#pending.set(id, { values, sum: amount });
    else pending.sum += amount;
  }

  /** Moves what was added to the registry. */
  flush(): void {
    for (const pending of this.#pending.values()) {
      if (pending.sum === 0) continue;
      const labels = this.#labels.map((label, index) => [label, pending.values[index] ?? ""]);
      this.#counter.inc(Object.fromEntries(labels), pending.sum / this.#unit);
      pending.sum = 0;
    }
  }
}

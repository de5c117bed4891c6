/** Counters of budgets whose earlier spending was read from the ledger. */

import { ledgerCounter } from "../counter_names.ts";
import { type Counters, NoCounterError } from "../counters.ts";

export class RestoredCounters {
  readonly #counters: Counters;
  readonly #names = new Set<string>();

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Whether the spending of a counter has been restored. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The names of the restored counters. */
  get names(): Iterable<string> {
    return this.#names;
  }

  /**
   * Adds what the ledger has to a counter. After the start, the ledger also includes what the counter
   * has counted. Only the difference is added, such as spending without the budget.
   *
   * @param amount nano-dollars
   * @param isStart whether no row of this run has been written
   * @returns false while every counter is in use: requests that need it are refused then
   */
  restore(name: string, period: number, amount: number, isStart: boolean): boolean {
    // The second counter is for a shared store that has lost the budget.
    const names = [name, ledgerCounter(name)];
    const used: string[] = [];
    try {
      for (const counter of names) {
        const slot = this.#counters.slotOf(counter);
        used.push(counter);
        const known = isStart ? 0 : this.#counters.spent(slot, period);
        this.#counters.spend(slot, period, Math.max(0, amount - known), Infinity);
      }
      if (this.#names.has(name)) this.#release(names);
      this.#names.add(name);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof NoCounterError)) throw thrown;
      this.#release(used);
      return false;
    }
  }

  /** Ends the use of a counter, which may then be reused. */
  release(name: string): void {
    if (!this.#names.delete(name)) return;
    this.#release([name, ledgerCounter(name)]);
  }

  #release(names: readonly string[]): void {
    for (const name of names) this.#counters.release(name);
  }
}

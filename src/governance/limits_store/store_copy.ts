/** What the limits store last said, in the counters of this process; and how it gets it back. */

import type { Clock } from "../../core/clock.ts";
import type { BudgetCounter } from "../admission.ts";
import type { Counters, Slot } from "../counters.ts";
import { ledgerCounter } from "../counter_names.ts";
import type { LimitsState } from "./batch.ts";
import { budgetKey, lifetimeOf, type ScriptCall } from "./commands.ts";
import type { StoreClient } from "./connection.ts";
import { keyOf } from "./scripts.ts";

/** Counters that are restored by one call, at most. */
const RESTORED_AT_ONCE = 500;

export class StoreCopy {
  readonly #counters: Counters;
  readonly #clock: Clock;
  /** The buckets that were used, by name. Bounded, as names are those of keys and models. */
  readonly #buckets = new Map<string, Slot>();
  /** What was last spent of each budget, in micro-dollars, by name. */
  readonly #budgets = new Map<string, { readonly budget: BudgetCounter; readonly spent: number }>();
  /** The store's time minus this machine's, in milliseconds. */
  #offset = 0;

  constructor(counters: Counters, clock: Clock) {
    this.#counters = counters;
    this.#clock = clock;
  }

  /** The time by the store's clock, in milliseconds since the Unix epoch. */
  wallTime(): number {
    return this.#clock.wallTime() + this.#offset;
  }

  /** @param now the store's time, in microseconds */
  setTime(now: number): void {
    this.#offset = now / 1000 - this.#clock.wallTime();
  }

  /**
   * Copies the state of some limits into the counters of the process.
   *
   * @returns a call that gives the store what the ledger has of the budget, if that is more
   */
  learn({ limits: { buckets, budget }, state }: LimitsState): ScriptCall | undefined {
    const localNow = Math.floor(this.#clock.now() * 1000);
    for (const [index, { name, slot }] of buckets.entries()) {
      this.#counters.setFillTime(slot, state[index] ?? 0, localNow);
      this.#buckets.set(name, slot);
    }
    if (budget === undefined) return undefined;
    const isNew = !this.#budgets.has(budget.name);
    const told = state[buckets.length] ?? 0;
    const spent = isNew ? Math.max(told, this.#inLedger(budget)) : told;
    this.#counters.setSpent(budget.slot, budget.period, spent);
    this.#budgets.set(budget.name, { budget, spent });
    if (spent === told) return undefined;
    const args = [0, spent, lifetimeOf(budget, this.wallTime())];
    return { keys: [budgetKey(budget)], args };
  }

  /** What the ledger had of a budget when the process started, in micro-dollars. */
  #inLedger({ name, period }: BudgetCounter): number {
    return this.#counters.spent(this.#counters.slotOf(ledgerCounter(name)), period);
  }

  /** Gives a server that may have lost its data what this process last knew. */
  async restore(client: StoreClient): Promise<void> {
    const now = Math.floor(this.#clock.now() * 1000);
    const fills = [...this.#buckets].map(([name, slot]) =>
      [keyOf(name), this.#counters.fillTime(slot, now)] as const
    ).filter(([, fill]) => fill > 0);
    for (let at = 0; at < fills.length; at += RESTORED_AT_ONCE) {
      const some = fills.slice(at, at + RESTORED_AT_ONCE);
      const args = [some.length, ...some.map(([, fill]) => fill)];
      await client.run("restore", some.map(([key]) => key), args);
    }
    const wallTime = this.wallTime();
    const budgets = [...this.#budgets.values()];
    for (let at = 0; at < budgets.length; at += RESTORED_AT_ONCE) {
      const some = budgets.slice(at, at + RESTORED_AT_ONCE);
      const args = some.flatMap(({ budget, spent }) => [spent, lifetimeOf(budget, wallTime)]);
      await client.run("restore", some.map(({ budget }) => budgetKey(budget)), [0, ...args]);
    }
  }
}

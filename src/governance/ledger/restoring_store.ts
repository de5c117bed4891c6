/**
 * Restores budgets after a restart: what keys have spent in the running periods is in the ledger.
 * Until it has been read, no row is written, so that none is counted twice.
 */

import { type BudgetPeriod, periodNumber, periodStart } from "../../core/budget_period.ts";
import type { Clock } from "../../core/clock.ts";
import { MICRO_USD } from "../cost.ts";
import { budgetCounter, ledgerCounter } from "../counter_names.ts";
import type { Counters } from "../counters.ts";
import type { LedgerRow } from "./row.ts";
import { toName } from "./summary.ts";
import type {
  RequestPage,
  RequestQuery,
  UsageQuery,
  UsageStore,
  UsageSummary,
} from "./usage_store.ts";

/** The budget of a key. */
export interface KeyBudget {
  /** The name of the key. */
  readonly name: string;
  readonly per: BudgetPeriod;
}

export interface RestoringOptions {
  readonly counters: Counters;
  readonly clock: Clock;
  /** The budgets of all keys. */
  readonly budgets: () => Iterable<KeyBudget>;
}

export class RestoringStore implements UsageStore {
  readonly name: string;
  readonly maxBatchRows: number;
  readonly #store: UsageStore;
  readonly #options: RestoringOptions;
  /** The counters that have been restored. */
  readonly #restored = new Set<string>();
  #isComplete = false;
  #restoring: Promise<void> | undefined;

  constructor(store: UsageStore, options: RestoringOptions) {
    this.name = store.name;
    this.maxBatchRows = store.maxBatchRows;
    this.#store = store;
    this.#options = options;
  }

  /** Adds the spending in the ledger to the counters, once for each budget. */
  async restore(): Promise<void> {
    while (this.#isMissing) {
      this.#restoring ??= this.#restoreAll().finally(() => this.#restoring = undefined);
      await this.#restoring;
    }
  }

  /** Keys have changed: new budgets are restored as well, at the latest with the next write. */
  onKeysChanged(): void {
    this.#isComplete = false;
    this.restore().catch(() => {});
  }

  async write(rows: readonly LedgerRow[], batch: string): Promise<void> {
    if (this.#isMissing) await this.restore();
    await this.#store.write(rows, batch);
  }

  summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    return this.#store.summarize(query);
  }

  list(query: RequestQuery): Promise<RequestPage> {
    return this.#store.list(query);
  }

  prune(before: number): Promise<boolean> {
    return this.#store.prune(before);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  get #isMissing(): boolean {
    return !this.#isComplete || this.#restoring !== undefined;
  }

  async #restoreAll(): Promise<void> {
    const { budgets, clock, counters } = this.#options;
    // A change of keys during the queries is restored by another round.
    this.#isComplete = true;
    try {
      const missing = [...budgets()].filter((one) => !this.#restored.has(nameOf(one)));
      for (const per of new Set(missing.map((budget) => budget.per))) {
        const now = clock.wallTime();
        const spent = await this.#spentSince(periodStart(per, now), now);
        for (const budget of missing.filter((one) => one.per === per)) {
          const name = nameOf(budget);
          if (this.#restored.has(name)) continue;
          this.#restored.add(name);
          const amount = (spent.get(toName(budget.name)) ?? 0) * MICRO_USD;
          // The second one is for a server that shares limits and has lost the budget.
          for (const counter of [name, ledgerCounter(name)]) {
            counters.spend(counters.slotOf(counter), periodNumber(per, now), amount, Infinity);
          }
        }
      }
    } catch (thrown) {
      this.#isComplete = false;
      throw thrown;
    }
  }

  /** US dollars by the name of the key. */
  async #spentSince(from: number, now: number): Promise<ReadonlyMap<string, number>> {
    const groups = await this.#store.summarize({ from, to: now + 1, groupBy: ["key"] });
    return new Map(groups.map(({ group: [name], usd }) => [name ?? "", usd]));
  }
}

function nameOf({ name, per }: KeyBudget): string {
  return budgetCounter(per, name);
}

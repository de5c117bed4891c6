/**
 * Restores budgets after a restart: what keys and their end users have spent in the running periods is in the ledger.
 * Until it has been read, no row is written, so that none is counted twice.
 */

import { type BudgetPeriod, periodNumber, periodStart } from "../../core/budget_period.ts";
import type { Clock } from "../../core/clock.ts";
import { NANO_USD } from "../cost.ts";
import { budgetCounter } from "../counter_names.ts";
import type { Counters } from "../counters.ts";
import { RestoredCounters } from "./restored_counters.ts";
import { RestoredUsers, type UserBudgets } from "./restored_users.ts";
import type { LedgerRow } from "./row.ts";
import { toName } from "./summary.ts";
import type {
  RequestCountQuery,
  RequestCounts,
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
  /** The budgets of end users. */
  readonly userBudgets: () => readonly UserBudgets[];
}

export class RestoringStore implements UsageStore {
  readonly name: string;
  readonly maxBatchRows: number;
  readonly #store: UsageStore;
  readonly #options: RestoringOptions;
  /** The counters of existing budgets. */
  readonly #restored: RestoredCounters;
  readonly #users: RestoredUsers;
  /** Whether the budgets of the start are restored: until then no row of this run is written. */
  #hasStarted = false;
  #isComplete = false;
  #restoring: Promise<void> | undefined;

  constructor(store: UsageStore, options: RestoringOptions) {
    this.name = store.name;
    this.maxBatchRows = store.maxBatchRows;
    this.#store = store;
    this.#options = options;
    const { counters, clock } = options;
    this.#restored = new RestoredCounters(counters);
    this.#users = new RestoredUsers(store, counters, clock);
  }

  /** Adds the spending in the ledger to the counters, once for each budget. */
  async restore(): Promise<void> {
    while (this.#isMissing) {
      this.#restoring ??= this.#restoreAll().finally(() => this.#restoring = undefined);
      await this.#restoring;
    }
  }

  /** Keys have changed: new budgets are restored, too, at the latest with the next write. */
  onKeysChanged(): void {
    this.#isComplete = false;
    this.restore().catch(() => {});
  }

  async write(rows: readonly LedgerRow[], batch: string): Promise<void> {
    if (this.#isMissing) await this.restore();
    this.#users.prune();
    await this.#store.write(rows, batch);
  }

  summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    return this.#store.summarize(query);
  }

  list(query: RequestQuery): Promise<RequestPage> {
    return this.#store.list(query);
  }

  count(query: RequestCountQuery): Promise<RequestCounts> {
    return this.#store.count(query);
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
    const { budgets, clock } = this.#options;
    // If keys change during the queries, another round restores their budgets.
    this.#isComplete = true;
    try {
      const all = [...budgets()];
      this.#forget(new Set(all.map(nameOf)));
      const missing = all.filter((one) => !this.#restored.has(nameOf(one)));
      for (const per of new Set(missing.map((budget) => budget.per))) {
        const now = clock.wallTime();
        const spent = await this.#spentSince(periodStart(per, now), now);
        for (const budget of missing.filter((one) => one.per === per)) {
          const name = nameOf(budget);
          if (this.#restored.has(name)) continue;
          const usd = spent.get(toName(budget.name)) ?? 0;
          const amount = Math.round(usd * NANO_USD);
          this.#restored.restore(name, periodNumber(per, now), amount, !this.#hasStarted);
        }
      }
      await this.#users.restore(this.#options.userBudgets(), !this.#hasStarted);
      this.#hasStarted = true;
    } catch (thrown) {
      this.#isComplete = false;
      throw thrown;
    }
  }

  /** Removed budgets: their counters may be reused, and are restored if the budgets return. */
  #forget(names: ReadonlySet<string>): void {
    for (const name of this.#restored.names) {
      if (!names.has(name)) this.#restored.release(name);
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

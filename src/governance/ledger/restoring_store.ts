/**
 * Restores budgets after a restart: the ledger contains keys' and their end users' spending in the
 * current periods. No row is written until the ledger has been read, so that none is counted twice.
 */

import {
  type BudgetPeriod,
  nextPeriod,
  periodNumber,
  periodStart,
} from "../../core/budget_period.ts";
import type { Clock } from "../../core/clock.ts";
import { NANO_USD } from "../cost.ts";
import {
  budgetCounter,
  type Counters,
  ledgerCounter,
  NoCounterError,
  ownersBudget,
} from "../counters.ts";
import type { LedgerRow } from "./row.ts";
import { toName } from "./summary.ts";
import {
  type RequestCountQuery,
  type RequestCounts,
  type RequestPage,
  type RequestQuery,
  StoreError,
  type UsageQuery,
  type UsageStore,
  type UsageSummary,
} from "./usage_store.ts";
import type { EndUserRules } from "../../config/keys.ts";
import type { Budget } from "../../config/limits.ts";
import { OTHER_USERS, toOwner } from "../end_users.ts";
import { OTHER_LABELS } from "./labels.ts";

class RestoredCounters {
  readonly #counters: Counters;
  readonly #names = new Set<string>();

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Whether a counter's spending has been restored. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The names of the restored counters. */
  get names(): Iterable<string> {
    return this.#names;
  }

  /**
   * Adds the spending in the ledger to a counter. After startup, the ledger also includes the
   * counter's amounts, so only the difference is added, such as spending before the budget existed.
   *
   * @param amount nano-dollars
   * @param isStart whether no row from this run has been written
   * @returns false while every counter is in use; requests that need one are then rejected
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

  /** Releases a counter, which may then be reused. */
  release(name: string): void {
    if (!this.#names.delete(name)) return;
    this.#release([name, ledgerCounter(name)]);
  }

  #release(names: readonly string[]): void {
    for (const name of names) this.#counters.release(name);
  }
}

// Restores the budgets of keys' end users from the ledger after a restart: for those with the
// highest spending in the current period, up to the number of separate limits. All others share one
// total.

/** A key whose end users each have a budget. Exported for tests. */
export interface UserBudgets {
  /** The key's name. */
  readonly name: string;
  readonly rules: EndUserRules;
}

/** What a key's end user has spent of a budget, in US dollars. */
export interface SpentBudget extends Budget {
  readonly key: string;
  readonly user: string;
  readonly spent: number;
}

/** The rules in effect when a key's users were restored, and the end of the period. */
interface RestoredKey {
  readonly rules: EndUserRules;
  readonly until: number;
  readonly counters: ReadonlySet<string>;
}

class RestoredUsers {
  readonly #store: UsageStore;
  readonly #clock: Clock;
  readonly #counters: RestoredCounters;
  /** By key name. */
  readonly #keys = new Map<string, RestoredKey>();

  constructor(store: UsageStore, counters: Counters, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#counters = new RestoredCounters(counters);
  }

  /**
   * Adds the spending in the ledger to the counters, once for each configuration of a key.
   *
   * @param isStart whether no row from this run has been written
   */
  async restore(all: readonly UserBudgets[], isStart: boolean): Promise<void> {
    const names = new Set(all.map(({ name }) => name));
    for (const name of this.#keys.keys()) {
      if (!names.has(name)) this.#forget(name);
    }
    for (const one of all) {
      if (this.#keys.get(one.name)?.rules !== one.rules) await this.#restoreKey(one, isStart);
    }
  }

  /** Releases the counters for periods that have ended. */
  prune(): void {
    const now = this.#clock.wallTime();
    for (const [name, { until, ...known }] of this.#keys) {
      if (now < until || known.counters.size === 0) continue;
      for (const counter of known.counters) this.#counters.release(counter);
      this.#keys.set(name, { ...known, until: Infinity, counters: new Set() });
    }
  }

  async #restoreKey({ name: key, rules }: UserBudgets, isStart: boolean): Promise<void> {
    if (rules.budget === undefined) return;
    const { per } = rules.budget;
    const now = this.#clock.wallTime();
    const counters = new Set<string>();
    for (const [user, usd] of await spendingOfUsers(this.#store, key, per, now, rules.max)) {
      const counter = ownersBudget(per, toOwner({ name: key, endUser: user }).id);
      const amount = Math.round(usd * NANO_USD);
      if (!this.#counters.restore(counter, periodNumber(per, now), amount, isStart)) break;
      counters.add(counter);
    }
    for (const counter of this.#keys.get(key)?.counters ?? []) {
      if (!counters.has(counter)) this.#counters.release(counter);
    }
    this.#keys.set(key, { rules, until: nextPeriod(per, now) ?? Infinity, counters });
  }

  #forget(key: string): void {
    for (const counter of this.#keys.get(key)?.counters ?? []) this.#counters.release(counter);
    this.#keys.delete(key);
  }
}

/** A key's users with the highest spending in the current period, and the sum for the others. */
async function spendingOfUsers(
  store: Pick<UsageStore, "summarize">,
  key: string,
  per: BudgetPeriod,
  now: number,
  max: number,
): Promise<ReadonlyMap<string, number>> {
  const query = { from: periodStart(per, now), to: now + 1, key };
  const groups = await store.summarize({ ...query, groupBy: ["end_user"] });
  const users = new Map<string, number>();
  let others = 0;
  for (const { group: [user], usd } of groups.toSorted((one, other) => other.usd - one.usd)) {
    if (user === null || user === undefined || usd <= 0) continue;
    if (user === OTHER_LABELS || users.size === max) others += usd;
    else users.set(user, usd);
  }
  return others > 0 ? users.set(OTHER_USERS, others) : users;
}

/** A key's budget. Exported for tests. */
export interface KeyBudget {
  /** The key's name. */
  readonly name: string;
  readonly per: BudgetPeriod;
}

interface RestoringOptions {
  readonly counters: Counters;
  readonly clock: Clock;
  /** All keys' budgets. */
  readonly budgets: () => Iterable<KeyBudget>;
  /** End users' budgets. */
  readonly userBudgets: () => readonly UserBudgets[];
}

export class RestoringStore implements UsageStore {
  readonly name: string;
  readonly maxBatchRows: number;
  readonly #store: UsageStore;
  readonly #options: RestoringOptions;
  /** The counters for existing budgets. */
  readonly #restored: RestoredCounters;
  readonly #users: RestoredUsers;
  /**
   * Whether the initial budgets have been restored: until then, no row from this run is written.
   */
  #hasStarted = false;
  #isComplete = false;
  #restoring: Promise<void> | undefined;
  #isFailing = false;

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

  /**
   * Called when keys have changed: new budgets are also restored, at the latest by the next write.
   */
  onKeysChanged(): void {
    this.#isComplete = false;
    this.restore().catch(() => {});
  }

  /** Whether the last write failed because the store is unavailable. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  async write(rows: readonly LedgerRow[], batch: string): Promise<void> {
    try {
      if (this.#isMissing) await this.restore();
      this.#users.prune();
      await this.#store.write(rows, batch);
      this.#isFailing = false;
    } catch (thrown) {
      this.#isFailing = !(thrown instanceof StoreError && thrown.failure === "values");
      throw thrown;
    }
  }

  /**
   * The end users with budgets and the highest spending in the current period, up to a number per
   * key.
   */
  async userSpending(max: number): Promise<readonly SpentBudget[]> {
    const now = this.#options.clock.wallTime();
    const spent: SpentBudget[] = [];
    for (const { name: key, rules: { budget } } of this.#options.userBudgets()) {
      if (budget === undefined) continue;
      const users = await spendingOfUsers(this.#store, key, budget.per, now, max);
      for (const [user, usd] of users) {
        if (user !== OTHER_USERS) spent.push({ ...budget, key, user, spent: usd });
      }
    }
    return spent;
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

  /** US dollars by key name. */
  async #spentSince(from: number, now: number): Promise<ReadonlyMap<string, number>> {
    const groups = await this.#store.summarize({ from, to: now + 1, groupBy: ["key"] });
    return new Map(groups.map(({ group: [name], usd }) => [name ?? "", usd]));
  }
}

function nameOf({ name, per }: KeyBudget): string {
  return budgetCounter(per, name);
}

/**
 * The budgets of keys' end users after a restart: those who have spent the most in the running period
 * have it restored from the ledger, as many as have separate limits. Others have it together.
 */

import type { EndUserRules } from "../../config/keys.ts";
import { nextPeriod, periodNumber, periodStart } from "../../core/budget_period.ts";
import type { Clock } from "../../core/clock.ts";
import { NANO_USD } from "../cost.ts";
import { ownersBudget } from "../counter_names.ts";
import type { Counters } from "../counters.ts";
import { OTHER_USERS, toOwner } from "../end_users.ts";
import { OTHER_LABELS } from "./labels.ts";
import { RestoredCounters } from "./restored_counters.ts";
import type { UsageStore } from "./usage_store.ts";

/** A key whose end users have a budget each. */
export interface UserBudgets {
  /** The name of the key. */
  readonly name: string;
  readonly rules: EndUserRules;
}

/** The rules that the users of a key were restored with, and the end of the period. */
interface RestoredKey {
  readonly rules: EndUserRules;
  readonly until: number;
  readonly counters: ReadonlySet<string>;
}

export class RestoredUsers {
  readonly #store: UsageStore;
  readonly #clock: Clock;
  readonly #counters: RestoredCounters;
  /** By the name of the key. */
  readonly #keys = new Map<string, RestoredKey>();

  constructor(store: UsageStore, counters: Counters, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#counters = new RestoredCounters(counters);
  }

  /**
   * Adds the spending in the ledger to the counters, once for each configuration of a key.
   *
   * @param isStart whether no row of this run has been written
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

  /** Releases the counters of periods that have ended. */
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
    const query = { from: periodStart(per, now), to: now + 1, key };
    const groups = await this.#store.summarize({ ...query, groupBy: ["end_user"] });
    const counters = new Set<string>();
    for (const [user, usd] of separateUsers(groups, rules.max)) {
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

/** The users with the most spending, and the sum of the others. */
function separateUsers(
  groups: readonly { readonly group: readonly (string | null)[]; readonly usd: number }[],
  max: number,
): ReadonlyMap<string, number> {
  const users = new Map<string, number>();
  let others = 0;
  for (const { group: [user], usd } of groups.toSorted((one, other) => other.usd - one.usd)) {
    if (user === null || user === undefined || usd <= 0) continue;
    if (user === OTHER_LABELS || users.size === max) others += usd;
    else users.set(user, usd);
  }
  return others > 0 ? users.set(OTHER_USERS, others) : users;
}

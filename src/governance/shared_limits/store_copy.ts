/**
 * Copies the shared store's state into this process's counters, and restores the store from them.
 */

import { periodNumber } from "../../core/budget_period.ts";
import type { Clock } from "../../core/clock.ts";
import {
  type AppliedLimits,
  type BudgetCounter,
  type Counters,
  ledgerCounter,
  type Slot,
} from "../counters.ts";
import type { KnownSpending, LimitsState } from "./batch.ts";
import { budgetKey, lifetimeOf, type ScriptCall } from "./commands.ts";
import { keyOf } from "../../memory/shared_store/shared_store.ts";
import type { RunScript } from "./scripts.ts";

/** The maximum number of concurrent calls that restore counters. */
const RESTORED_AT_ONCE = 500;
/** Milliseconds after its last use when state is dropped. The ledger still contains it. */
const MAX_UNUSED_MS = 3_600_000;
/** The maximum number of budgets to read at a time. */
const MAX_READ = 100;

/** A used bucket. */
interface KnownBucket {
  readonly owner: string;
  readonly slot: Slot;
  /** The slot belongs to the bucket as long as these limits exist. */
  readonly limits: WeakRef<AppliedLimits>;
  readonly usedAt: number;
}

/** A budget whose state the store has reported. */
interface KnownBudget extends KnownSpending {
  readonly owner: string;
  readonly budget: BudgetCounter;
  /** The ledger's value at that time. */
  readonly inLedger: number;
  /** The budget's owner. The slot belongs to the budget as long as this owner exists. */
  readonly limits: WeakRef<AppliedLimits>;
  /** Whether requests on any replica have reservations, so that the spent amount may decrease. */
  readonly isReserved: boolean;
  readonly usedAt: number;
}

/** Whether the budget is new, and the call that raises the store's value to the ledger's. */
interface BudgetUpdate {
  readonly isNew: boolean;
  readonly missing: ScriptCall | undefined;
}

export class StoreCopy {
  readonly #counters: Counters;
  readonly #clock: Clock;
  /** By name. */
  readonly #buckets = new Map<string, KnownBucket>();
  readonly #budgets = new Map<string, KnownBudget>();
  /** The store's time minus this machine's, in milliseconds. */
  #offset = 0;

  constructor(counters: Counters, clock: Clock) {
    this.#counters = counters;
    this.#clock = clock;
  }

  /** The store's clock time, in milliseconds since the Unix epoch. */
  wallTime(): number {
    return this.#clock.wallTime() + this.#offset;
  }

  /** @param now the store's time, in microseconds */
  setTime(now: number): void {
    this.#offset = now / 1000 - this.#clock.wallTime();
  }

  /** A budget's last known state, for a store that has lost it. */
  lastKnown(budget: BudgetCounter): KnownSpending {
    const last = this.#budgets.get(budget.name);
    if (last !== undefined && last.budget.period === budget.period) {
      return { known: last.known, at: last.at };
    }
    // Another worker may know it; all share the counter.
    const known = this.#counters.spent(budget.slot, budget.period);
    return { known: Math.max(known, this.#inLedger(budget)), at: 0 };
  }

  /**
   * Copies the state of some limits into the process's counters.
   *
   * @param now the store's time, in microseconds
   * @returns a call that raises the store's value to the ledger's, if this is the first report of
   * the budget and the ledger's value is higher
   */
  update({ limits, state }: LimitsState, now: number): BudgetUpdate {
    const { id: owner, buckets, budget } = limits;
    const usedAt = this.#clock.now();
    const localNow = Math.floor(usedAt * 1000);
    const known = new WeakRef(limits.whole ?? limits);
    for (const [index, { name, slot }] of buckets.entries()) {
      this.#counters.setFillTime(slot, state[index] ?? 0, localNow);
      this.#buckets.set(name, { owner, slot, limits: known, usedAt });
    }
    if (budget === undefined) return { isNew: false, missing: undefined };
    const [spent = 0, reservations = 0] = state.slice(buckets.length);
    const isReserved = reservations > 0;
    return this.#updateBudget(budget, spent, { owner, at: now, limits: known, isReserved, usedAt });
  }

  #updateBudget(
    budget: BudgetCounter,
    spent: number,
    state: Omit<KnownBudget, "budget" | "known" | "inLedger">,
  ): BudgetUpdate {
    const { owner } = state;
    const last = this.#budgets.get(budget.name);
    const inLedger = this.#inLedger(budget);
    const isNew = last?.budget.period !== budget.period;
    // The ledger is read at startup, and whenever the budget returns to the configuration.
    const isRead = isNew || last.inLedger !== inLedger;
    const known = isRead ? Math.max(spent, inLedger) : spent;
    this.#counters.setSpent(budget.slot, budget.period, known);
    this.#budgets.delete(budget.name);
    this.#budgets.set(budget.name, { ...state, budget, known, inLedger });
    return { isNew, missing: known === spent ? undefined : this.raise(owner, budget, known) };
  }

  /** The call that raises a budget in the store to an amount in nano-dollars. */
  raise(owner: string, budget: BudgetCounter, spent: number): ScriptCall {
    const args = [0, spent, 0, lifetimeOf(budget, this.wallTime())];
    return { keys: [budgetKey(owner, budget)], args };
  }

  /** The ledger's last known value for a budget, in nano-dollars. */
  #inLedger({ name, period }: BudgetCounter): number {
    const counter = ledgerCounter(name);
    const spent = this.#counters.spent(this.#counters.slotOf(counter), period);
    this.#counters.release(counter);
    return spent;
  }

  /**
   * The limits with budgets that had reservations at the last read, least recently read first: the
   * amount may include a crashed replica's reservations.
   */
  reserved(): AppliedLimits[] {
    const wallTime = this.wallTime();
    const found: AppliedLimits[] = [];
    for (const { budget: { per, period }, isReserved, limits } of this.#budgets.values()) {
      if (found.length === MAX_READ) break;
      if (!isReserved || period !== periodNumber(per, wallTime)) continue;
      const known = limits.deref();
      if (known !== undefined) found.push(known);
    }
    return found;
  }

  /** Drops state that has not been used for a long time. */
  prune(): void {
    const since = this.#clock.now() - MAX_UNUSED_MS;
    for (const [name, { usedAt }] of this.#budgets) {
      if (usedAt < since) this.#budgets.delete(name);
    }
    const now = Math.floor(this.#clock.now() * 1000);
    for (const [name, { limits, slot, usedAt }] of this.#buckets) {
      // Daily limits must outlive the requests that used them.
      const isFull = limits.deref() === undefined || this.#counters.fillTime(slot, now) === 0;
      if (usedAt < since && isFull) this.#buckets.delete(name);
    }
  }

  /** Restores a server that may have lost its data from the last known state. */
  async restore(run: RunScript): Promise<void> {
    const calls = [...this.#bucketCalls(), ...this.#budgetCalls()];
    for (let at = 0; at < calls.length; at += RESTORED_AT_ONCE) {
      const some = calls.slice(at, at + RESTORED_AT_ONCE);
      await Promise.all(some.map(({ keys, args }) => run("restore", keys, args)));
    }
  }

  /** A call for each owner. */
  #bucketCalls(): ScriptCall[] {
    const now = Math.floor(this.#clock.now() * 1000);
    const owners = new Map<string, { readonly keys: string[]; readonly fills: number[] }>();
    for (const [name, { owner, slot, limits }] of this.#buckets) {
      if (limits.deref() === undefined) continue;
      const fill = this.#counters.fillTime(slot, now);
      if (fill === 0) continue;
      const { keys, fills } = owners.get(owner) ?? { keys: [], fills: [] };
      owners.set(owner, { keys, fills });
      keys.push(keyOf(owner, name));
      fills.push(fill);
    }
    return [...owners.values()].map(({ keys, fills }) => ({ keys, args: [keys.length, ...fills] }));
  }

  #budgetCalls(): ScriptCall[] {
    const wallTime = this.wallTime();
    return [...this.#budgets.values()].map(({ owner, budget, known, at }) => ({
      keys: [budgetKey(owner, budget)],
      args: [0, known, at, lifetimeOf(budget, wallTime)],
    }));
  }
}

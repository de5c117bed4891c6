/** The counters for limits and budgets: token buckets, concurrency slots, and sums by period. */

import type { BudgetPeriod } from "../core/budget_period.ts";
import type { LimitKind } from "../core/limit_kinds.ts";
import type { Budget } from "../config/limits.ts";
import type { Units } from "../core/units.ts";

/** A rate limit. */
export interface Bucket {
  /** The name of its counter. */
  readonly name: string;
  readonly slot: Slot;
  readonly kind: LimitKind;
  readonly limit: number;
  /** The limit in response headers. */
  readonly limitText: string;
  readonly rate: Rate;
  /** The limit's owner, for messages: `key 'a'` or `model 'b'`. */
  readonly owner: string;
  /** Whether it is a model limit, which response headers do not show. */
  readonly isOfModel: boolean;
}

/** A limit on concurrent requests. */
export interface ConcurrencyLimit {
  readonly name: string;
  readonly slot: Slot;
  readonly limit: number;
  readonly owner: string;
  readonly isOfModel: boolean;
}

/** A budget and its counter. */
export interface BudgetCounter extends Budget {
  readonly name: string;
  readonly slot: Slot;
  /** The number of the current period. */
  readonly period: number;
  readonly owner: string;
}

/** The limits of one key or model that apply to one request. */
export interface AppliedLimits {
  /** Their owner in the names of counters: `key:a` or `model:b`. */
  readonly id: string;
  readonly buckets: readonly Bucket[];
  readonly concurrency: readonly ConcurrencyLimit[];
  readonly budget: BudgetCounter | undefined;
  /** The limits of which these are a subset; their counters stay in use as long as these. */
  readonly whole?: AppliedLimits;
}

/** An amount that a request uses, estimated or actual. */
export interface Amount {
  /** The sum of input and output tokens. */
  readonly tokens: number;
  /** Units other than tokens. */
  readonly units?: Units | undefined;
  /** Millionths of a US dollar, with decimals; 0 if the price is unknown. */
  readonly microUsd: number;
}

/** The amount for a request that was not sent. */
export const NOTHING_USED: Amount = { tokens: 0, microUsd: 0 };

/** A request's reservations: its usual number of tokens, and its maximum cost. */
export type Reservation = Amount;

/** The rate and the capacity of a token bucket, in microseconds. */
export interface Rate {
  /** The time to refill one unit. */
  readonly perUnit: number;
  /** The time in which an empty bucket is refilled. */
  readonly burst: number;
}

/** A counter's position. It is valid in every worker. */
export type Slot = number;

/** Thrown when every counter is in use. */
export class NoCounterError extends RangeError {
  constructor() {
    super("Every counter is in use");
  }
}

/** One process's counters. Times are in microseconds. */
export interface Counters {
  /** The number of workers that share the counters, excluding those that are stopping. */
  readonly workers: number;
  /** The number of threads with a worker, including those that are stopping. */
  readonly threads: number;
  /** The maximum number of workers. */
  readonly maxWorkers: number;

  /**
   * Returns the counter with this name and marks it as used by this thread until {@linkcode
   * release} has been called equally often. An idle counter that no thread uses may be reused for
   * another name.
   *
   * @throws {NoCounterError}
   */
  slotOf(name: string): Slot;
  /** Releases one use of the named counter by this thread. */
  release(name: string): void;

  /**
   * Takes units from a token bucket (GCRA:
   * https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm).
   *
   * @returns 0, or the time until the units will be available; then nothing is taken
   */
  take(slot: Slot, units: number, rate: Rate, now: number): number;
  /** Returns units to a bucket, or takes more than it contains, which leaves it in debt. */
  adjust(slot: Slot, units: number, rate: Rate, now: number): void;
  /** Sets the time until a bucket is full. */
  setFillTime(slot: Slot, microseconds: number, now: number): void;
  /** The time until a bucket is full. */
  fillTime(slot: Slot, now: number): number;

  /** Takes one of `limit` slots for this worker. Returns false when all are taken. */
  enter(slot: Slot, limit: number): boolean;
  /** Takes a slot regardless of the limit. Returns the number of taken slots. */
  hold(slot: Slot): number;
  /** Frees a slot of this worker. Returns the number of slots that are still taken. */
  leave(slot: Slot): number;
  /** The number of taken slots. */
  taken(slot: Slot): number;

  /**
   * Adds to a period's sum unless the sum would exceed `max`. A new period starts at 0.
   *
   * @param period the period's number, which only grows
   * @returns false when nothing was added
   */
  spend(slot: Slot, period: number, amount: number, max: number): boolean;
  /**
   * Reserves an amount like {@linkcode spend}. An amount that exceeds the remainder is reserved
   * only if the remainder is positive and no worker has a reservation. The reservation belongs to
   * this worker until {@linkcode settle}.
   */
  reserve(slot: Slot, period: number, amount: number, max: number): boolean;
  /** The unsettled reservations of all workers in a period. They are part of the sum. */
  reserved(slot: Slot, period: number): number;
  /** Replaces this worker's reservation with the used amount. */
  settle(slot: Slot, period: number, reserved: number, used: number): void;
  /** Corrects a period's sum, which may then exceed its limit. A past period is not changed. */
  correct(slot: Slot, period: number, amount: number): void;
  /** Sets a period's sum. */
  setSpent(slot: Slot, period: number, sum: number): void;
  /** A period's sum. */
  spent(slot: Slot, period: number): number;
}

/** The counter for a key's spending. */
export function budgetCounter(per: BudgetPeriod, key: string): string {
  return ownersBudget(per, `key:${key}`);
}

/** The counter for the spending of any owner of limits. */
export function ownersBudget(per: BudgetPeriod, owner: string): string {
  return `budget:${per}:${owner}`;
}

/** The counter for the spending that the ledger contained at startup. */
export function ledgerCounter(budget: string): string {
  return `ledger:${budget}`;
}

/** Whether a counter is a sum by period, which the ledger can restore. */
export function isSum(name: string): boolean {
  return name.startsWith("budget:") || name.startsWith("ledger:");
}

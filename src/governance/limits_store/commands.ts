/** The keys and arguments of the scripts, from the limits of a request. */

import { nextPeriod } from "../../core/budget_period.ts";
import type { Amount, AppliedLimits, Bucket, BudgetCounter } from "../admission.ts";
import { MICRO_USD } from "../cost.ts";
import { keyOf, REPLICAS_KEY } from "./scripts.ts";

/** The lease of a place, in microseconds. A request of a replica that crashed holds it that long. */
const LEASE_US = 30_000_000;
/** A replica that has not renewed its lease for this long is not counted, in microseconds. */
const REPLICA_LEASE_US = 12_000_000;
/** How long a budget's counter outlives its period, and how long a budget that never renews lives. */
const EXTRA_MS = 3_600_000;
const TOTAL_MS = 400 * 24 * EXTRA_MS;

/** The keys and arguments of a script. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/** An operation of the batch script. */
export interface Operation extends ScriptCall {
  readonly name: "admit" | "settle";
}

/** The call of a batch. */
export function toBatch(operations: readonly Operation[]): ScriptCall {
  const allKeys: string[] = [];
  const allArgs: (string | number)[] = [];
  for (const { name, keys, args } of operations) {
    allKeys.push(...keys);
    allArgs.push(name, keys.length, args.length, ...args);
  }
  return { keys: allKeys, args: allArgs };
}

/** What a request did with one of its limits, in their order. */
export interface Settlement {
  readonly id: string;
  readonly limits: AppliedLimits;
  /** Whether the store is known to have admitted the request. */
  readonly hasRun: boolean;
  /** The change of each bucket, in microseconds. */
  readonly changes: readonly number[];
  /** Whether the changes are what a request took that the store did not admit. */
  readonly isCharge: boolean;
  /** Micro-dollars. */
  readonly used: number;
  readonly reserved: number;
}

/** @param wallTime the store's time, in milliseconds since the Unix epoch */
export function toAdmit(
  id: string,
  limits: AppliedLimits,
  reserved: Amount,
  wallTime: number,
): Operation {
  const { places, buckets, budget } = limits;
  const args: (string | number)[] = [id, LEASE_US, places.length, buckets.length];
  for (const { limit } of places) args.push(limit);
  for (const bucket of buckets) {
    args.push(Math.ceil(unitsOf(bucket, reserved) * bucket.rate.perUnit), bucket.rate.burst);
  }
  if (budget !== undefined) {
    const max = Math.round(budget.usd * MICRO_USD);
    args.push(Math.round(reserved.microUsd), max, lifetimeOf(budget, wallTime));
  }
  return { name: "admit", keys: keysOf(limits, id), args };
}

/** @param wallTime the store's time, in milliseconds since the Unix epoch */
export function toSettle(settlement: Settlement, wallTime: number): Operation {
  const { id, limits, hasRun, changes, used, reserved } = settlement;
  const { places, buckets, budget } = limits;
  const args: (string | number)[] = [id, places.length, buckets.length, hasRun ? 1 : 0, ...changes];
  if (budget !== undefined) {
    args.push(Math.round(used), Math.round(reserved), lifetimeOf(budget, wallTime));
  }
  return { name: "settle", keys: keysOf(limits, id), args };
}

/**
 * The renewal of a replica's lease, and of those of its requests.
 *
 * @param open the requests that hold places or reservations, by ID
 */
export function toRenewal(replica: string, open: ReadonlyMap<string, AppliedLimits>): ScriptCall {
  const held = new Map<string, string[]>();
  for (const [id, { places, budget }] of open) {
    const keys = places.map(({ name }) => keyOf(name));
    if (budget !== undefined) keys.push(reservationsKey(budget));
    for (const key of keys) {
      const ids = held.get(key) ?? [];
      ids.push(id);
      held.set(key, ids);
    }
  }
  const ids = [...held.values()].flatMap((ids) => [ids.length, ...ids]);
  return {
    keys: [REPLICAS_KEY, ...held.keys()],
    args: [replica, REPLICA_LEASE_US, LEASE_US, ...ids],
  };
}

/** The units that a request reserves: never more than the bucket holds. */
export function unitsOf({ kind, limit }: Bucket, { tokens }: Amount): number {
  return kind === "requests" ? 1 : Math.min(tokens, limit);
}

/** The key of a budget in its period. */
export function budgetKey({ name, period }: BudgetCounter): string {
  return keyOf(`${name}:${period}`);
}

/** The key of the reservations of a budget in its period. */
function reservationsKey(budget: BudgetCounter): string {
  return `${budgetKey(budget)}:reserved`;
}

/** How long the counter of a budget is kept, in milliseconds. */
export function lifetimeOf({ per }: BudgetCounter, wallTime: number): number {
  const end = nextPeriod(per, wallTime);
  return end === undefined ? TOTAL_MS : Math.ceil(end - wallTime) + EXTRA_MS;
}

function keysOf({ places, buckets, budget }: AppliedLimits, id: string): readonly string[] {
  const keys = [...places, ...buckets].map(({ name }) => keyOf(name));
  if (budget !== undefined) {
    keys.push(budgetKey(budget), keyOf(`request:${id}`), reservationsKey(budget));
  }
  return keys;
}

/** Budget keys, the lifetimes of stored values, and lease renewal. */

import { nextPeriod } from "../../core/budget_period.ts";
import { commonKeyOf, keyOf } from "../../memory/shared_store/shared_store.ts";
import { BUDGET_UNIT, REPLICAS_KEY } from "./scripts.ts";
import type { AppliedLimits, BudgetCounter } from "../counters.ts";

/**
 * The duration of a request's lease, in microseconds. A crashed replica's requests keep their slots
 * and reservations for this long.
 */
export const LEASE_US = 4_000_000;
/**
 * The maximum number of requests per call that renews leases: a script supports several thousand
 * arguments.
 */
const MAX_EXTENDED = 1000;

/** A replica that has not renewed its lease for this long is not counted, in microseconds. */
const REPLICA_LEASE_US = 12_000_000;
/**
 * How long a budget's counter outlives its period, and the lifetime of a budget that never renews.
 */
const EXTRA_MS = 3_600_000;
const TOTAL_MS = 400 * 24 * EXTRA_MS;

/** A script's keys and arguments. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/** The renewal of a replica's lease. */
export function toRenewal(replica: string): ScriptCall {
  return { keys: [REPLICAS_KEY], args: [replica, REPLICA_LEASE_US] };
}

/**
 * The renewals of requests' leases: a call for each {@linkcode MAX_EXTENDED} of an owner.
 *
 * @param open the requests that hold slots or reservations, by ID
 */
export function toExtensions(open: ReadonlyMap<string, AppliedLimits>): ScriptCall[] {
  const calls: Map<string, string[]>[] = [];
  const owners = new Map<string, { held: Map<string, string[]>; left: number }>();
  for (const [id, limits] of open) {
    let call = owners.get(limits.id);
    if (call === undefined || call.left === 0) {
      call = { held: new Map(), left: MAX_EXTENDED };
      owners.set(limits.id, call);
      calls.push(call.held);
    }
    call.left--;
    for (const key of leaseKeys(limits)) {
      const ids = call.held.get(key) ?? [];
      ids.push(id);
      call.held.set(key, ids);
    }
  }
  return calls.map((held) => {
    const ids = [...held.values()].flatMap((ids) => [ids.length, ...ids]);
    return { keys: [...held.keys()], args: [LEASE_US, ...ids] };
  });
}

/** The keys for limits: concurrency limits, then buckets, then the budget. */
export function keysOf({ id, concurrency, buckets, budget }: AppliedLimits): string[] {
  const keys = [...concurrency, ...buckets].map(({ name }) => keyOf(id, name));
  if (budget !== undefined) keys.push(budgetKey(id, budget));
  return keys;
}

/** A budget's key in its period. */
export function budgetKey(owner: string, budget: BudgetCounter): string {
  return keyOf(owner, budgetName(budget));
}

/** The keys under which earlier versions stored a budget: nano-dollars, then micro-dollars. */
export function earlierKeys(budget: BudgetCounter): string[] {
  const key = commonKeyOf(budgetName(budget));
  return [key, key.slice(0, -BUDGET_UNIT.length)];
}

function budgetName({ name, period }: BudgetCounter): string {
  return `${name}:${period}${BUDGET_UNIT}`;
}

/** The keys that hold a request's leases: its concurrency, and its budget's reservations. */
function leaseKeys({ id, concurrency, budget }: AppliedLimits): string[] {
  const keys = concurrency.map(({ name }) => keyOf(id, name));
  if (budget !== undefined) keys.push(`${budgetKey(id, budget)}:reserved`);
  return keys;
}

/** The lifetime of a budget's counter, in milliseconds. */
export function lifetimeOf({ per }: BudgetCounter, wallTime: number): number {
  const end = nextPeriod(per, wallTime);
  return end === undefined ? TOTAL_MS : Math.ceil(end - wallTime) + EXTRA_MS;
}

/** The keys of budgets and the lifetimes of what the server keeps, and the renewal of leases. */

import { nextPeriod } from "../../core/budget_period.ts";
import type { AppliedLimits, BudgetCounter } from "../admission.ts";
import { keyOf } from "../../shared_store/keys.ts";
import { BUDGET_UNIT, REPLICAS_KEY } from "./scripts.ts";

/** The lease of a request, in microseconds. One of a replica that crashed holds its place that long. */
export const LEASE_US = 30_000_000;

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

/** The key of a budget in its period. */
export function budgetKey({ name, period }: BudgetCounter): string {
  return keyOf(`${name}:${period}${BUDGET_UNIT}`);
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

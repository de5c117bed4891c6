/** The names of counters that more than one part of the governance uses. */

import type { BudgetPeriod } from "../core/budget_period.ts";

/** The counter of what a key has spent of its budget. */
export function budgetCounter(per: BudgetPeriod, key: string): string {
  return ownersBudget(per, `key:${key}`);
}

/** The same for any owner of limits. */
export function ownersBudget(per: BudgetPeriod, owner: string): string {
  return `budget:${per}:${owner}`;
}

/** The counter of what the ledger had of a budget at the start. */
export function ledgerCounter(budget: string): string {
  return `ledger:${budget}`;
}

/** Whether a counter is a sum by period, which the ledger can restore. */
export function isSum(name: string): boolean {
  return name.startsWith("budget:") || name.startsWith("ledger:");
}

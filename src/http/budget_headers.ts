/** The budget of a service key in the headers of its answers. */

import type { BudgetState } from "../core/budget_period.ts";

const LIMIT = "x-sluice-budget-usd";
const SPENT = "x-sluice-budget-spent-usd";
const RENEWAL = "x-sluice-budget-renews-at";

/** Adds the budget, what is spent of it without this request, and when it renews. */
export function addBudget(
  headers: Record<string, string>,
  { usd, spent, renewsAt }: BudgetState,
): void {
  headers[LIMIT] = String(usd);
  headers[SPENT] = String(Math.round(spent * 1e9) / 1e9);
  if (renewsAt !== undefined) headers[RENEWAL] = toTimeText(renewsAt);
}

/** The last time that was written: the renewals of most budgets are the same. */
let written = { time: NaN, text: "" };

function toTimeText(time: number): string {
  if (written.time !== time) written = { time, text: new Date(time).toISOString() };
  return written.text;
}

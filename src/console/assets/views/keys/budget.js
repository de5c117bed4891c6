/** What a key has spent of its budget, and how it is used. */

import { html } from "../../lib/preact.js";
import { usd } from "../../lib/format.js";
import { budgetState, daysText } from "./spending.js";

/** Spent of limit as a bar, with the renewal and the forecast. */
export function Budget({ budget, spending }) {
  if (budget === null) return html`<span class="soft">none</span>`;
  const limit = `${usd(budget.usd)} ${budget.per === "total" ? "in total" : `per ${budget.per}`}`;
  if (!spending) return html`${limit}`;
  const { tone, notes, share } = budgetState(spending);
  return html`
    <div class="budget">
      <span class="limit">${usd(spending.spent_usd)} of ${limit}</span>
      <span
        class=${`meter ${tone}`}
        role="meter"
        aria-label="Spent of the budget"
        aria-valuenow=${Math.round(100 * share)}
        aria-valuemin="0"
        aria-valuemax="100"
      ><span style=${{ width: `${Math.min(100, 100 * share).toFixed(1)}%` }}></span></span>
      ${spending.is_used_up && html`<span class="badge bad">would be refused now</span>`}
      ${notes.map((note) => html`<span key=${note} class="small soft">${note}</span>`)}
    </div>
  `;
}

/** The last use, and a bar for each of the last 30 days. */
export function LastUse({ usage }) {
  if (!usage) return "–";
  const { days, last_used } = usage;
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  return html`
    <div class="last-use">
      <span class="limit">${last_used ?? html`<span class="soft">not in 30 days</span>`}</span>
      ${last_used !== null && html`
        <span class="days" role="img" aria-label=${daysText(days)} title=${daysText(days)}>
          ${days.map(({ requests }, index) =>
            html`<span key=${index} style=${{ height: `${(100 * requests) / most}%` }}></span>`
          )}
        </span>
      `}
    </div>
  `;
}

/** The budget of a key and how much of it is spent. */

import { html } from "../../lib/preact.js";
import { usd } from "../../lib/format.js";
import { budgetText } from "./settings.js";
import { budgetState } from "./spending.js";

/**
 * The spent share of the limit as a bar, with a tick for the forecast, or an arrow if the forecast
 * exceeds it.
 */
export function Budget({ budget, spending }) {
  if (!spending) return html`${budgetText(budget)}`;
  const { tone, notes, share } = budgetState(spending);
  const { forecast_usd: forecast, limit_usd: limit, spent_usd: spent } = spending;
  const title = [`${usd(spent)} of ${budgetText(budget)}`, ...notes].join(", ");
  const isOver = forecast !== null && forecast > limit;
  return html`
    <span class="budget" title=${title}>
      <span
        class=${`meter ${tone}`}
        role="meter"
        aria-label=${`Spent of ${budgetText(budget)}`}
        aria-valuenow=${Math.round(100 * share)}
        aria-valuemin="0"
        aria-valuemax="100"
      >
        <span style=${{ width: `${Math.min(100, 100 * share).toFixed(1)}%` }}></span>
        ${forecast !== null && !isOver && limit > 0 && html`
          <i style=${{ left: `${(100 * forecast / limit).toFixed(1)}%` }}></i>
        `}
      </span>
      <span class="share">${share >= 1 && spending.is_used_up
        ? "used up"
        : `${Math.floor(100 * share)} %`}${isOver && share < 1 ? " ↗" : ""}</span>
      <span class="limit soft">of ${budgetText(budget)}</span>
    </span>
  `;
}

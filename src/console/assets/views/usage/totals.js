/** The totals of the report: spending, forecast and growth. */

import { html } from "../../lib/preact.js";
import { count, duration, percent, short, usd } from "../../lib/format.js";
import { Figure } from "../shared/parts.js";
import { usedUnits } from "../../lib/units.js";
import { changeText, costOf, costText } from "./figures.js";
import { round } from "./forecast.js";

/** The share of requests with errors that is shown as bad. */
const HIGH_ERROR_SHARE = 0.05;

export function Totals({ data }) {
  const { budget, compared, forecast, total } = data;
  const { requests = 0, errors = 0, input_tokens = 0, output_tokens = 0 } = total ?? {};
  const cost = total ? costOf(total) : 0;
  return html`
    <dl class="figure-grid card">
      <${Figure} label="Cost" value=${costText(total)}
        note=${join(
          budget !== undefined && `${percent(cost ?? 0, budget)} of ${usd(budget)}`,
          total?.unpriced_requests > 0 && `${count(total.unpriced_requests)} with an unknown price`,
        )} tone=${budget !== undefined && cost > budget ? "bad" : ""} />
      ${forecast && html`
        <${Figure} label="Forecast" value=${round(forecast.usd)}
          note=${`${round(forecast.low)} to ${round(forecast.high)}`} />
      `}
      ${compared && html`
        <${Figure} label=${`Against ${compared.name}`} value=${changeText(
          costOf(compared.now),
          costOf(compared.before),
        ) || "–"}
          note=${`${costText(compared.now)} against ${costText(compared.before)}, full days`} />
      `}
      <${Figure} label="Requests" value=${count(requests)}
        note=${compared && changeText(compared.now.requests, compared.before.requests)} />
      <${Figure} label="Errors" value=${count(errors)}
        note=${errors > 0 ? `${((100 * errors) / requests).toFixed(1)} % of requests` : ""}
        tone=${errors > requests * HIGH_ERROR_SHARE ? "bad" : ""} />
      <${Figure} label="Input tokens" value=${short(input_tokens)} note=${cachedNote(total)} />
      <${Figure} label="Output tokens" value=${short(output_tokens)} note=${estimatedNote(total)} />
      ${usedUnits([total]).map(({ id, title, text }) =>
        html`<${Figure} key=${id} label=${title} value=${text(total[id])} />`
      )}
      <${Figure} label="Duration, p50" value=${requests > 0 ? duration(total.p50_ms) : "–"}
        note=${requests > 0 ? `p95 ${duration(total.p95_ms)}` : ""} />
    </dl>
  `;
}

function join(...notes) {
  return notes.filter((note) => note).join(", ");
}

function cachedNote(total) {
  return total?.cached_input_tokens > 0 ? `${short(total.cached_input_tokens)} cached` : "";
}

function estimatedNote(total) {
  const estimated = total?.estimated_requests ?? 0;
  return estimated > 0 ? `${count(estimated)} requests estimated` : "";
}

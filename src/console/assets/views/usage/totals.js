/** The totals of the report, compared with the time before, and what the month will cost. */

import { html } from "../../lib/preact.js";
import { count, duration, short, usd } from "../../lib/format.js";
import { Figure } from "../shared/parts.js";
import { usedUnits } from "../shared/units.js";
import { changeText, costOf, costText } from "./figures.js";

/** The share of requests with errors that is shown as bad. */
const HIGH_ERROR_SHARE = 0.05;
/** The share of a month that must be over for a forecast. */
const MIN_FORECAST_SHARE = 0.05;

export function Totals({ data: { total, previous, month } }) {
  const { requests = 0, errors = 0, input_tokens = 0, output_tokens = 0 } = total ?? {};
  const change = (of) => total && previous ? changeText(of(total), of(previous)) : "";
  return html`
    <dl class="figure-grid card">
      <${Figure} label="Requests" value=${count(requests)} note=${change((entry) =>
        entry.requests
      )} />
      <${Figure}
        label="Errors"
        value=${count(errors)}
        note=${errors > 0 ? `${((100 * errors) / requests).toFixed(1)} % of requests` : ""}
        tone=${errors > requests * HIGH_ERROR_SHARE ? "bad" : ""}
      />
      <${Figure} label="Input tokens" value=${short(input_tokens)} note=${join(
        change((entry) => entry.input_tokens),
        cachedNote(total),
      )} />
      <${Figure} label="Output tokens" value=${short(output_tokens)} note=${join(
        change((entry) => entry.output_tokens),
        estimatedNote(total),
      )} />
      ${usedUnits([total]).map(({ id, title, text }) =>
        html`<${Figure} key=${id} label=${title} value=${text(total[id])} note=${
          change((entry) => entry[id])
        } />`
      )}
      <${Figure} label="Cost" value=${costText(total)} note=${join(
        change(costOf),
        total?.unpriced_requests > 0 && `${count(total.unpriced_requests)} with an unknown price`,
      )} />
      <${Figure} label="Cost this month" value=${costText(month.total)} note=${forecastNote(
        month,
      )} />
      <${Figure}
        label="Duration, p50"
        value=${requests > 0 ? duration(total.p50_ms) : "–"}
        note=${requests > 0 ? `p95 ${duration(total.p95_ms)}` : ""}
      />
    </dl>
    <p class="hint">Percentages compare with the time of the same length before.</p>
  `;
}

/** What the month will cost at the same rate; empty while it is too early. */
function forecastNote({ total, share }) {
  const cost = total && costOf(total);
  if (!cost || share < MIN_FORECAST_SHARE) return "";
  return `forecast ${total.unpriced_requests > 0 ? "≥ " : ""}${usd(cost / share)}`;
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

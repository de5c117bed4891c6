/** What several answers of each model took: medians, and the sum of the costs. */

import { html } from "../../../lib/preact.js";
import { count, duration, usd } from "../../../lib/format.js";
import { mediansOf } from "../comparison.js";

/** @param {{ columns: object[], samples: { list: object[][] }[] }} props */
export function Medians({ columns, samples }) {
  const rows = samples.map(({ list }) => mediansOf(list));
  const shown = (value, format) => value === null ? "–" : format(value);
  const spent = rows.reduce((sum, row) => sum + row.spent, 0);
  const unknown = rows.reduce((sum, { unknownCosts }) => sum + unknownCosts, 0);
  return html`
    <div class="table-scroll card medians" tabindex="0" role="region" aria-label="Medians">
      <table>
        <thead>
          <tr>
            <th scope="col">Medians</th>
            <th scope="col" class="number">Answers</th>
            <th scope="col" class="number">First token</th>
            <th scope="col" class="number">Total</th>
            <th scope="col" class="number" title="Tokens">Output</th>
            <th scope="col" class="number">Cost</th>
            <th scope="col" class="number">Sum</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map((row, index) =>
            html`
              <tr key=${columns[index].id}>
                <th scope="row" class="wrap-anywhere">${index + 1}: ${columns[index].model}</th>
                <td class="number">${row.done} of ${row.count}${row.failed > 0
                  ? `, ${row.failed} failed`
                  : ""}</td>
                <td class="number">${shown(row.first, duration)}</td>
                <td class="number">${shown(row.total, duration)}</td>
                <td class="number">${shown(row.output, count)}</td>
                <td class="number">${shown(row.cost, usd)}</td>
                <td class="number">${costText(row.spent, row.unknownCosts)}</td>
              </tr>
            `
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colspan="6">Cost of all answers</th>
            <td class="number sum"><strong>${costText(spent, unknown)}</strong></td>
          </tr>
        </tfoot>
      </table>
    </div>
  `;
}

/** A sum, and how many of its parts are unknown. */
function costText(sum, unknown) {
  if (unknown === 0) return usd(sum);
  return sum === 0 ? "unknown" : `${usd(sum)} + ${unknown} unknown`;
}

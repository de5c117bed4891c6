/** The tokens and the cost of the message that is being written, before it is sent. */

import { html, useEffect, useState } from "../../../lib/preact.js";
import { ErrorBox, IconButton, Loading } from "../../../lib/components.js";
import { getJson } from "../../../lib/api.js";
import { count, usd } from "../../../lib/format.js";
import { nextRequest } from "../actions.js";
import { APIS } from "../apis/list.js";
import { budgetVerdict, estimateOf, sumOf } from "./estimate.js";

/** Milliseconds without a change until the gateway is asked again. */
const PAUSE_MS = 500;

/** @param {{ state: object, onClose: () => void }} props */
export function EstimatePanel({ state, onClose }) {
  const { api, columns, draft, parameters, runCount, system, tools } = state;
  const [result, setResult] = useState(null);
  const isEmpty = draft.text === "" && draft.images.length === 0;
  useEffect(() => {
    if (isEmpty) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const read = await readEstimates(columns, abort.signal);
      if (!abort.signal.aborted) setResult(read);
    }, result === null ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [api, columns, draft, parameters, system, tools]);
  return html`
    <section class="estimate card" aria-label="Estimate">
      <div class="row spread">
        <h3>Before sending</h3>
        <${IconButton} icon="close" class="small" label="Close the estimate" onClick=${onClose} />
      </div>
      ${isEmpty
        ? html`<p class="hint">Write a message: its tokens and its cost are estimated here.</p>`
        : result === null
        ? html`<${Loading} text="Estimating" />`
        : result.error !== undefined
        ? html`<${ErrorBox} error=${result.error} title="No estimate" />`
        : html`<${Estimates} ...${result} columns=${columns} runCount=${runCount} />`}
    </section>
  `;
}

/** Asks the gateway what each model would get. Nothing is sent to a vendor. */
async function readEstimates(columns, signal) {
  const explain = async ({ id }) => {
    try {
      const { api, body, headers } = nextRequest(id);
      const options = { headers: { ...headers, "x-sluice-explain": "true" }, signal };
      return estimateOf(await getJson(APIS.get(api).path, { body, ...options }));
    } catch (thrown) {
      return { error: thrown.message };
    }
  };
  try {
    const now = encodeURIComponent(new Date().toISOString().slice(0, 10));
    const [usage, ...estimates] = await Promise.all([
      getJson(`/v1/usage?from=${now}&limit=1`, { signal }),
      ...columns.map(explain),
    ]);
    return { budget: usage.budget ?? null, estimates };
  } catch (error) {
    return { error };
  }
}

function Estimates({ budget, estimates, columns, runCount }) {
  const shown = estimates.slice(0, columns.length);
  const sums = sumOf(shown, runCount);
  const verdict = budgetVerdict(budget, shown, runCount);
  return html`
    <div class="table-scroll" tabindex="0" role="region" aria-label="Estimated tokens and cost">
      <table>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col" class="number">Input</th>
            <th scope="col" class="number">Output</th>
            <th scope="col" class="number">At most</th>
            <th scope="col" class="number">Cost</th>
            <th scope="col" class="number">At most</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map((estimate, index) =>
            html`
              <tr key=${columns[index]?.id}>
                <th scope="row" class="wrap-anywhere" title=${estimate.target}>
                  ${columns[index]?.model}
                </th>
                ${estimate.error === undefined ? html`<${Amounts} of=${estimate} />` : html`
                  <td colspan="5" class="fault">${estimate.error}</td>
                `}
              </tr>
            `
          )}
        </tbody>
        ${sums.requests > 1 && html`
          <tfoot>
            <tr>
              <th scope="row">${sums.requests} requests</th>
              <${Amounts} of=${sums} />
            </tr>
          </tfoot>
        `}
      </table>
    </div>
    ${verdict &&
      html`<p role="status"><span class=${`badge ${verdict.tone}`}>${verdict.text}</span></p>`}
  `;
}

function Amounts({ of: { input, output, most, cost, maxCost } }) {
  const money = (amount) => amount === null ? "unknown" : usd(amount);
  return html`
    <td class="number">${count(input)}</td>
    <td class="number">${count(output)}</td>
    <td class="number">${count(most)}</td>
    <td class="number">${money(cost)}</td>
    <td class="number">${money(maxCost)}</td>
  `;
}

/**
 * The receipt of a run: the target, how each parameter is handled and by which rule, and the
 * vendor's request. The page of the request shows the timeline of its attempts.
 */

import { html, useEffect, useState } from "../../lib/preact.js";
import { CopyButton, ErrorBox, FactList, Loading } from "../../lib/components.js";
import { duration, usd } from "../../lib/format.js";
import {
  correctedRows,
  indexOfTarget,
  rowsOfHeaders,
  sortRows,
  toShownJson,
} from "./receipt_facts.js";
import { useRun } from "./hooks.js";

/** @param {{ run: object }} props */
export function Receipt({ run }) {
  useRun(run);
  useEffect(() => void run.explain(), [run]);
  const { explanation, explanationError, isRestored } = run;
  const targets = explanation?.targets ?? [];
  const answered = explanation === null ? 0 : indexOfTarget(explanation, run.target);
  const [chosen, setChosen] = useState(null);
  const index = Math.min(chosen ?? answered, Math.max(0, targets.length - 1));
  const target = targets[index];
  const isWaiting = explanation === null && explanationError === null && !isRestored;
  return html`
    <${Route} run=${run} estimate=${target?.estimate} />
    ${targets.length > 1 && html`
      <section aria-label="Targets">
        <h3>Targets in order</h3>
        <${Targets} ...${{ targets, index, onChoose: setChosen }} />
      </section>
    `}
    <section aria-label="Parameters">
      <h3>Parameters</h3>
      <${Parameters} target=${target} run=${run} isReal=${index === answered} />
    </section>
    <section aria-label="Request to the vendor">
      <h3>Request to the vendor</h3>
      ${isWaiting && html`<${Loading} />`}
      ${isRestored && html`
        <p class="hint">
          Bodies are not kept when the page is loaded again. "Ask again" shows them.
        </p>
      `}
      ${target?.request && html`<${VendorRequest} request=${target.request} />`}
      ${target?.error && html`<${ErrorBox} error=${target.error} title="Nothing is sent" />`}
      ${explanationError !== null && html`
        <${ErrorBox} error=${explanationError} title="Nothing is sent" />
      `}
    </section>
  `;
}

/** The target of the request; before it is sent, its possible cost. */
function Route({ run, estimate }) {
  const { headers, record, request, requestId, state } = run;
  const target = run.target && `${run.target.provider} / ${run.target.model}`;
  const isPreview = state === "preview";
  const facts = [
    ["Requested", request.model],
    [state === "failed" ? "Target" : "Answered by", target],
    ["Attempts", run.attempts],
    ["Overhead", known(headers?.overheadMs, duration)],
    ["Cost", known(run.cost, usd)],
    isPreview ? ["Tokens in", estimate?.input_tokens] : ["", ""],
    isPreview ? ["Cost at most", known(estimate?.max_cost_usd, usd)] : ["", ""],
    ["Tags", record?.tags?.length > 0 ? record.tags.join(", ") : null],
    ["Vendor's ID", headers?.upstreamRequestId],
    isPreview ? ["", ""] : [
      "Request",
      html`<a class="mono" href=${`#/requests/${encodeURIComponent(requestId)}`}>${requestId}</a>`,
    ],
  ].filter(([, value]) => value !== null && value !== undefined && value !== "");
  return html`
    <section aria-label="Route">
      <div class="row spread">
        <h3>${isPreview ? "Preview" : "Route"}</h3>
        ${isPreview && html`<span class="badge">nothing was sent</span>`}
      </div>
      <${FactList} class="facts-list" facts=${facts} />
    </section>
  `;
}

function known(value, toText) {
  return value == null ? null : toText(value);
}

function Targets({ targets, index, onChoose }) {
  return html`
    <ol class="targets">
      ${targets.map(({ provider, model, after, weight, error }, at) =>
        html`
          <li key=${at}>
            <button type="button" aria-pressed=${String(at === index)} onClick=${() =>
              onChoose(at)}>
              <span class="wrap-anywhere">${provider} / ${model}</span>
              ${error && html`<span class="badge bad">cannot answer</span>`}
              ${weight !== undefined && html`<span class="badge">weight ${weight}</span>`}
              ${after &&
                html`<span class="faint small">after ${
                  after.join(", ").replaceAll("_", " ")
                }</span>`}
            </button>
          </li>
        `
      )}
    </ol>
  `;
}

/** How each parameter was handled. Unchanged ones are collapsed. */
function Parameters({ target, run, isReal }) {
  const fromHeaders = run.headers === null ? [] : rowsOfHeaders(run.headers);
  const explained = correctedRows(target?.receipt ?? [], isReal ? run.headers : null);
  const rows = sortRows(target === undefined ? fromHeaders : explained);
  const changed = rows.filter(({ fate }) => fate !== "as is");
  const same = rows.filter(({ fate }) => fate === "as is");
  if (rows.length === 0) {
    return html`<p class="hint">${
      target?.error ? "None was converted." : "The request has none."
    }</p>`;
  }
  return html`
    ${changed.length > 0 && html`<${Rows} rows=${changed} />`}
    ${same.length > 0 && html`
      <details class="same">
        <summary>
          ${same.length} sent as ${same.length === 1 ? "it is" : "they are"}
        </summary>
        <${Rows} rows=${same} />
      </details>
    `}
  `;
}

function Rows({ rows }) {
  return html`
    <ul class="receipt-rows">
      ${rows.map(({ parameter, fate, to, change, rule, from }, index) =>
        html`
          <li key=${index}>
            <div class="row">
              <strong class="mono wrap-anywhere">${parameter}</strong>
              <span class="badge">${fate}</span>
              ${from === "config" && html`<span class="badge">from config.yaml</span>`}
            </div>
            ${to && html`<p class="mono small wrap-anywhere">→ ${to}</p>`}
            ${change &&
              html`<p class="mono small wrap-anywhere">${change.replace("->", " → ")}</p>`}
            ${rule && html`<p class="small soft">${rule}</p>`}
          </li>
        `
      )}
    </ul>
  `;
}

/** The maximum number of visible characters of a body. */
const MAX_SHOWN_CHARS = 30_000;

function VendorRequest({ request: { method, url, headers, body } }) {
  const text = toShownJson(body);
  return html`
    <div class="vendor-request">
      <p class="mono wrap-anywhere"><strong>${method}</strong> ${url}</p>
      <dl class="header-list">
        ${Object.entries(headers).map(([name, value]) =>
          html`
            <div key=${name}>
              <dt>${name}:</dt>
              <dd class="wrap-anywhere">${value}</dd>
            </div>
          `
        )}
      </dl>
      <div class="code-frame">
        <pre class="code-box" tabindex="0" aria-label="Body">${text.length > MAX_SHOWN_CHARS
          ? `${text.slice(0, MAX_SHOWN_CHARS)}\n…`
          : text}</pre>
        <${CopyButton} text=${() => JSON.stringify(body, null, 2)} />
      </div>
    </div>
  `;
}

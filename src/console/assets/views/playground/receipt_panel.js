/**
 * The receipt of a run: where the request went, how each parameter was handled and by which rule,
 * the attempts in time, and the vendor's request as it was sent.
 */

import { html, useEffect, useState } from "../../lib/preact.js";
import { duration, usd } from "../../lib/format.js";
import { correctedRows, indexOfTarget, rowsOfHeaders, sortRows } from "./receipt_facts.js";
import { Timeline } from "./timeline.js";
import { useRun } from "./store.js";
import { VendorRequests } from "./vendor_requests.js";

/** @param {{ run: object }} props */
export function Receipt({ run }) {
  useRun(run);
  useEffect(() => void run.loadRecord(), [run]);
  const { explanation, state } = run;
  const targets = explanation?.targets ?? [];
  const answered = explanation === null ? 0 : indexOfTarget(explanation, run.target);
  const [chosen, setChosen] = useState(null);
  const index = Math.min(chosen ?? answered, Math.max(0, targets.length - 1));
  const target = targets[index];
  return html`
    <${Route} run=${run} />
    ${state !== "preview" && html`
      <section aria-label="Attempts">
        <h3>Attempts</h3>
        <${Timeline} run=${run} />
      </section>
    `}
    ${targets.length > 1 && html`
      <section aria-label="Targets">
        <h3>Targets in order</h3>
        <${Targets}
          targets=${targets}
          index=${index}
          answered=${run.target !== null && state !== "failed" ? answered : -1}
          onChoose=${setChosen}
        />
      </section>
    `}
    <section aria-label="Parameters">
      <h3>Parameters</h3>
      <${Parameters} target=${target} run=${run} isReal=${index === answered} />
    </section>
    <${VendorRequests} run=${run} target=${target} />
  `;
}

/** Where the request went. */
function Route({ run }) {
  const { headers, record, request, state } = run;
  const target = run.target && `${run.target.provider} / ${run.target.model}`;
  const facts = [
    ["Asked", request.model],
    [state === "failed" ? "Target" : "Answered by", target],
    ["Attempts", run.attempts],
    ["Overhead", headers?.overheadMs === null ? null : headers && duration(headers.overheadMs)],
    ["Cost", run.cost === null ? null : usd(run.cost)],
    ["Tags", record?.tags?.length > 0 ? record.tags.join(", ") : null],
    ["Vendor's ID", headers?.upstreamRequestId],
  ].filter(([, value]) => value !== null && value !== undefined && value !== "");
  const id = state === "preview" ? undefined : run.requestId;
  return html`
    <section aria-label="Route">
      <div class="row spread">
        <h3>${state === "preview" ? "Preview" : "Route"}</h3>
        ${state === "preview" && html`<span class="badge">nothing was sent</span>`}
      </div>
      <dl class="facts-list">
        ${facts.map(([name, value]) =>
          html`
            <div key=${name}>
              <dt>${name}</dt>
              <dd class="wrap-anywhere">${value}</dd>
            </div>
          `
        )}
        ${id && html`
          <div>
            <dt>Request</dt>
            <dd class="wrap-anywhere">
              <a class="mono" href=${`#/requests/${encodeURIComponent(id)}`}>${id}</a>
            </dd>
          </div>
        `}
      </dl>
    </section>
  `;
}

function Targets({ targets, index, answered, onChoose }) {
  return html`
    <ol class="targets">
      ${targets.map(({ provider, model, after, weight, error }, at) =>
        html`
          <li key=${at}>
            <button type="button" aria-pressed=${String(at === index)} onClick=${() =>
              onChoose(at)}>
              <span class="wrap-anywhere">${provider} / ${model}</span>
              ${at === answered && html`<span class="badge good">answered</span>`}
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

const FATE_BADGES = new Map([
  ["ignored", "bad"],
  ["converted", "warn"],
  ["renamed", "warn"],
  ["added", "accent"],
  ["as is", ""],
]);

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
              <span class=${`badge ${FATE_BADGES.get(fate) ?? ""}`}>${fate}</span>
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

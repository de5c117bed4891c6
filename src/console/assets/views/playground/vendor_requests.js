/** The requests that vendors got, each as it was sent, with what differs from the one before. */

import { html, useState } from "../../lib/preact.js";
import { CopyButton, ErrorBox, Loading } from "../../lib/components.js";
import { diffOf, sentRequests } from "./sent_requests.js";
import { toShownJson } from "./receipt_facts.js";

/** @param {{ run: object, target: object | undefined }} props the chosen target of the explanation */
export function VendorRequests({ run, target }) {
  const { explanation, explanationError, state } = run;
  const title = state === "preview" ? "The vendor would get" : "Sent to vendors";
  return html`
    <section aria-label=${title}>
      <h3>${title}</h3>
      ${state === "preview"
        ? html`
          ${target?.request && html`<${VendorRequest} request=${target.request} />`}
          ${target?.error && html`<${ErrorBox} error=${target.error} title="Nothing is sent" />`}
        `
        : html`<${Sent} run=${run} target=${target} />`}
      ${explanationError !== null &&
        html`<${ErrorBox} error=${explanationError} title="Not explained" />`}
      ${explanation === null && explanationError === null && !run.isRestored &&
        html`<${Loading} />`}
    </section>
  `;
}

function Sent({ run, target }) {
  const { explanation, recordError } = run;
  const { requests, isComplete } = sentRequests(run);
  const isSent = requests.some(({ model, provider }) =>
    provider === target?.provider && model === target?.model
  );
  if (run.isRestored) {
    return html`
      <p class="hint">Bodies are not kept when the page is loaded again. "Ask again" shows them.</p>
    `;
  }
  if (requests.length > 0) {
    return html`
      <ol class="sent-requests">
        ${requests.map((sent, index) =>
          html`
            <${SentRequest}
              key=${index}
              sent=${sent}
              before=${requests[index - 1]}
              isOpen=${index === requests.length - 1}
            />
          `
        )}
      </ol>
      ${!isComplete && html`
        <p class="hint">Some were sent after the rules had changed: their bodies are not known.</p>
      `}
      ${!isSent && target?.request && html`
        <p class="hint">${target.provider} / ${target.model} was not asked. It would get:</p>
        <${VendorRequest} request=${target.request} />
      `}
    `;
  }
  if (run.record !== null) {
    const isStored = run.headers?.cache === "hit";
    return html`<p class="hint">Nothing was sent${
      isStored ? ": the answer is from the response cache." : " to a vendor."
    }</p>`;
  }
  if (recordError !== null) return html`<p class="hint">What was sent is not known.</p>`;
  return explanation !== null && html`<${Loading} text="Waiting for the attempts" />`;
}

/** One request: where it went, how that ended, and what it changed. */
function SentRequest({ sent, before, isOpen }) {
  const [isShown, setShown] = useState(isOpen);
  const { provider, model, attempts, outcome, isFailed, request } = sent;
  const changes = before === undefined ? [] : diffOf(before.request.body, request.body);
  return html`
    <li>
      <p class="row">
        <strong class="wrap-anywhere">${provider} / ${model}</strong>
        ${attempts > 1 && html`<span class="soft small">${attempts} times</span>`}
        <span class=${`badge ${isFailed ? "bad" : "good"}`}>${outcome}</span>
      </p>
      ${changes.length > 0 && html`
        <ul class="changes" aria-label="Changed">
          ${changes.map(({ sign, path, text }, index) =>
            html`
              <li key=${index} class=${sign === "+" ? "added" : "removed"}>
                <span class="only-read">${sign === "+" ? "added" : "removed"}</span>
                <span class="mono wrap-anywhere">${sign} ${path}: ${text}</span>
              </li>
            `
          )}
        </ul>
      `}
      <details open=${isOpen} onToggle=${(event) => setShown(event.currentTarget.open)}>
        <summary>The whole request</summary>
        ${isShown && html`<${VendorRequest} request=${request} />`}
      </details>
    </li>
  `;
}

/** The maximum number of characters of a body that is shown. */
const MAX_SHOWN_CHARS = 30_000;

function VendorRequest({ request: { method, url, headers, body, parts } }) {
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
      ${parts &&
        html`<pre class="code-box" tabindex="0" aria-label="Parts">${toShownJson(parts)}</pre>`}
    </div>
  `;
}

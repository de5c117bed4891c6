/** Tables of the providers and of the models. */

import { html, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Dialog, ErrorBox } from "../../lib/components.js";
import { count, duration } from "../../lib/format.js";
import { shortTime } from "../shared/times.js";
import { TableBox } from "../shared/parts.js";
import { Breaker } from "./breaker.js";
import { ProviderDetails } from "./details.js";

export function Providers({ providers, since, hasAdmin }) {
  const [shown, setShown] = useState(null);
  const [reset, setReset] = useState(null);
  if (providers.length === 0) {
    return html`<p class="card empty">No provider is enabled.</p>`;
  }
  return html`
    <section class="card titled" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">Providers</h2>
        ${since && html`
          <span class="faint small">Requests, errors and durations since ${shortTime(since)}</span>
        `}
      </div>
      <${TableBox} label="Providers">
        <thead>
          <tr>
            <th scope="col">Provider</th>
            <th scope="col">Breakers</th>
            <th scope="col" class="number">In flight</th>
            <th scope="col" class="number">Requests</th>
            <th scope="col" class="number">Errors</th>
            <th scope="col" class="number">Error rate</th>
            <th scope="col" class="number">p50</th>
            <th scope="col" class="number">p95</th>
            <th scope="col" class="number">Suspended keys</th>
            <th scope="col"><span class="only-read">Actions</span></th>
          </tr>
        </thead>
        <tbody>
          ${providers.map((provider) =>
            html`
              <${ProviderRow}
                key=${provider.id}
                provider=${provider}
                onShow=${() => setShown(provider.id)}
                onReset=${hasAdmin ? () => setReset(provider.id) : undefined}
              />
            `
          )}
        </tbody>
      <//>
    </section>
    ${shown !== null && html`
      <${ProviderDetails} id=${shown} hasAdmin=${hasAdmin} onClose=${() => setShown(null)} />
    `}
    ${reset !== null && html`<${ResetDialog} id=${reset} onClose=${() => setReset(null)} />`}
  `;
}

function ProviderRow({ provider, onShow, onReset }) {
  const { id, kind, breaker, in_flight, requests, errors, p50_ms, p95_ms, resting_keys } = provider;
  const share = requests > 0 ? errors / requests : undefined;
  return html`
    <tr>
      <th scope="row" class="name">
        <button type="button" class="link mono" onClick=${onShow} aria-haspopup="dialog">${id}</button>
        ${kind !== id && html`<span class="faint small">${kind}</span>`}
      </th>
      <td>
        <${Breaker} state=${breaker} />
      </td>
      <td class="number">${count(in_flight)}</td>
      <td class="number">${numberText(requests)}</td>
      <td class="number">${numberText(errors)}</td>
      <td class=${`number ${share >= 0.05 ? "bad" : ""}`}>
        ${share === undefined ? "–" : `${(100 * share).toFixed(share === 0 ? 0 : 1)} %`}
      </td>
      <td class="number">${milliseconds(p50_ms)}</td>
      <td class="number">${milliseconds(p95_ms)}</td>
      <td class="number">
        ${resting_keys > 0 ? html`<span class="badge warn">${resting_keys}</span>` : "0"}
      </td>
      <td class="row-actions">
        ${onReset && html`
          <button type="button" class="small" onClick=${onReset} aria-label=${`Reset ${id}`}>
            Reset
          </button>
        `}
      </td>
    </tr>
  `;
}

/** A number that is unknown while the store does not answer. */
function numberText(value) {
  return value === null ? "unknown" : count(value);
}

function milliseconds(value) {
  return value === null || value === undefined ? "–" : duration(value);
}

/** Asks before a provider's state is cleared, and says what was cleared. */
function ResetDialog({ id, onClose }) {
  const [result, setResult] = useState({});
  const run = async () => {
    setResult({ isBusy: true });
    const path = `/v1/admin/providers/${encodeURIComponent(id)}/reset`;
    try {
      setResult({ cleared: (await getJson(path, { method: "POST" })).cleared });
    } catch (error) {
      setResult({ error });
    }
  };
  const { cleared, error, isBusy } = result;
  return html`
    <${Dialog} title=${`Reset ${id}`} onClose=${onClose} class="narrow">
      <div class="stack">
        ${cleared === undefined
          ? html`<p>
            This closes the circuit breakers, resumes the suspended keys and forgets the learned
            rejections of <code>${id}</code>, in every worker.
          </p>`
          : html`<p role="status">
            Cleared: ${cleared.breakers} breakers, ${cleared.suspended_keys} suspended keys,
            ${" "}${cleared.learned_rejections} learned rejections.
          </p>`}
        <${ErrorBox} error=${error} title="Not reset" />
        <div class="row end">
          <button type="button" onClick=${onClose}>${cleared ? "Close" : "Cancel"}</button>
          ${!cleared && html`
            <button type="button" class="primary" onClick=${run} disabled=${isBusy}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `;
}

export function Models({ models }) {
  if (models.length === 0) return null;
  return html`
    <section class="card titled" aria-labelledby="models-title">
      <h2 id="models-title">Models</h2>
      <ul class="model-grid">
        ${models.map(({ id, provider, breaker, tries_again_in_ms }) =>
          html`
            <li key=${`${id}@${provider}`}>
              <span class="mono wrap-anywhere">${id}</span>
              ${provider && html`<span class="faint small">${provider}</span>`}
              <span class="end-note">
                ${tries_again_in_ms > 0 && html`
                  <span class="faint small">tries again in ${duration(tries_again_in_ms)}</span>
                `}
                <${Breaker} state=${breaker} />
              </span>
            </li>
          `
        )}
      </ul>
    </section>
  `;
}

/** The providers that are disabled, and why. */
export function DisabledProviders({ providers }) {
  if (providers.length === 0) return null;
  return html`
    <section class="card titled" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${TableBox} label="Disabled providers">
        <thead>
          <tr>
            <th scope="col">Provider</th>
            <th scope="col">Kind</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          ${providers.map(({ id, kind, reason }) =>
            html`
              <tr key=${id}>
                <th scope="row" class="mono name">${id}</th>
                <td class="soft">${kind}</td>
                <td class="wrap-anywhere">${reason ?? "unknown"}</td>
              </tr>
            `
          )}
        </tbody>
        <//>
        </section>
  `;
}

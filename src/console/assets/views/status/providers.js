/** Tables of the providers and of the models. */

import { html, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Dialog, ErrorBox } from "../../lib/components.js";
import { count, duration, percent } from "../../lib/format.js";
import { addressOf, NO_FILTERS } from "../requests/addresses.js";
import { shortTime } from "../shared/times.js";
import { TableBox } from "../shared/parts.js";
import { Breaker } from "./breaker.js";
import { ProviderDetails } from "./details.js";
import { StateMark } from "../../lib/state_mark.js";
import { evidenceText, isTrouble } from "../../lib/target_health.js";
import { agoText, byHealth, failureText, HEALTH, historyText, hourTone } from "./health.js";

export function Providers({ providers, since, now, hasAdmin }) {
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
          <span class="faint small">Attempts and durations since ${shortTime(since)}</span>
        `}
      </div>
      <${TableBox} label="Providers">
        <thead>
          <tr>
            <th scope="col">Provider</th>
            <th scope="col">State</th>
            <th scope="col">24 hours</th>
            <th scope="col" class="number">In flight</th>
            <th scope="col" class="number">Attempts</th>
            <th scope="col" class="number">Failed</th>
            <th scope="col" class="number" title="Failed attempts of requests that succeeded after all">
              Rescued
            </th>
            <th scope="col" class="number">p50</th>
            <th scope="col" class="number">p95</th>
            <th scope="col">Last failure</th>
            <th scope="col"><span class="only-read">Actions</span></th>
          </tr>
        </thead>
        <tbody>
          ${byHealth(providers).map((provider) =>
            html`
              <${ProviderRow}
                key=${provider.id}
                provider=${provider}
                now=${now}
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

function ProviderRow({ provider, now, onShow, onReset }) {
  const { attempts, failed_attempts: failed, id, keys, kind, resting_keys } = provider;
  return html`
    <tr>
      <th scope="row" class="name">
        <button type="button" class="link mono" onClick=${onShow} aria-haspopup="dialog">${id}</button>
        ${kind !== id && html`<span class="faint small">${kind}</span>`}
      </th>
      <td>
        <${Health} entry=${provider} now=${now} />
        ${provider.breaker !== "closed" && html`
          <${Breaker} state=${provider.breaker} />
        `}
        ${resting_keys > 0 && html`
          <span class="small soft"> ${resting_keys} of ${keys} keys suspended</span>
        `}
      </td>
      <td>
        <${History} history=${provider.history} />
      </td>
      <td class="number">${count(provider.in_flight)}</td>
      <td class="number">${numberText(attempts)}</td>
      <td class=${`number ${failed > 0 && failed >= attempts * 0.05 ? "bad" : ""}`}>
        ${numberText(failed)}${failed > 0 ? `, ${percent(failed, attempts)}` : ""}
      </td>
      <td class="number">${numberText(provider.rescued)}</td>
      <td class="number">${milliseconds(provider.p50_ms)}</td>
      <td class="number">${milliseconds(provider.p95_ms)}</td>
      <td class="failure">
        <${LastFailure} failure=${provider.last_failure} now=${now} />
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

function Health({ entry: { health, state }, now }) {
  const { text } = HEALTH.get(state);
  if (state === "limited" || health === null) {
    return html`<span class="badge warn">${text}</span>`;
  }
  const { since } = health;
  return html`
    <span class="health" title=${evidenceText(health, now)}>
      <${StateMark} state=${state} />
      ${since !== null && isTrouble(state) && html`
        <span class="faint small">since ${shortTime(since, now)}</span>
      `}
    </span>
  `;
}

/** A bar for each hour, by the share of attempts that failed. */
function History({ history }) {
  return html`
    <span class="history" role="img" aria-label=${historyText(history)} title=${historyText(
      history,
    )}>
      ${history.map((hour, index) =>
        html`<span key=${index} class=${hourTone(hour) ?? "none"}></span>`
      )}
    </span>
  `;
}

/** The last failure, which leads to its request. */
function LastFailure({ failure, now }) {
  if (!failure) return "–";
  const { request, time } = failure;
  const address = addressOf(NO_FILTERS, request, time);
  return html`
    <a href=${address} title="The request that failed">${agoText(time, now)}</a>
    <span class="small error-code wrap-anywhere"> ${failureText(failure)}</span>
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

export function Models({ models, now }) {
  if (models.length === 0) return null;
  return html`
    <section class="card titled" aria-labelledby="models-title">
      <h2 id="models-title">Models</h2>
      <ul class="model-grid">
        ${byHealth(models).map((model) =>
          html`
            <li key=${`${model.id}@${model.provider}`}>
              <span class="mono wrap-anywhere">${model.id}</span>
              ${model.provider && html`<span class="faint small">${model.provider}</span>`}
              <span class="end-note">
                ${model.failed_attempts > 0 && html`
                  <span
                    class="faint small"
                    title=${model.last_failure && failureText(model.last_failure)}
                  >${count(model.failed_attempts)} of ${count(model.attempts)} failed</span>
                `}
                ${model.tries_again_in_ms > 0 && html`
                  <span class="faint small">tries again in ${duration(
                    model.tries_again_in_ms,
                  )}</span>
                `}
                ${model.breaker === "closed"
                  ? html`<${Health} entry=${model} now=${now} />`
                  : html`<${Breaker} state=${model.breaker} />`}
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

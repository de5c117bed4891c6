/** The state of the gateway: load, providers, models and the configuration. */

import { html } from "../../lib/preact.js";
import { ErrorBox, Loading } from "../../lib/components.js";
import { count, percent, rate } from "../../lib/format.js";
import { pathFor, useSession } from "../shared/data.js";
import { Figure, ViewHead } from "../shared/parts.js";
import { fullTime, shortTime } from "../shared/times.js";
import { headlineOf, problemsOf } from "./health.js";
import { useLive } from "./live.js";
import { DisabledProviders, Models, Providers } from "./providers.js";
import { Sparkline } from "./sparkline.js";

/** The share of requests with errors that is shown as bad. */
const HIGH_ERROR_SHARE = 0.05;

export default function Status({ route }) {
  const session = useSession();
  const { state, history, isLive, error } = useLive(pathFor(session, "live"));
  const which = session.hasAdmin
    ? "All providers of this gateway"
    : "The providers of the models that your key may use";
  const note = `${which}. States are those of the last 10 minutes.`;
  return html`
    <div class="view" data-view="status">
      <${ViewHead} title=${state === undefined ? "Providers" : headlineOf(state)} note=${note}>
        <${LiveMark} isLive=${isLive} state=${state} error=${error} />
      <//>
      <${ErrorBox} error=${error} title="No live state" />
      ${state === undefined ? !error && html`<${Loading} text="Connecting" />` : html`
        <${Report} state=${state} history=${history} opened=${route.path[0]}
          hasAdmin=${session.hasAdmin} />
      `}
    </div>
  `;
}

function Report({ state, history, hasAdmin, opened }) {
  const enabled = state.providers.filter((provider) => provider.enabled);
  const disabled = state.providers.filter((provider) => !provider.enabled);
  // The gateway's clock: that of the browser may differ.
  const now = Date.parse(state.at);
  return html`
    <${Problems} state=${state} now=${now} />
    <${ConfigFaults} config=${state.config} />
    <${Figures} state=${state} history=${history} enabled=${enabled.length} />
    <${Providers} providers=${enabled} since=${state.since} now=${now} hasAdmin=${hasAdmin}
      opened=${opened} />
    <${Models} models=${state.models ?? []} now=${now} />
    <${DisabledProviders} providers=${disabled} />
  `;
}

/** A sentence for each provider with a problem. */
function Problems({ state, now }) {
  const problems = problemsOf(state, now);
  if (problems.length === 0) return null;
  return html`
    <ul class="problems" aria-label="Problems now">
      ${problems.map(({ id, text }) =>
        html`
          <li key=${id}><a href=${`#/status/${encodeURIComponent(id)}`}>${id}</a> ${text}</li>
        `
      )}
    </ul>
  `;
}

/** Whether the figures are live; their age if not. */
function LiveMark({ isLive, state, error }) {
  if (isLive) {
    return html`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${shortTime(state.at)}</time>
      </span>
    `;
  }
  return html`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${state === undefined && !error ? "Connecting" : "Not live"}</span>
      ${state && html`<time class="faint mono">last at ${shortTime(state.at)}</time>`}
    </span>
  `;
}

function Figures({ state, history, enabled }) {
  const { in_flight, requests_per_second, errors_per_second, providers, config } = state;
  // Rates are unknown until the second state.
  const share = requests_per_second > 0 ? errors_per_second / requests_per_second : 0;
  return html`
    <dl class="figure-grid card live">
      <${Figure} label="In flight" value=${count(in_flight)}>
        <${Sparkline} values=${history.map((entry) => entry.in_flight)} />
        <//>
        <${Figure} label="Requests per second" value=${rate(requests_per_second)}>
          <${Sparkline} values=${history.map((entry) => entry.requests_per_second ?? 0)} />
          <//>
          <${Figure}
            label="Errors per second"
            value=${rate(errors_per_second)}
            note=${share > 0 ? `${percent(share, 1)} of requests` : ""}
            tone=${share >= HIGH_ERROR_SHARE ? "bad" : ""}
          >
        <${Sparkline} values=${history.map((entry) => entry.errors_per_second ?? 0)} tone="bad" />
      <//>
      <${Figure}
        label="Providers enabled"
        value=${`${enabled} of ${providers.length}`}
      />
      ${config && html`
        <${Figure}
          label="Configuration"
          value=${config.valid ? "Valid" : "Stale"}
          tone=${config.valid ? "" : "warn"}
          note=${config.loaded_at && `loaded ${shortTime(config.loaded_at)}`}
        />
      `}
    </dl>
  `;
}

/** The errors of the changed config.yaml. */
function ConfigFaults({ config }) {
  if (config === undefined || config.valid) return null;
  const { faults = [], loaded_at, reason } = config;
  return html`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${loaded_at ? ` that it loaded on ${fullTime(loaded_at)}.` : " that it loaded before."}
      </p>
      ${faults.length === 0 && reason && html`<p>${reason}</p>`}
      ${faults.length > 0 && html`
        <ul class="faults mono">
          ${faults.map((fault, index) => html`<li key=${index}>${fault}</li>`)}
        </ul>
      `}
    </section>
  `;
}

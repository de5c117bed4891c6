/**
 * The overview for operators: current problems with their start and extent, and the highest costs.
 */

import { html } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { ErrorBox, Loading } from "../../lib/components.js";
import { count, duration, percent, rate, usd, usdLike } from "../../lib/format.js";
import { StateMark } from "../../lib/state_mark.js";
import { serverNow } from "../../lib/server_clock.js";
import { evidenceText, thresholdsText } from "../../lib/target_health.js";
import { useLoaded, usePolling, useSession } from "../shared/data.js";
import { NeedsAdminKey } from "../shared/parts.js";
import { currentZone } from "../../lib/zone.js";
import { periodOf, rangeText, readRange, writeRange } from "../../lib/range.js";
import { headlineOf, sinceText, troubled } from "./headline.js";
import { IncidentStrip } from "./strip.js";

/** Milliseconds between two loads of the health, and of the day's figures. */
const HEALTH_MS = 5000;
const FIGURES_MS = 60_000;
const WINDOW_MS = 600_000;
/** The rows of the two tables. */
const MAX_ROWS = 5;

export default function Overview({ route }) {
  const { hasAdmin } = useSession();
  if (!hasAdmin) {
    return html`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${NeedsAdminKey} what="The overview covers all keys: it needs an admin key." />
      </div>
    `;
  }
  return html`<${Report} choice=${readRange(route.query, "24h")} />`;
}

/** Loads data now, and periodically while the page is visible. */
function usePolled(load, ms, inputs = []) {
  const loaded = useLoaded(load, inputs);
  usePolling(loaded.reload, ms);
  return loaded;
}

function Report({ choice }) {
  const { data: health, error } = usePolled(
    (signal) => getJson("/v1/admin/health", { signal }),
    HEALTH_MS,
  );
  const zone = currentZone();
  const { range, from, to } = choice;
  const inputs = [range, from, to, zone];
  const { data } = usePolled(
    async (signal) => ({
      ...await loadFigures(periodOf(choice, serverNow(), zone), signal),
      name: inputs.join(),
    }),
    FIGURES_MS,
    inputs,
  );
  const figures = data?.name === inputs.join() ? data : undefined;
  if (health === undefined) {
    return html`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${error
          ? html`<${ErrorBox} error=${error} title="No health" />`
          : html`<${Loading} text="Loading the health of targets" />`}
      </div>
    `;
  }
  const { text, title } = headlineOf(health);
  const rangeName = inSentence(rangeText(choice, zone));
  return html`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${title}</h1>
        <p class="soft">${text}</p>
      </header>
      <${Figures} ...${{ choice, health, figures, rangeName }} />
      <${IncidentStrip}
        ...${{ health, rangeName }}
        period=${periodOf(choice, Date.parse(health.at), zone)}
      />
      <div class="two">
        <${Troubled} health=${health} />
        <${Expensive} ...${{ choice, figures, rangeName }} />
      </div>
    </div>
  `;
}

/** A name of a range within a sentence, such as `the last 7 days` or `1 Nov – 3 Nov`. */
function inSentence(text) {
  return text.startsWith("Last ") ? `the l${text.slice(1)}` : text.replace("This", "this");
}

/** The requests of the last minutes, and the cost of a period. */
async function loadFigures({ from, to, isOpen }, signal) {
  const since = new Date(serverNow() - WINDOW_MS).toISOString();
  const times = {
    from: new Date(from).toISOString(),
    ...(!isOpen && { to: new Date(to).toISOString() }),
  };
  const usage = (members) =>
    getJson(`/v1/admin/usage?${new URLSearchParams({ ...times, ...members })}`, { signal });
  const [counts, keys, total] = await Promise.all([
    getJson(`/v1/admin/request_counts?${new URLSearchParams({ from: since })}`, { signal }),
    usage({ group_by: "key,model", limit: "1000" }),
    usage({}),
  ]);
  return { counts: counts.data, keys: keys.data, total: total.data[0] };
}

function Figures({ choice, health, figures, rangeName }) {
  const spent = new URLSearchParams({ sort: "cost_usd" });
  writeRange(spent, choice);
  const recent = figures?.counts.reduce((sum, { requests, errors }) => ({
    requests: sum.requests + requests,
    errors: sum.errors + errors,
  }), { requests: 0, errors: 0 });
  const slowest = health.targets.filter(({ recent }) => recent.attempts > 0)
    .toSorted((one, other) => other.recent.attempts - one.recent.attempts)[0];
  const hasErrors = recent !== undefined && recent.requests > 0 &&
    recent.errors / recent.requests >= 0.05;
  return html`
    <dl class="overview-figures">
      <${Figure}
        label="Requests per minute"
        value=${recent && rate(recent.requests / (WINDOW_MS / 60_000))}
        note="mean of the last 10 min"
      />
      <${Figure}
        label="Failed requests, last 10 min"
        value=${recent && percent(recent.errors, recent.requests)}
        note=${recent && `${count(recent.errors)} of ${count(recent.requests)}`}
        isBad=${hasErrors}
        href="#/requests?range=15m&status=error"
      />
      <${Figure}
        label="Time to first content"
        value=${slowest?.first_content_ms == null ? "–" : duration(slowest.first_content_ms)}
        note=${slowest?.first_content_ms == null
          ? "no answer in the last 10 min"
          : `${slowest.provider}, usually ${duration(slowest.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${Figure}
        label=${`Spent, ${rangeName}`}
        value=${figures && usd(figures.total?.cost_usd ?? 0)}
        note=${figures && `${count(figures.total?.requests ?? 0)} requests, ${currentZone()}`}
        href=${`#/requests?${spent}`}
      />
    </dl>
  `;
}

/** A figure; it leads to the requests behind it. */
function Figure({ label, value = "…", note, isBad, href }) {
  return html`
    <div>
      <dt>${label}</dt>
      <dd class=${`figure-big${isBad ? " bad" : ""}`}>
        ${href === undefined ? value : html`<a href=${href}>${value}</a>`}
      </dd>
      <dd class="faint small">${note ?? ""}</dd>
    </div>
  `;
}

/** The targets that need attention, with their evidence. */
function Troubled({ health }) {
  const now = Date.parse(health.at);
  const rows = troubled(health.targets);
  return html`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${thresholdsText(health.thresholds)}>
          by the last 10 min
        </span>
        <a class="small" href="#/status">Providers</a>
      </div>
      ${rows.length === 0
        ? html`<p class="soft">Nothing: no target is failing, degraded, slow or silent.</p>`
        : html`
          <table class="plain cards" role="table" aria-labelledby="fails-title">
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">Target</th>
                <th scope="col" role="columnheader">State</th>
                <th scope="col" role="columnheader">Since</th>
                <th scope="col" role="columnheader">Evidence</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              ${rows.slice(0, MAX_ROWS).map((target) => {
                const { last_failure: last, provider, since, state, upstream } = target;
                return html`
                  <tr role="row" key=${`${provider} ${upstream}`}>
                    <th scope="row" role="rowheader" title=${`${provider} ${upstream}`}>
                      <span class="clip">${provider}</span>
                      <span class="clip faint small">${upstream}</span>
                    </th>
                    <td role="cell">
                      <${StateMark} state=${state} />
                    </td>
                    <td role="cell" title=${since}>${since === null
                      ? "–"
                      : sinceText(since, now)}</td>
                    <td role="cell" class="evidence">
                      ${last === null ? evidenceText(target, now) : html`
                        <a
                          href=${requestAddress(last)}
                          title=${last.vendor_text ?? "The last request that failed"}
                        >${evidenceText(target, now)}</a>
                      `}
                    </td>
                  </tr>
                `;
              })}
            </tbody>
          </table>
        `}
    </section>
  `;
}

function requestAddress({ request, request_time: time }) {
  return `#/requests/${encodeURIComponent(request)}?time=${encodeURIComponent(time)}`;
}

/** The most expensive keys of the range, each with its most expensive model. */
function Expensive({ choice, figures, rangeName }) {
  const rows = expensiveKeys(figures?.keys ?? []);
  const total = figures?.total?.cost_usd ?? 0;
  const query = new URLSearchParams({ by: "key", show: "cost" });
  writeRange(query, choice);
  return html`
    <section class="stack" aria-labelledby="cost-title">
      <div class="section-head">
        <h2 id="cost-title">What is expensive</h2>
        <span class="faint small">${rangeName}</span>
        <a class="small" href="#/usage?range=last-month&by=team">Last month by team</a>
        <a class="small" href=${`#/usage?${query}`}>Usage</a>
      </div>
      ${rows.length === 0
        ? html`<p class="soft">${figures ? "Nothing has been spent." : "…"}</p>`
        : html`
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Model</th>
                <th scope="col" class="number">Cost</th>
                <th scope="col" class="number">Share</th>
              </tr>
            </thead>
            <tbody>
              ${rows.map(({ cost, key, model }) =>
                html`
                  <tr key=${key}>
                    <th scope="row"><span class="clip" title=${key}>${key}</span></th>
                    <td><span class="clip soft" title=${model}>${model}</span></td>
                    <td class="number" title=${`$${cost}`}>${usdLike(cost, rows[0].cost)}</td>
                    <td class="number">${percent(cost, total)}</td>
                  </tr>
                `
              )}
            </tbody>
          </table>
        `}
    </section>
  `;
}

function expensiveKeys(groups) {
  const keys = new Map();
  for (const { cost_usd: cost, key, model } of groups) {
    if (!(cost > 0)) continue;
    const known = keys.get(key) ?? { key: key ?? "–", cost: 0, most: 0, model: "" };
    known.cost += cost;
    if (cost > known.most) Object.assign(known, { most: cost, model: model ?? "–" });
    keys.set(key, known);
  }
  return [...keys.values()].toSorted((one, other) => other.cost - one.cost).slice(0, MAX_ROWS);
}

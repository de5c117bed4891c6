/** Tables of the providers, their targets, and disabled providers. */

import { html, useMemo, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Dialog, ErrorBox, MiddleText } from "../../lib/components.js";
import { count, duration, percent } from "../../lib/format.js";
import { StateMark } from "../../lib/state_mark.js";
import { Table } from "../../lib/table.js";
import { agoText, evidenceText, isTrouble } from "../../lib/target_health.js";
import { sinceText } from "../overview/headline.js";
import { addressOf, NO_FILTERS } from "../requests/addresses.js";
import { fullTime, shortTime } from "../shared/times.js";
import { Breaker } from "./breaker.js";
import { ProviderDetails } from "./details.js";
import { byHealth, failureText, HEALTH, historyText, hourTone } from "./health.js";

const ORDER = [...HEALTH.keys()];
const BY_STATE = { id: "state", isRising: true };

/** @param {{ providers: object[], opened: string | undefined, now: number }} props */
export function Providers({ providers, since, now, hasAdmin, opened }) {
  const [reset, setReset] = useState(null);
  const columns = useMemo(() => providerColumns(now), [now]);
  if (providers.length === 0) {
    return html`<p class="card empty">No provider is enabled.</p>`;
  }
  const actionsOf = ({ id }) => [
    { text: "Breakers and keys", href: addressOfProvider(id) },
    { text: "Its requests", href: addressOf({ ...NO_FILTERS, provider: id }) },
    { text: "Its failures", href: addressOf({ ...NO_FILTERS, provider: id, status: "error" }) },
    ...hasAdmin ? [{ text: "Reset…", run: () => setReset(id) }] : [],
    { text: "Copy the name", copy: id },
  ];
  const close = () => (location.hash = "#/status");
  return html`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${since && html`
          <span class="faint small">Attempts and durations since ${shortTime(since)}</span>
        `}
      </div>
      <${Table} label="Providers" columns=${columns} rows=${byHealth(providers)}
        idOf=${({ id }) => id} hrefOf=${({ id }) => addressOfProvider(id)} actionsOf=${actionsOf}
        order=${BY_STATE} current=${opened} />
    </section>
    ${opened !== undefined && html`
      <${ProviderDetails} id=${opened} hasAdmin=${hasAdmin} onClose=${close} />
    `}
    ${reset !== null && html`<${ResetDialog} id=${reset} onClose=${() => setReset(null)} />`}
  `;
}

function addressOfProvider(id) {
  return `#/status/${encodeURIComponent(id)}`;
}

/** The state of an entry, when it began, and why. */
function healthColumns(now) {
  return [
    {
      ...{ id: "state", title: "State", isRisingFirst: true, card: "b" },
      of: ({ state }) => ORDER.indexOf(state),
      cell: ({ state }) => html`<${State} state=${state} />`,
    },
    {
      ...{ id: "since", title: "Since" },
      of: ({ health, state }) => isTrouble(state) || state === "ok" ? health?.since : undefined,
      text: (since) => html`<span title=${fullTime(since)}>${sinceText(since, now)}</span>`,
    },
    {
      ...{ id: "evidence", title: "Evidence", isProse: true, card: "c" },
      of: (entry) => whyText(entry, now),
      cell: (entry) => html`<${Evidence} entry=${entry} now=${now} />`,
    },
  ];
}

function State({ state }) {
  if (state === "limited") return html`<span class="st slow">${HEALTH.get(state).text}</span>`;
  return html`<${StateMark} state=${state} />`;
}

/** Why an entry has its state: its attempts, and the last failure. */
function whyText({ health, last_failure: failure }, now) {
  const evidence = health === null || health === undefined ? "" : evidenceText(health, now);
  if (!failure) return evidence;
  // The failure has the status, too.
  const attempts = evidence.replace(/; \d+$/, "");
  const last = `${failureText(failure)}, ${agoText(failure.time, now)}`;
  return attempts === "" ? last : `${attempts}; ${last}`;
}

/** The evidence, with a link to the last failed request. */
function Evidence({ entry, now }) {
  const { last_failure: failure } = entry;
  const text = whyText(entry, now);
  if (!failure) return html`<span title=${text}>${text || "–"}</span>`;
  const { request, time } = failure;
  return html`<a class="failure" href=${
    addressOf(NO_FILTERS, request, time)
  } title=${text}>${text}</a>`;
}

function providerColumns(now) {
  return [
    { id: "provider", title: "Provider", of: ({ id }) => id, isRisingFirst: true },
    ...healthColumns(now),
    {
      ...{ id: "history", title: "24 h, failed", hint: "A bar for each hour" },
      cell: ({ history }) => html`<${History} history=${history} />`,
    },
    {
      ...{ id: "in_flight", title: "In flight", isNumber: true, text: count },
      of: (row) => row.in_flight || undefined,
    },
    ...attemptColumns(),
    {
      ...{
        id: "rescued",
        title: "Rescued",
        isNumber: true,
        of: ({ rescued }) => rescued,
        text: count,
      },
      hint: "Failed attempts of requests that eventually succeeded",
    },
    { id: "p50", title: "p50", isNumber: true, of: (row) => row.p50_ms, text: duration },
    { id: "p95", title: "p95", isNumber: true, of: (row) => row.p95_ms, text: duration },
    breakerColumn(),
    {
      ...{ id: "keys", title: "Suspended", hint: "Suspended keys", isNumber: true },
      of: (row) => row.resting_keys > 0 ? row.resting_keys : undefined,
      text: (suspended, { keys }) => `${suspended} of ${keys} keys`,
    },
  ];
}

function attemptColumns() {
  return [
    {
      ...{ id: "attempts", title: "Attempts", isNumber: true, card: "d", mark: "attempts" },
      ...{ of: ({ attempts }) => attempts, text: count },
    },
    {
      ...{ id: "failed", title: "Failed", isNumber: true, of: (row) => row.failed_attempts },
      text: (failed, { attempts }) =>
        `${count(failed)}${failed > 0 ? `, ${percent(failed, attempts)}` : ""}`,
    },
  ];
}

function breakerColumn() {
  return {
    ...{ id: "breaker", title: "Breaker" },
    of: ({ breaker }) => breaker === "closed" ? undefined : breaker,
    cell: ({ breaker, tries_again_in_ms: wait }) =>
      html`
        ${breaker === "closed"
          ? html`<span class="faint">Closed</span>`
          : html`<${Breaker} state=${breaker} />`}
          ${wait > 0 && html`<span class="faint small"> tries again in ${duration(wait)}</span>`}
      `,
  };
}

/** A bar for each hour: the share of failed attempts. */
function History({ history }) {
  const text = historyText(history);
  return html`
    <span class="history" role="img" aria-label=${text} title=${text}>
      ${history.map((hour, index) =>
        html`<span key=${index} class=${hourTone(hour) ?? "none"}></span>`
      )}
    </span>
  `;
}

/** Asks for confirmation before clearing a provider's state, and shows the result. */
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

/** The targets: each model at each provider. */
export function Models({ models, now }) {
  const columns = useMemo(() => [
    { id: "model", title: "Model", of: ({ id }) => id, isRisingFirst: true },
    {
      ...{ id: "provider", title: "Provider", of: ({ provider }) => provider },
      text: (provider) => html`<${MiddleText} text=${provider} />`,
    },
    ...healthColumns(now),
    ...attemptColumns(),
    breakerColumn(),
  ], [now]);
  if (models.length === 0) return null;
  return html`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${Table} label="Targets" columns=${columns} rows=${byHealth(models)}
        idOf=${({ id, provider }) => JSON.stringify([id, provider])} order=${BY_STATE} />
    </section>
  `;
}

const DISABLED_COLUMNS = [
  { id: "provider", title: "Provider", of: ({ id }) => id, isRisingFirst: true },
  { id: "kind", title: "Kind", of: ({ kind }) => kind, card: "b" },
  {
    ...{ id: "reason", title: "Reason", isProse: true, card: "c2" },
    of: ({ reason }) => reason ?? "unknown",
    text: (reason) => html`<span title=${reason}>${reason}</span>`,
  },
];

/** The providers that are disabled, and why. */
export function DisabledProviders({ providers }) {
  if (providers.length === 0) return null;
  return html`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${Table} label="Disabled providers" columns=${DISABLED_COLUMNS} rows=${providers}
        idOf=${({ id }) => id} order=${{ id: "provider", isRising: true }} />
    </section>
  `;
}

/** One provider: its breakers, suspended keys and learned rejections, by worker for an admin. */

import { html } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Dialog, ErrorBox, Loading } from "../../lib/components.js";
import { countOf, duration } from "../../lib/format.js";
import { useLoaded, usePolling } from "../shared/data.js";
import { TableBox } from "../shared/parts.js";
import { Breaker } from "./breaker.js";

/** Milliseconds between two loads while the details are open. */
const REFRESH_MS = 3000;

export function ProviderDetails({ id, hasAdmin, onClose }) {
  const path = hasAdmin ? "/v1/admin/providers" : "/v1/providers";
  const { data, error, reload } = useLoaded((signal) => getJson(path, { signal }), [path]);
  usePolling(reload, REFRESH_MS);
  const provider = data?.data.find((entry) => entry.id === id);
  return html`
    <${Dialog} title=${`Provider ${id}`} onClose=${onClose}>
      <div class="stack">
        <${ErrorBox} error=${error} />
        ${!data && !error && html`<${Loading} />`}
        ${data && !provider && html`<p>This provider is no longer configured.</p>`}
        ${provider && html`<${Details} provider=${provider} />`}
      </div>
      <//>
  `;
}

function Details({ provider }) {
  const breakers = collect(provider, "breakers");
  const rejections = collect(provider, "learned_rejections");
  return html`
    <p class="row soft">
      <span>Kind <code>${provider.kind}</code></span>
      <span>${keysText(provider)}</span>
      ${provider.workers?.length > 1 && html`<span>${provider.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${Rows}
      label="Circuit breakers"
      columns=${["Model", "State", "Recent failures", "Tries again"]}
      rows=${breakers.map(({ worker, model, state, failures, tries_again_in_ms }) => [
        named(model, worker),
        html`<${Breaker} state=${state} />`,
        failures,
        tries_again_in_ms === undefined ? "–" : `in ${duration(tries_again_in_ms)}`,
      ])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${SuspendedKeys} provider=${provider} />
    <h3>Learned rejections</h3>
    <${Rows}
      label="Learned rejections"
      columns=${["Model", "What the vendor rejects"]}
      rows=${rejections.map(({ worker, model, ...rejection }) => [
        named(model, worker),
        html`<span class="mono wrap-anywhere">${textOf(rejection)}</span>`,
      ])}
      empty="None."
    />
  `;
}

function SuspendedKeys({ provider }) {
  const suspended = collect(provider, "suspended_keys");
  if (provider.workers === undefined && provider.keys?.suspended > 0) {
    return html`<p>${provider.keys.suspended} of ${provider.keys.configured} keys are suspended.</p>`;
  }
  return html`
    <${Rows}
      label="Suspended keys"
      columns=${["Key", "Model", "Reason", "Ends"]}
      rows=${suspended.map(({ worker, key, model, reason, ends_in_ms }) => [
        named(fingerprintOf(provider, key), worker),
        model ?? "all",
        reason,
        `in ${duration(ends_in_ms)}`,
      ])}
      empty="None."
    />
  `;
}

function Rows({ label, columns, rows, empty }) {
  if (rows.length === 0) return html`<p class="soft">${empty}</p>`;
  return html`
    <${TableBox} label=${label}>
      <thead>
        <tr>${columns.map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map((cells, index) =>
          html`
            <tr key=${index}>${cells.map((cell, column) =>
              html`<td key=${column}>${cell}</td>`
            )}</tr>
          `
        )}
      </tbody>
      <//>
  `;
}

/** The entries of a provider: of each worker for an admin, else of the worker that answered. */
function collect({ workers, ...own }, name) {
  if (workers === undefined) return Array.isArray(own[name]) ? own[name] : [];
  const isOne = workers.length === 1;
  return workers.flatMap((report) =>
    (report[name] ?? []).map((entry) => ({ ...entry, worker: isOne ? undefined : report.worker }))
  );
}

function named(name, worker) {
  return html`
    <span class="mono wrap-anywhere">${name}</span>
    ${worker !== undefined && html`<span class="faint small"> worker ${worker}</span>`}
  `;
}

function fingerprintOf({ keys }, index) {
  const found = Array.isArray(keys) ? keys.find((key) => key.index === index) : undefined;
  return found?.fingerprint ?? `key ${index}`;
}

function keysText({ keys }) {
  return countOf(Array.isArray(keys) ? keys.length : keys?.configured ?? 0, "key");
}

/** The members of a rejection as text. */
function textOf(rejection) {
  return Object.entries(rejection).map(([name, value]) =>
    `${name}: ${typeof value === "object" && value !== null ? textOf(value) : value}`
  ).join(", ");
}

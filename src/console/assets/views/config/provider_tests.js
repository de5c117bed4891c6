/** Tests providers of the current configuration with one token. The cost is shown in advance. */

import { html, useState } from "../../lib/preact.js";
import { getJson, send } from "../../lib/api.js";
import { Dialog, ErrorBox, FactList, Loading } from "../../lib/components.js";
import { count, duration, usd } from "../../lib/format.js";
import { useLoaded } from "../shared/data.js";
import { TableBox } from "../shared/parts.js";

export function ProviderTests() {
  const { data, error } = useLoaded((signal) => getJson("/v1/admin/providers", { signal }), []);
  const [tested, setTested] = useState(undefined);
  return html`
    <section class="card titled" aria-labelledby="tests-title">
      <h2 id="tests-title">Test a provider</h2>
      <${ErrorBox} error=${error} title="The providers cannot be listed" />
      ${!data && !error && html`<${Loading} />`}
      ${data && html`
        <${TableBox} label="Providers">
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Kind</th>
              <th scope="col">State</th>
              <th scope="col"><span class="only-read">Test</span></th>
            </tr>
          </thead>
          <tbody>
            ${data.data.map(({ id, kind, state, reason }) =>
              html`
                <tr key=${id}>
                  <th scope="row" class="name mono wrap-anywhere">${id}</th>
                  <td>${kind}</td>
                  <td>${state === "on" ? "enabled" : reason}</td>
                  <td class="row-actions">
                    <button
                      type="button"
                      class="small"
                      disabled=${state !== "on"}
                      aria-label=${`Test ${id}`}
                      onClick=${() => setTested(id)}
                    >Test</button>
                  </td>
                </tr>
              `
            )}
          </tbody>
          <//>
      `}
      ${tested && html`<${TestDialog} id=${tested} onClose=${() => setTested(undefined)} />`}
    </section>
  `;
}

function TestDialog({ id, onClose }) {
  const path = `/v1/admin/providers/${encodeURIComponent(id)}/test`;
  const { data: plan, error } = useLoaded((signal) => getJson(path, { signal }), [id]);
  const [chosen, setChosen] = useState(undefined);
  const [result, setResult] = useState(undefined);
  const model = chosen ?? plan?.models[0]?.id ?? "";
  const cost = plan?.models.find((one) => one.id === model)?.max_cost_usd;
  const start = async (event) => {
    event.preventDefault();
    if (result?.isBusy) return;
    const began = performance.now();
    setResult({ isBusy: true });
    try {
      const response = await send(path, { body: { model } });
      setResult({ headers: response.headers, answer: await response.json() });
    } catch (failure) {
      setResult({ failure, ms: performance.now() - began });
    }
  };
  return html`
    <${Dialog} title=${`Test ${id}`} onClose=${onClose} class="narrow">
      <form class="stack" onSubmit=${start}>
        <${ErrorBox} error=${error} title="It cannot be tested" />
        ${!plan && !error && html`<${Loading} />`}
        ${plan && html`
          <div class="field">
            <label for="test-model">Model</label>
            <select
              id="test-model"
              value=${model}
              onChange=${(event) => {
                setChosen(event.target.value);
                setResult(undefined);
              }}
            >
              ${plan.models.map((one) =>
                html`<option key=${one.id} value=${one.id}>${one.id}</option>`
              )}
            </select>
          </div>
          <p>
            It sends <q>${plan.prompt}</q> and asks for ${count(
              plan.max_output_tokens,
            )} token. Cost:
            ${" "}<strong>${cost == null
              ? "unknown, its price is not known"
              : `at most ${usd(cost)}`}</strong>.
          </p>
        `}
        <div role="status" class="stack">
          ${result?.isBusy && html`<${Loading} text="Waiting for the provider" />`}
          ${result?.answer && html`<${Answer} ...${result} />`}
        </div>
        ${result?.failure && html`
          <${ErrorBox} error=${result.failure} title=${`Failed after ${duration(result.ms)}`} />
        `}
        <div class="row end">
          <button type="button" onClick=${onClose}>Close</button>
          <button type="submit" class="primary" disabled=${model === "" || result?.isBusy}>
            Send the test
          </button>
        </div>
      </form>
      <//>
  `;
}

function Answer({ answer, headers }) {
  const cost = headers.get("x-sluice-cost-usd");
  const { usage } = answer;
  const facts = [
    ["Status", "200"],
    ["Latency", duration(answer.ms)],
    ["Answer", answer.answer === "" ? "no text" : answer.answer],
    [
      "Tokens",
      usage ? `${count(usage.prompt_tokens)} in, ${count(usage.completion_tokens)} out` : "unknown",
    ],
    ["Cost", cost === null ? "unknown" : usd(Number(cost))],
    ["Attempts", headers.get("x-sluice-attempts") ?? "1"],
  ];
  return html`
    <p class="row"><span class="badge good">works</span> ${answer.model} answered.</p>
    <${FactList} class="config-state" facts=${facts} />
  `;
}

/** One name: its facts, and its targets as a graph in the order in which they are tried. */

import { html } from "../../lib/preact.js";
import { CopyButton, FactList, IconButton } from "../../lib/components.js";
import { count, duration, percent, price } from "../../lib/format.js";
import { capabilitiesOf, hasTokenPrices, limitsOf } from "../../lib/models.js";
import { unitPricesOf } from "../../lib/units.js";
import { BALANCES, conditionOf, FORMS, shareOf, sourceText } from "./figures.js";
import { Health, known, Try } from "./table.js";

export function ModelDetails({ entry, now }) {
  const { form, id, steps } = entry;
  return html`
    <section class="card model-details" aria-labelledby="model-title">
      <div class="row spread">
        <h2 id="model-title" class="row">
          <span class="mono wrap-anywhere">${id}</span>
          <span class="badge">${FORMS.get(form)}</span>
        </h2>
        <div class="row">
          <${CopyButton} text=${id} label="Copy the name" />
          ${form !== "pattern" && html`
            <a class="button" href=${`#/clients?model=${encodeURIComponent(id)}`}>
              Copy settings for a client
            </a>
            <${Try} id=${id} />
          `}
          <${IconButton} icon="close" label="Close" onClick=${() => (location.hash = "#/models")} />
        </div>
      </div>
      ${entry.description && html`<p class="soft">${entry.description}</p>`}
      <${FactList} class="facts" facts=${factsOf(entry, now)} />
      <h3>Where its requests go</h3>
      <ol class="route-graph">
        <li class="route-start"><span class="badge accent">Request</span></li>
        ${steps.map((step, index) => html`<${Step} key=${index} step=${step} index=${index} />`)}
      </ol>
      ${entry.other_providers && html`
        <p class="soft small">
          Also at ${entry.other_providers.join(", ")}: as <code>${`${entry.root}@${
            entry.other_providers[0]
          }`}</code>, or with <code>pins</code> and <code>balance</code>.
        </p>
      `}
    </section>
  `;
}

function factsOf(entry, now) {
  const { display_name: name, prices, source } = entry;
  const facts = [
    ["Shown as", name === entry.id ? undefined : name],
    ["Limits", limitsOf(entry).join(", ") || "unknown"],
    ["Prices", prices ? pricesText(prices) : "unknown"],
    ["Capabilities", capabilitiesOf(entry).join(", ") || "unknown"],
    ["Attempts, 24 hours", `${count(entry.attempts)}, ${count(entry.failed)} failed`],
    ["Uptime, 24 hours", known(entry.uptime, (value) => percent(value, 1))],
    ["Source", sourceText(source, now) ?? "config.yaml"],
  ];
  return facts.filter(([, value]) => value !== undefined);
}

function pricesText(prices) {
  const { cache_write: write, cached_input: cached, input, output } = prices;
  const tokens = [
    `${price(input)} in`,
    `${price(output)} out`,
    ...(cached === undefined ? [] : [`${price(cached)} cached`]),
    ...(write === undefined ? [] : [`${price(write)} cache write`]),
  ];
  return [
    ...hasTokenPrices(prices) ? [`per million tokens ${tokens.join(", ")}`] : [],
    ...unitPricesOf(prices),
  ].join("; ");
}

/** A group of equal targets, and when they are tried. */
function Step({ step, index }) {
  const { balance, targets } = step;
  return html`
    <li class="route-step">
      <span class="route-arrow" aria-hidden="true"></span>
      <span class="route-when small">
        ${index === 0 ? "first" : conditionOf(targets[0])}
      </span>
      <div class="route-targets">
        ${targets.length > 1 && html`
          <span class="soft small">${count(targets.length)} equals: ${BALANCES.get(balance) ??
            balance}</span>
        `}
        <ul>
          ${targets.map((target) =>
            html`
              <${TargetBox}
                key=${`${target.provider} ${target.upstream}`}
                target=${target}
                share=${shareOf(target, step)}
              />
            `
          )}
        </ul>
      </div>
    </li>
  `;
}

function TargetBox({ target, share }) {
  const { attempts, kind, provider, state, upstream, uptime } = target;
  return html`
    <li class=${`route-target ${state.breaker === "closed" ? "" : "broken"}`}>
      <div class="row spread">
        <strong class="mono wrap-anywhere">${upstream}</strong>
        <${Health} entry=${target} />
      </div>
      <span class="soft small">
        ${provider}${kind === provider ? "" : ` (${kind})`}${share &&
          html`${" · "}<strong>${share}</strong>`}
      </span>
      <span class="faint small">
        ${attempts > 0
          ? `p50 ${known(target.p50_ms, duration)}, p95 ${known(target.p95_ms, duration)}, uptime ${
            known(uptime, (value) => percent(value, 1))
          }`
          : "no attempt in 24 hours"}
        ${state.tries_again_in_ms > 0 && `; tries again in ${duration(state.tries_again_in_ms)}`}
      </span>
    </li>
  `;
}

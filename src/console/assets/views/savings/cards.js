/** A card for each capability: its savings or cost, and how complete the figures are. */

import { html } from "../../lib/preact.js";
import { CopyButton, FactList } from "../../lib/components.js";
import { count, countOf, duration, percent, short, usd } from "../../lib/format.js";
import { otherInput, savingsOf, sessionRequests } from "./figures.js";
import { HOW_TO } from "./how_to.js";

export function Cards({ total }) {
  const amounts = savingsOf(total);
  return html`
    <div class="saving-grid">
      <${PromptCaching} total=${total} amounts=${amounts} />
      <${Sessions} total=${total} />
      <${PriceOrder} total=${total} amounts=${amounts} />
      <${ResponseCache} total=${total} amounts=${amounts} />
      <${Hedges} total=${total} amounts=${amounts} />
      <${Queue} total=${total} />
    </div>
  `;
}

function PromptCaching({ total, amounts }) {
  const { cached_input_tokens: cached, cache_write_tokens: written, input_tokens: input } = total;
  return html`
    <${Card}
      id="prompt"
      title="Prompt caching"
      isUsed=${cached + written > 0}
      value=${usd(amounts.prompt)}
      what="saved, less the cost of writes"
      facts=${[
        ["Reads saved", usd(amounts.reads)],
        ["Writes cost", usd(amounts.writes)],
        ["Cached input", `${percent(cached, input)}, ${short(cached)} of ${short(input)}`],
        ["Written", `${short(written)} tokens`],
        unknownFact(total.unpriced_cached_requests),
      ]}
      basis="The vendors' token counts, at their prices."
    />
  `;
}

function Sessions({ total }) {
  const { affinity_hits: hits, affinity_moves: moves, affinity_starts: starts } = total;
  const others = otherInput(total);
  return html`
    <${Card}
      id="sessions"
      title="Sessions that stay"
      isUsed=${sessionRequests(total) > 0}
      value=${usd(total.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[
        ["Stayed", countOf(hits, "request")],
        ["Moved", count(moves)],
        ["Started", count(starts)],
        [
          "Cached, if stayed",
          percent(
            total.affinity_cached_input_tokens,
            total.affinity_input_tokens,
          ),
        ],
        ["Cached, others", percent(others.cached, others.input)],
      ]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `;
}

function PriceOrder({ total, amounts }) {
  return html`
    <${Card}
      id="order"
      title="Cheapest first"
      isUsed=${total.price_ordered_requests > 0}
      value=${usd(amounts.order)}
      what="saved"
      facts=${[
        ["Requests", count(total.price_ordered_requests)],
        unknownFact(total.unpriced_price_orders),
      ]}
      basis="Estimated: the same tokens at the first target in config.yaml order."
    />
  `;
}

function ResponseCache({ total, amounts }) {
  const { response_cache_hits: hits, response_cache_misses: misses } = total;
  return html`
    <${Card}
      id="response"
      title="Response cache"
      isUsed=${hits + misses > 0}
      value=${usd(amounts.response)}
      what="saved"
      facts=${[
        ["Hits", `${count(hits)}, ${percent(hits, hits + misses)}`],
        ["Misses", count(misses)],
        unknownFact(total.unpriced_response_cache_hits),
      ]}
      basis="What each answer cost when it was generated."
    />
  `;
}

function Hedges({ total, amounts }) {
  const { hedged_requests: hedged, requests } = total;
  return html`
    <${Card}
      id="hedges"
      title="Hedges"
      isUsed=${hedged > 0}
      value=${usd(amounts.hedges)}
      what="spent"
      tone=${amounts.hedges > 0 ? "warn" : ""}
      facts=${[
        ["Requests", `${count(hedged)}, ${percent(hedged, requests)}`],
        unknownFact(total.unpriced_hedges),
      ]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `;
}

function Queue({ total }) {
  const { queued_requests: queued, queued_ms: ms } = total;
  return html`
    <${Card}
      id="queue"
      title="Queue"
      isUsed=${queued > 0}
      value=${count(queued)}
      what="requests waited"
      facts=${[["Average wait", duration(queued === 0 ? 0 : ms / queued)], [
        "All waits",
        duration(ms),
      ]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `;
}

/** @param {number} requests the number of requests with an unknown price */
function unknownFact(requests) {
  return requests > 0
    ? ["Unknown price", `${countOf(requests, "request")}, not included`]
    : undefined;
}

function Card({ id, title, isUsed, value, what, tone = "", facts, basis }) {
  return html`
    <section class=${`card saving figure ${tone}`} aria-labelledby=${`saving-${id}`}>
      <h2 id=${`saving-${id}`}>${title}</h2>
      ${isUsed
        ? html`
          <p class="figure-line">
            <span class="figure-value">${value}</span>
            <span class="figure-note">${what}</span>
          </p>
          <${FactList} class="saving-facts" facts=${facts.filter((fact) => fact)} />
          <p class="hint">${basis}</p>
        `
        : html`<${Unused} id=${id} />`}
    </section>
  `;
}

/** States that a capability was not used, and how to enable it. */
function Unused({ id }) {
  const { text, config } = HOW_TO[id];
  return html`
    <p class="soft">No request used it in this period.</p>
    <p class="hint">${text}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${config}</pre>
      <${CopyButton} text=${config} label="Copy the settings" isIcon=${true} class="quiet small" />
    </div>
  `;
}

/** One request: its row, its attempts and its timings. */

import { html, useEffect, useRef } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { CopyButton, ErrorBox, FactList, Loading } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { count, duration, usd } from "../../lib/format.js";
import { pathFor, useLoaded } from "../shared/data.js";
import { Known } from "../shared/parts.js";
import { fullTime } from "../shared/times.js";
import { addressOf, NO_FILTERS } from "./addresses.js";
import { Status } from "./table.js";
import { Timeline } from "./timeline.js";

export function RequestDetails({ id, time, session, closeAddress }) {
  const query = time === null ? {} : { time };
  const path = pathFor(session, `requests/${encodeURIComponent(id)}`, query);
  const { data, error } = useLoaded((signal) => getJson(path, { signal }), [path]);
  const title = useRef(null);
  useEffect(() => title.current.focus(), []);
  return html`
    <section class="details card" aria-label="Request">
      <header>
        <h2 ref=${title} tabindex="-1">Request</h2>
        <a class="button quiet icon" href=${closeAddress} aria-label="Close the request" title="Close">
          <${Icon} name="close" />
        </a>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${id}</code>
          <${CopyButton} text=${id} label="Copy ID" />
        </p>
        <${ErrorBox} error=${error} title="The request cannot be shown" />
        ${!data && !error && html`<${Loading} />`}
        ${data && html`
          <${Timeline} row=${data} />
          <${Facts} row=${data} />
        `}
      </div>
    </section>
  `;
}

function Facts({ row }) {
  const hasUsage = row.usage_source !== "none";
  const facts = [
    ["Ended", fullTime(row.time)],
    ["Status", html`<${Status} row=${row} />`],
    ["Model", html`<${FilterLink} name="model" value=${row.model} />`],
    [
      "Provider",
      row.provider ? html`<${FilterLink} name="provider" value=${row.provider} />` : "none",
    ],
    ["Upstream", row.upstream && html`<code class="wrap-anywhere">${row.upstream}</code>`],
    ["Key", html`<${FilterLink} name="key" value=${row.key} />`],
    [
      "Tags",
      row.tags?.length > 0 && row.tags.map((tag) =>
        html`
          <${FilterLink} key=${tag} name="tag" value=${tag} />
        `
      ),
    ],
    ["API", row.format],
    [
      "Input",
      hasUsage && parts(row.input_tokens, [
        ["cached", row.cached_input_tokens],
        ["written to the cache", row.cache_write_tokens],
      ]),
    ],
    ["Output", hasUsage && parts(row.output_tokens, [["reasoning", row.reasoning_tokens]])],
    ["Usage", SOURCES.get(row.usage_source) ?? row.usage_source],
    ["Cost", hasUsage && html`<${Known} value=${row.cost_usd} format=${usd} />`],
    ["First token", row.first_token_ms != null && duration(row.first_token_ms)],
    ["Duration", duration(row.ms)],
  ];
  return html`
    <${FactList} class="request-facts" facts=${facts.filter(([, value]) => value)} />
  `;
}

/** A value, which leads to all requests that have it. */
function FilterLink({ name, value }) {
  if (value === null) return html`<${Known} value=${value} />`;
  const address = addressOf({ ...NO_FILTERS, [name]: value });
  return html`
    <a class="mono wrap-anywhere" href=${address} title="All requests with this value">${value}</a>
  `;
}

const SOURCES = new Map([
  ["vendor", "reported by the vendor"],
  ["estimated", "estimated, since the vendor reported none"],
  ["none", "none"],
]);

/** A number of tokens, and what it includes. */
function parts(total, included) {
  const texts = included.filter(([, value]) => value > 0).map(([name, value]) =>
    `${count(value)} ${name}`
  );
  return `${count(total)} tokens${texts.length > 0 ? ` (${texts.join(", ")})` : ""}`;
}

/** One request: its row, its attempts and its timings. */

import { html, useEffect, useRef } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { CopyButton, ErrorBox, FactList, Loading } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { count, duration, price, usd } from "../../lib/format.js";
import { unitPriceText, usedUnits } from "../../lib/units.js";
import { pathFor, useLoaded } from "../shared/data.js";
import { Known, TableBox } from "../shared/parts.js";
import { fullTime } from "../shared/times.js";
import { addressOf, timeOf } from "./addresses.js";
import {
  correctionFactsOf,
  costLinesOf,
  routeFactsOf,
  sentenceOf,
  usualText,
  usualTimesOf,
} from "./explanation.js";
import { PATHS } from "./filter_words.js";
import { Status } from "./table.js";
import { Timeline } from "./timeline.js";

export function RequestDetails({ id, time, session, filters, rows = [] }) {
  const index = rows.findIndex((row) => row.id === id && (time === null || row.time === time));
  const query = time === null ? {} : { time };
  const path = pathFor(session, `requests/${encodeURIComponent(id)}`, query);
  const { data, error } = useLoaded((signal) => getJson(path, { signal }), [path]);
  const title = useRef(null);
  useEffect(() => title.current.focus(), []);
  return html`
    <section class="details card" aria-label="Details of the request">
      <header>
        <h2 ref=${title} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${Neighbor} row=${rows[index - 1]} filters=${filters} icon="up" keys="K"
            label="Newer request" />
          <${Neighbor} row=${index < 0 ? undefined : rows[index + 1]} filters=${filters} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${addressOf(filters)} title="Close"
            aria-label="Close the request" aria-keyshortcuts="Alt+Shift+X">
            <${Icon} name="close" />
          </a>
        </span>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${id}</code>
          <${CopyButton} text=${id} label="Copy ID" />
        </p>
        <${ErrorBox} error=${error} title="The request cannot be shown" />
        ${!data && !error && html`<${Loading} />`}
        ${data && html`
          <p class="said">${sentenceOf(data)}</p>
          <${Path} row=${data} filters=${filters} />
          <${Timeline} row=${data} />
          <${Usual} row=${data} session=${session} />
          <${Cost} row=${data} />
          <${Section} title="Route" facts=${routeFactsOf(data)} />
          <${Section} title="Client" facts=${clientFacts(data, filters)} />
          <${Section} title="Corrections" facts=${correctionFactsOf(data)} />
          <${Section} title="Request" facts=${requestFacts(data, filters)} />
          <p class="hint">The receipt of ignored, converted and added parameters is in the headers
            <code>x-sluice-ignored</code>, <code>x-sluice-converted</code> and${" "}
            <code>x-sluice-added</code> of the answer; the ledger does not store it.</p>
          ${session.hasService && data.model !== null && isChat(data) && html`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({ model: data.model })}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `;
}

/** Properties of the request, as badges that link to all such requests. */
function Path({ row, filters }) {
  if (row.path.length === 0) return null;
  return html`
    <p class="row" aria-label="Path">
      ${row.path.map((path) =>
        html`<a key=${path} class="badge" href=${addressOf({ ...timeOf(filters), path })}>${
          PATHS.get(path)
        }</a>`
      )}
    </p>
  `;
}

/** The cost line by line. */
function Cost({ row }) {
  const lines = costLinesOf(row);
  if (lines.length === 0) return null;
  return html`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${TableBox} label="Cost by line" class="cost-lines">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col" class="number">Amount</th>
            <th scope="col" class="number">Price</th>
            <th scope="col" class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map(({ amount, name, price: each, unit, usd: cost }) =>
            html`
              <tr key=${name}>
                <th scope="row">${name}</th>
                <td class="number">${amount === null ? "–" : (unit?.text ?? count)(amount)}</td>
                <td class="number">
                  ${each === null
                    ? "–"
                    : unit === undefined
                    ? `${price(each)} per M`
                    : unitPriceText(unit, each)}
                </td>
                <td class="number" title=${`$${cost}`}>${usd(cost)}</td>
              </tr>
            `
          )}
          <tr>
            <th scope="row">Total</th>
            <td></td>
            <td></td>
            <td class="number"><strong>${row.cost_usd == null
              ? "unknown"
              : usd(row.cost_usd)}</strong></td>
          </tr>
        </tbody>
        <//>
        </section>
  `;
}

/** Facts with a title; nothing without a fact. */
function Section({ title, facts }) {
  if (facts.length === 0) return null;
  const id = `${title.toLowerCase()}-title`;
  return html`
    <section class="stack" aria-labelledby=${id}>
      <h3 id=${id}>${title}</h3>
      <${FactList} class="request-facts" facts=${facts} />
    </section>
  `;
}

const DAY_MS = 86_400_000;

/** The times of the request against those of its model in the 24 hours before it ended. */
function Usual({ row, session }) {
  const end = Date.parse(row.time);
  const [from, to] = [end - DAY_MS, end].map((time) => new Date(time).toISOString());
  const path = row.model === null
    ? undefined
    : pathFor(session, "usage", { from, to, model: row.model });
  const { data } = useLoaded(
    async (signal) => path === undefined ? undefined : await getJson(path, { signal }),
    [path],
  );
  const times = data ? usualTimesOf(row, data.data[0]) : [];
  if (times.length === 0) return null;
  return html`
    <section class="stack" aria-labelledby="usual-title">
      <div class="row spread">
        <h3 id="usual-title">Time against usual</h3>
        <span class="soft small">${row.model}, 24 h</span>
      </div>
      <div class="usual">
        ${times.map(({ band, name, at, value }) =>
          html`
            <span key=${name}>${name}</span>
            <i aria-hidden="true">
              ${band &&
                html`<b style=${{ left: `${band[0]}%`, width: `${band[1] - band[0]}%` }}></b>`}
              <u style=${{ left: `${at}%` }}></u>
            </i>
            <span class="num">${duration(value)}</span>
          `
        )}
      </div>
      <p class="soft small">${usualText(times)}</p>
    </section>
  `;
}

/** A link to the request before or after in the list. */
function Neighbor({ row, filters, icon, keys, label }) {
  if (row === undefined) return null;
  return html`
    <a class="button quiet icon" href=${addressOf(filters, row.id, row.time)} aria-label=${label}
      title=${label} aria-keyshortcuts=${`Alt+Shift+${keys}`}>
      <${Icon} name=${icon} />
    </a>
  `;
}

/** The formats whose requests can be opened in the playground. */
const CHAT_FORMATS = new Set([
  "chat_completions",
  "completions",
  "messages",
  "responses",
  "gemini",
  "ollama",
]);

function isChat({ format }) {
  return CHAT_FORMATS.has(format);
}

/** Links to all requests of the time that have a value. */
function linkTo(filters) {
  return (name, value) =>
    value && html`<${FilterLink} key=${value} name=${name} value=${value} filters=${filters} />`;
}

function clientFacts(row, filters) {
  const link = linkTo(filters);
  return [
    ["Key", link("key", row.key)],
    ["Team", row.team],
    ["Owner", row.owner],
    ["Agent", row.agent],
    ["Started by agent", row.parent_agent],
    ["API", row.format],
    ["Session", link("session", row.session)],
    ["End user", link("end_user", row.end_user)],
    ["Tags", row.tags?.length > 0 && row.tags.map((tag) => link("tag", tag))],
  ].filter(([, value]) => value);
}

function requestFacts(row, filters) {
  const hasUsage = row.usage_source !== "none";
  const link = linkTo(filters);
  return [
    ["Ended", fullTime(row.time)],
    ["Status", html`<${Status} isLong=${true} row=${row} />`],
    ["Model", link("model", row.model) ?? html`<${Known} value=${null} />`],
    ["Provider", row.provider ? link("provider", row.provider) : "none"],
    ["Upstream", row.upstream && html`<code class="wrap-anywhere">${row.upstream}</code>`],
    [
      "Input",
      hasUsage && parts(row.input_tokens, [
        ["cached", row.cached_input_tokens],
        ["written to the cache", row.cache_write_tokens],
      ]),
    ],
    ["Output", hasUsage && parts(row.output_tokens, [["reasoning", row.reasoning_tokens]])],
    ...usedUnits([row]).map(({ id, title, text }) => [title, text(row[id])]),
    ["Usage", SOURCES.get(row.usage_source) ?? row.usage_source],
    ["Cost", hasUsage && html`<${Known} value=${row.cost_usd} format=${usd} />`],
    ["Attempts", row.attempt_count],
    ["First token", row.first_token_ms != null && duration(row.first_token_ms)],
    ["Duration", duration(row.ms)],
  ].filter(([, value]) => value);
}

/** A value that links to all requests in the range with the same value. */
function FilterLink({ name, value, filters }) {
  if (value === null) return html`<${Known} value=${value} />`;
  const address = addressOf({ ...timeOf(filters), [name]: value });
  return html`
    <a class="mono wrap-anywhere" href=${address} title="All requests with this value">${value}</a>
  `;
}

const SOURCES = new Map([
  ["vendor", "reported by the vendor"],
  ["estimated", "estimated, since the vendor reported none"],
  ["none", "none"],
]);

/** A number of tokens and its parts. */
function parts(total, included) {
  const texts = included.filter(([, value]) => value > 0).map(([name, value]) =>
    `${count(value)} ${name}`
  );
  return `${count(total)} tokens${texts.length > 0 ? ` (${texts.join(", ")})` : ""}`;
}

/** The timeline of a request's attempts, from its arrival to its end. */

import { html } from "../../lib/preact.js";
import { duration } from "../../lib/format.js";
import { billText, lanesOf } from "./explanation.js";

/** The minimum width of a bar, in percent: a short attempt stays visible. */
const MIN_WIDTH = 0.8;
/** The minimum time span of the timeline, in milliseconds. */
const MIN_TOTAL_MS = 0.1;

export function Timeline({ row }) {
  const lanes = lanesOf(row);
  const total = Math.max(MIN_TOTAL_MS, row.ms, ...lanes.map(({ start, length }) => start + length));
  const asked = lanes.filter(({ attempt }) => attempt !== undefined);
  return html`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${lanes.map((lane, index) =>
          lane.attempt === undefined
            ? html`
              <${Line}
                key=${lane.kind}
                title=${lane.kind === "queue"
                  ? "Waited in the queue"
                  : "Stream, from the first content"}
                text=${spanText(lane)}
                start=${lane.start}
                length=${lane.length}
                total=${total}
                tone=${lane.tone}
              />
            `
            : html`
              <${Attempt} key=${index} lane=${lane} number=${asked.indexOf(lane) + 1}
                total=${total} />
            `
        )}
        <${Line}
          title="Whole request"
          text=${duration(row.ms)}
          start=${0}
          length=${row.ms}
          total=${total}
          tone="whole"
          mark=${row.first_token_ms}
        />
      </ol>
      <div class="scale faint small mono" aria-hidden="true">
        <span>0</span><span>${duration(total / 2)}</span><span>${duration(total)}</span>
      </div>
      ${asked.length === 0 && row.response_cache !== "hit" && html`
        <p class="hint">No provider was tried.</p>
      `}
    </section>
  `;
}

function Attempt({ lane, number, total }) {
  const { attempt, kind, length, start, tone } = lane;
  const { provider, model, status, error, vendor_text: words } = attempt;
  const bill = billText(attempt);
  return html`
    <${Line}
      title=${html`
        ${number}. <span class="mono wrap-anywhere">${model}</span>
        <span class="soft"> at </span><span class="mono">${provider}</span>
        ${kind === "hedge" && html`<span class="soft">, the hedge</span>`}
      `}
      text=${spanText(lane)}
      start=${start}
      length=${length}
      total=${total}
      tone=${tone}
    >
      <p class="row outcome">
        ${tone === "unused" ? html`<span class="badge">not used</span>` : html`
          <span class=${`badge ${tone}`}>${status ?? "–"}</span>
          ${error ? html`<span class="error-code">${error}</span>` : "answered"}
        `}
        ${notes(attempt).map((note) =>
          html`<span key=${note} class="soft wrap-anywhere">${note}</span>`
        )}
        ${bill !== "" && html`<span class="faint">${bill}</span>`}
      </p>
      ${words && html`<blockquote class="vendor-words wrap-anywhere">${words}</blockquote>`}
      <//>
  `;
}

/** The length and the start of a lane. */
function spanText({ length, start }) {
  return start < 1 ? duration(length) : `${duration(length)}, after ${duration(start)}`;
}

/** What followed a failure. */
const STEPS = new Map([
  ["other_key", "then with another key"],
  ["retry", "then again"],
  ["resent", "then sent again on a new connection"],
  ["next_target", "then the next target"],
  ["continued", "then continued by another target"],
]);

/** Why a target was not tried again. */
const REASONS = new Map([
  ["wait_too_long", "not again: the wait is too long"],
  ["deadline", "not again: the deadline is too near"],
  ["breaker_open", "not again: its breaker is open"],
]);

/** Further facts about the end of an attempt. */
function notes({ cause, corrections = [], next, reason, wait_ms }) {
  const isRetry = next === "retry" && wait_ms !== null;
  return [
    cause,
    ...corrections.map(({ fields, sent_as: name }) =>
      name === null
        ? `sent again without ${fields.join(", ")}`
        : `sent again with ${fields.join(", ")} as ${name}`
    ),
    reason && (REASONS.get(reason) ?? reason),
    wait_ms != null && !isRetry && `asked to wait ${duration(wait_ms)}`,
    isRetry ? `then again after ${duration(wait_ms)}` : STEPS.get(next),
  ].filter((note) => note);
}

function Line({ title, text, start, length, total, tone, mark, children }) {
  const percent = (ms) => `${((100 * ms) / total).toFixed(2)}%`;
  const width = Math.max(MIN_WIDTH, (100 * length) / total);
  return html`
    <li>
      <div class="row spread"><span>${title}</span><span class="soft small">${text}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${tone}`}
          style=${{
            left: percent(Math.min(start, total * (1 - MIN_WIDTH / 100))),
            width: `${width.toFixed(2)}%`,
          }}
        ></span>
        ${mark != null && html`<span class="mark" style=${{ left: percent(mark) }}></span>`}
      </div>
      ${children}
    </li>
  `;
}

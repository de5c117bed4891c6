/** The attempts of a request on its time, from its arrival to its end. */

import { html } from "../../lib/preact.js";
import { duration } from "../../lib/format.js";

/** The minimum width of a bar, in percent: a short attempt stays visible. */
const MIN_WIDTH = 0.8;
/** The minimum time span of the timeline, in milliseconds. */
const MIN_TOTAL_MS = 0.1;

export function Timeline({ row }) {
  const attempts = Array.isArray(row.attempts) ? row.attempts : [];
  const total = Math.max(
    MIN_TOTAL_MS,
    row.ms,
    ...attempts.map(({ started_ms, ms }) => started_ms + ms),
  );
  return html`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${attempts.map((attempt, index) =>
          html`
            <${Attempt} key=${index} attempt=${attempt} number=${index + 1} total=${total} />
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
      ${row.first_token_ms != null && html`
        <p class="hint">
          The line in the bar is the first token, at ${duration(row.first_token_ms)}.
        </p>
      `}
      ${attempts.length === 0 && html`
        <p class="hint">No provider was asked.</p>
      `}
    </section>
  `;
}

function Attempt({ attempt, number, total }) {
  const { provider, model, started_ms, ms, status, error } = attempt;
  const isFailed = error != null || status >= 400;
  return html`
    <${Line}
      title=${html`
        ${number}. <span class="mono wrap-anywhere">${model}</span>
        <span class="soft"> at </span><span class="mono">${provider}</span>
      `}
      text=${started_ms < 1 ? duration(ms) : `${duration(ms)}, after ${duration(started_ms)}`}
      start=${started_ms}
      length=${ms}
      total=${total}
      tone=${isFailed ? "bad" : "good"}
    >
      <p class="row outcome">
        <span class=${`badge ${isFailed ? "bad" : "good"}`}>${status ?? "–"}</span>
        ${error ? html`<span class="error-code">${error}</span>` : "answered"}
        ${notes(attempt).map((note) =>
          html`<span key=${note} class="soft wrap-anywhere">${note}</span>`
        )}
      </p>
      <//>
  `;
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

/** What else is known about the end of an attempt. */
function notes({ cause, next, reason, wait_ms }) {
  const isRetry = next === "retry" && wait_ms !== null;
  return [
    cause,
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

/** The attempts of a request as bars in time, and why each ended. */

import { html } from "../../lib/preact.js";
import { duration } from "../../lib/format.js";
import { Loading } from "../../lib/components.js";
import { toAttempts } from "./attempt_bars.js";

export function Timeline({ run }) {
  if (run.isOpen) {
    const { attempts, provider } = run.headers ?? {};
    return html`
      <${Loading} text=${provider
        ? `${provider} answers (attempt ${attempts})`
        : "Waiting for the first attempt"} />
    `;
  }
  const { attempts, total } = toAttempts(run);
  if (attempts.length === 0) {
    return html`<p class="hint">${
      run.state === "failed" ? "The request ended before any attempt." : "Not known yet."
    }</p>`;
  }
  return html`
    <ol class="timeline">
      ${attempts.map((attempt, index) =>
        html`<${Bar} key=${index} attempt=${attempt} total=${total} />`
      )}
    </ol>
    <p class="timeline-scale faint small" aria-hidden="true"><span>0</span><span>${duration(
      total,
    )}</span></p>
  `;
}

function Bar({ attempt, total }) {
  const { provider, model, start, ms, writing, outcome, isFailed, next } = attempt;
  const style = {
    "--start": `${(start / total) * 100}%`,
    "--length": `${(ms / total) * 100}%`,
    "--writing": `${(writing / total) * 100}%`,
  };
  const time = writing > 0 ? `${duration(ms)} + ${duration(writing)}` : duration(ms);
  return html`
    <li>
      <div class="row spread">
        <span
          class="wrap-anywhere"><strong>${provider}</strong> <span class="faint">${model}</span></span>
        <span class="small soft">${time}</span>
      </div>
      <div class="bar" aria-hidden="true" style=${style}>
        <span class=${isFailed ? "bad" : "good"}></span>
        ${writing > 0 && html`<span class=${`writing ${isFailed ? "bad" : "good"}`}></span>`}
      </div>
      <p class="small">
        <span class=${`badge ${isFailed ? "bad" : "good"}`}>${outcome}</span>
        ${next && html`<span class="soft"> ${next}</span>`}
      </p>
    </li>
  `;
}

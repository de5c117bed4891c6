/** An answer of a model: reasoning, text, tool calls, finish reason, time, tokens and cost. */

import { html, useEffect, useState } from "../../lib/preact.js";
import { CopyButton, ErrorBox, FactList, IconButton } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { count, duration, usd } from "../../lib/format.js";
import { removeRun, retryRun, showReceipt } from "./actions.js";
import { answeredBy } from "./receipt_facts.js";
import { useRun } from "./hooks.js";
import { StreamedText } from "./streamed_text.js";
import { ToolCalls } from "./tool_calls.js";

export function AnswerCard({ run, turnId, columnId, ...is }) {
  const { isLast, isFastest, isCheapest, isSelected, isBusy } = is;
  useRun(run);
  const [fault, setFault] = useState("");
  const { fold, state } = run;
  const retry = () => {
    try {
      retryRun(turnId, columnId);
    } catch (thrown) {
      setFault(thrown.message);
    }
  };
  return html`
    <article class=${`answer ${
      isSelected ? "selected" : ""
    }`} aria-label=${`Answer of ${run.request.model}`}>
      <div class="message-head">
        <h3 class="wrap-anywhere">${run.request.model}</h3>
        <${StateBadge} run=${run} />
        ${isFastest && html`<span class="badge good">fastest</span>`}
        ${isCheapest && html`<span class="badge good">cheapest</span>`}
        <span class="actions">
        ${run.isOpen
          ? html`
            <${IconButton}
              icon="stop"
              class="small danger"
              label="Stop this answer"
              onClick=${() => run.stop()}
            />
          `
          : html`
            <${CopyButton} text=${() => fold.content} label="Copy the answer" isIcon />
            ${isLast && html`
              <${IconButton} icon="retry" class="small" label="Ask again" disabled=${isBusy}
                onClick=${retry} />
            `}
            <${IconButton}
              icon="clear"
              class="small"
              label="Remove this answer"
              onClick=${() => removeRun(turnId, columnId, run)}
            />
          `}
        </span>
      </div>
      <${AnsweredBy} run=${run} />
      <div class="answer-body">
        ${fold.hasReasoning && html`<${Reasoning} run=${run} />`}
        ${state === "waiting" && html`<${Waiting} run=${run} />`}
        <${StreamedText} run=${run} part="content" class="content" />
        <${Refusal} run=${run} />
        <${ToolCalls} run=${run} turnId=${turnId} columnId=${columnId} isLast=${isLast} />
      </div>
      ${run.error !== null && html`<${ErrorBox} error=${run.error} title=${titleOf(run)} />`}
      ${fault !== "" && html`<p class="fault" role="alert">${fault}</p>`}
      <div class="answer-foot">
        <${Figures} run=${run} />
        <button
          type="button"
          class="quiet small"
          aria-pressed=${String(isSelected)}
          onClick=${() => showReceipt(run)}
        ><${Icon} name="receipt" />Receipt</button>
      </div>
      <p class="only-read" role="status">${summary(run)}</p>
    </article>
  `;
}

function titleOf({ fold }) {
  return fold.content === "" ? "The request failed" : "The answer was cut off";
}

const STATES = {
  streaming: ["accent", "writing"],
  stopped: ["warn", "stopped"],
  failed: ["bad", "failed"],
};

/** Finish reasons that are highlighted. */
const NOTICED = new Map([
  ["length", "warn"],
  ["content_filter", "bad"],
  ["tool_calls", "accent"],
]);

function StateBadge({ run: { state, fold } }) {
  const [kind, text] = STATES[state] ?? [NOTICED.get(fold.finishReason) ?? "", fold.finishReason];
  if (!text) return null;
  return html`<span class=${`badge ${kind}`} title="How the answer ended">${text}</span>`;
}

/** The target that answered, which an alias, a fallback or a hedge may have chosen. */
function AnsweredBy({ run }) {
  const text = answeredBy(run);
  return text === "" ? null : html`<p class="answered soft small wrap-anywhere">${text}</p>`;
}

/** The elapsed time until the first piece, updated ten times per second. */
function Waiting({ run }) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, (now - run.startedAt) / 1000).toFixed(1);
  return html`
    <p class="waiting soft"><span class="loading" aria-hidden="true"></span>Waiting ${seconds} s</p>
  `;
}

function Reasoning({ run }) {
  const [isOpen, setOpen] = useState(false);
  const tokens = run.fold.usage?.completion_tokens_details?.reasoning_tokens;
  return html`
    <details class="reasoning" onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Reasoning${tokens > 0 && html`<span class="faint"> ${count(tokens)} tokens</span>`}
      </summary>
      ${isOpen && html`<${StreamedText} run=${run} part="reasoning" />`}
    </details>
  `;
}

function Refusal({ run }) {
  const { refusal } = run.fold;
  if (refusal === "" || run.isOpen) return null;
  return html`
    <div class="refusal"><strong>Refused:</strong> <span class="plain-text">${refusal}</span></div>
  `;
}

/** Time to the first token, speed, tokens and cost. */
function Figures({ run }) {
  const { first, total, speed } = run.timing;
  const { usage } = run.fold;
  const cached = usage?.prompt_tokens_details?.cached_tokens;
  const figures = [
    first !== null && ["First token", duration(first)],
    total !== null && ["Total", duration(total)],
    speed !== null && ["Tokens/s", speed >= 100 ? count(speed) : speed.toFixed(1)],
    usage && [
      "Tokens",
      `${count(usage.prompt_tokens)} in, ${count(usage.completion_tokens)} out` +
      (cached > 0 ? `, ${count(cached)} cached` : ""),
    ],
    run.cost !== null && ["Cost", usd(run.cost)],
  ].filter(Boolean);
  return html`
    <${FactList} class="figures" facts=${figures} />
  `;
}

/** The screen reader announcement at the end of an answer. The growing text is not announced. */
function summary({ state, fold, request: { model } }) {
  switch (state) {
    case "done":
      return `${model} has answered${fold.toolCalls.length > 0 ? " with tool calls" : ""}`;
    case "stopped":
      return `The answer of ${model} was stopped`;
    default:
      return "";
  }
}

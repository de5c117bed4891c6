/** The tool calls of an answer, which the user answers manually. */

import { html, useState } from "../../lib/preact.js";
import { Icon } from "../../lib/icons.js";
import { isObject, parseJson } from "../../lib/json_text.js";
import { continueRun } from "./actions.js";

export function ToolCalls({ run, turnId, columnId, isLast }) {
  const [fault, setFault] = useState("");
  // While an answer grows, its calls are not parsed with each piece.
  if (run.isOpen) return null;
  const calls = run.fold.toolCalls;
  if (calls.length === 0) return null;
  const canAnswer = run.state === "done" && isLast;
  const isReady = calls.every(({ id }) => (run.toolAnswers.get(id) ?? "") !== "");
  const submit = (event) => {
    event.preventDefault();
    setFault("");
    try {
      continueRun(turnId, columnId);
    } catch (thrown) {
      setFault(thrown.message);
    }
  };
  return html`
    <form class="tool-calls" onSubmit=${submit}>
      ${calls.map((call, index) =>
        html`
          <${ToolCall} key=${index} call=${call} run=${run} canAnswer=${canAnswer} />
        `
      )}
      ${canAnswer && html`
        <div class="row">
          <button type="submit" class="primary small" disabled=${!isReady}>
            <${Icon} name="send" />Send ${calls.length === 1 ? "the result" : "the results"}
          </button>
          <span class="hint">The model continues with your answer as the result of the tool.</span>
        </div>
      `}
      ${fault !== "" && html`<p class="fault" role="alert">${fault}</p>`}
    </form>
  `;
}

function ToolCall({ call, run, canAnswer }) {
  const { name, arguments: given, input } = call.function ?? call.custom;
  const answer = run.toolAnswers.get(call.id) ?? "";
  const isInvalid = given !== undefined && !isObjectText(given);
  return html`
    <div class="tool-call">
      <p class="tool-name">
        <span class="badge accent">tool call</span>
        <strong class="mono wrap-anywhere">${name}</strong>
        ${isInvalid && html`
          <span class="badge bad" title="Most tools cannot be called with them">
            arguments are not a JSON object
          </span>
        `}
        <span class="mono faint small wrap-anywhere">${call.id}</span>
      </p>
      <pre class="code-box" tabindex="0" aria-label=${`Arguments of ${name}`}>${shownInput(
        given ?? input,
      )}</pre>
      ${(canAnswer || answer !== "") && html`
        <textarea
          class="code growing"
          rows="2"
          aria-label=${`Result of ${name}`}
          placeholder=${'Result, such as { "temperature": 21 }'}
          readonly=${!canAnswer}
          value=${answer}
          onInput=${(event) => run.answerTool(call.id, event.target.value)}
        ></textarea>
      `}
    </div>
  `;
}

/** Whether a text is a JSON object. No arguments at all count as an empty one. */
function isObjectText(text) {
  return text.trim() === "" || isObject(parseJson(text).value);
}

/** The maximum length of arguments that are indented and shown, in characters. */
const MAX_SHOWN_CHARS = 50_000;

/** Arguments as indented JSON; unchanged if they are not JSON. */
function shownInput(text) {
  if (text.length > MAX_SHOWN_CHARS) return `${text.slice(0, MAX_SHOWN_CHARS)}…`;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

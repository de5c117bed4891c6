/** Example requests. Each needs only a model. */

import { html } from "../../lib/preact.js";
import { EXAMPLE_TOOLS, RESPONSE_FORMATS } from "./parameters.js";
import { getState, setState } from "./store.js";
import { sendDraft, whyNotSend } from "./actions.js";

const EXAMPLES = [
  {
    title: "Ask a question",
    about: "A first answer, streamed",
    text: "What does a model gateway do? Answer in two sentences.",
  },
  {
    title: "Call a tool",
    about: "The model calls a function; you answer in its place",
    text: "What is the weather in Reykjavik? Use get_weather.",
    tools: EXAMPLE_TOOLS,
  },
  {
    title: "Fill a JSON schema",
    about: "An answer that fits response_format",
    text: "Describe Lisbon.",
    parameters: { response_format: RESPONSE_FORMATS.get("json_schema") },
  },
  {
    title: "See what is ignored",
    about: "Parameters that a vendor does not support stay visible in the receipt",
    text: "Say hello.",
    parameters: { temperature: "0.7", seed: "42", logit_bias: '{ "50256": -100 }' },
  },
  {
    title: "Strict mode",
    about: "Nothing is dropped: the request is rejected with a reason",
    text: "Say hello.",
    parameters: { seed: "42", "x-sluice-strict": "true" },
  },
];

/** The start of an empty conversation. */
export function Examples() {
  return html`
    <div class="start">
      <h2>Try a model</h2>
      <p class="soft">
        Write a message below, or start with one of these. The receipt shows how the gateway handled each
        request.
      </p>
      <ul class="example-list">
        ${EXAMPLES.map((example) =>
          html`
            <li key=${example.title}>
              <button type="button" onClick=${() => start(example)}>
                <strong>${example.title}</strong>
                <span class="soft small">${example.about}</span>
              </button>
            </li>
          `
        )}
      </ul>
    </div>
  `;
}

function start({ text, tools = "", parameters = {} }) {
  setState({ parameters, tools, draft: { text, images: [] } });
  if (whyNotSend(getState()) === undefined) sendDraft();
}

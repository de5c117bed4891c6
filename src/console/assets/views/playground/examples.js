/** Requests to start with. Each needs nothing but a model; some show how the gateway handles failures. */

import { html } from "../../lib/preact.js";
import { EXAMPLE_TOOLS } from "./parameters.js";
import { getState, setState } from "./store.js";
import { sendDraft, whyNotSend } from "./actions.js";

/** What an example changes. `needs` is a model that must be configured. */
const EXAMPLES = [
  {
    title: "Ask a question",
    about: "A first answer, streamed",
    text: "What does a model gateway do? Answer in two sentences.",
  },
  {
    title: "Call a tool",
    about: "The model asks for a function; you answer in its place",
    text: "What is the weather in Reykjavik? Use get_weather.",
    tools: EXAMPLE_TOOLS,
  },
  {
    title: "Fill a JSON schema",
    about: "An answer that fits response_format",
    text: "Describe Lisbon.",
    parameters: { response_format: schema() },
  },
  {
    title: "See what is ignored",
    about: "Parameters that a vendor does not support stay visible in the receipt",
    text: "Say hello.",
    parameters: { temperature: "0.7", seed: "42", logit_bias: '{ "50256": -100 }' },
  },
  {
    title: "Strict mode",
    about: "Nothing is dropped: the request is refused with its reason",
    text: "Say hello.",
    parameters: { seed: "42", "x-sluice-strict": "true" },
  },
  {
    title: "Failover",
    about: "The first model fails, the next one answers: see the timeline",
    text: "Who answers now?",
    needs: ["mock-500", "mock-503", "mock-flaky"],
    fallback: true,
  },
  {
    title: "A parameter that the vendor refuses",
    about: "The gateway leaves it out, asks again, and says so",
    text: "Say hello.",
    needs: ["mock-picky"],
    parameters: { response_format: '{ "type": "json_object" }', max_tokens: "20" },
  },
  {
    title: "Reasoning",
    about: "What the model thinks before it answers, folded",
    text: "Think before you answer.",
    needs: ["mock-think"],
  },
  {
    title: "A stream that breaks",
    about: "The vendor's connection is cut in the middle of the answer",
    text: "Count from one to ten, slowly and with care, so that there is something to cut.",
    needs: ["mock-cut"],
  },
];

/** The start of an empty conversation. */
export function Examples({ models }) {
  const ids = new Set(models.map(({ id }) => id));
  const shown = EXAMPLES.filter(({ needs }) => needs?.some((id) => ids.has(id)) ?? true);
  return html`
    <div class="start">
      <h2>Try a model</h2>
      <p class="soft">
        Write a message below, or start with one of these. The receipt shows how the gateway handled each
        request.
      </p>
      <ul class="example-list">
        ${shown.map((example) =>
          html`
            <li key=${example.title}>
              <button type="button" onClick=${() => start(example, ids)}>
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

function start({ text, tools = "", parameters = {}, needs, fallback }, ids) {
  const { columns } = getState();
  const [first] = columns;
  const model = needs?.find((id) => ids.has(id)) ?? first.model;
  // The model that was chosen answers after the one that fails.
  const next = first.model === model || first.model === "" ? "mock-echo" : first.model;
  setState({
    columns: [{ ...first, model }],
    // Other APIs do not have all of these parameters.
    ...((fallback || Object.keys(parameters).length > 0) && { api: "chat" }),
    parameters: fallback ? { ...parameters, models: next } : parameters,
    tools,
    draft: { text, images: [] },
  });
  if (whyNotSend(getState()) === undefined) sendDraft();
}

function schema() {
  const city = {
    type: "object",
    properties: { name: { type: "string" }, country: { type: "string" } },
    required: ["name", "country"],
    additionalProperties: false,
  };
  return JSON.stringify(
    {
      type: "json_schema",
      json_schema: { name: "city", strict: true, schema: city },
    },
    null,
    2,
  );
}

/** Random valid requests, and the leaves of JSON values. */

import type { Random } from "./random.ts";

type Json = Record<string, unknown>;

/** The bytes of the image in messages. */
export const IMAGE_DATA = "iVBORw0KGgo=";
/** The arguments of the tool call in messages. */
export const CITY = "Oslo";

const IMAGE = { url: `data:image/png;base64,${IMAGE_DATA}`, detail: "auto" };

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
  additionalProperties: false,
};

/** Valid values of each optional field. None of them is specific to a vendor. */
const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  stream: [true, false],
  stream_options: [{ include_usage: true }, { include_usage: false }],
  max_tokens: [1, 77, 5000],
  max_completion_tokens: [88],
  temperature: [0, 0.35, 1, 1.85],
  top_p: [0.45, 1],
  n: [1, 3],
  stop: ["END", ["one", "two"], ["a", "b", "c", "d", "e"]],
  seed: [99],
  frequency_penalty: [0, -1.5],
  presence_penalty: [0, 1.25],
  logit_bias: [{ 50: -7 }],
  logprobs: [true, false],
  top_logprobs: [6],
  tools: [[{
    type: "function",
    function: { name: "forecast", description: "Weather", parameters: SCHEMA },
  }]],
  tool_choice: ["auto", "none", "required", { type: "function", function: { name: "forecast" } }],
  parallel_tool_calls: [true, false],
  functions: [[{ name: "lookup", description: "Looks up", parameters: SCHEMA }]],
  function_call: ["auto", "none", { name: "lookup" }],
  response_format: [
    { type: "text" },
    { type: "json_object" },
    { type: "json_schema", json_schema: { name: "answer", schema: SCHEMA } },
  ],
  reasoning_effort: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  verbosity: ["low", "high"],
  user: ["someone"],
  metadata: [{ project: "atlas" }],
  store: [true],
  service_tier: ["auto", "default", "flex"],
  prediction: [{ type: "content", content: "guess" }],
  modalities: [["text"]],
  top_k: [12],
  safety_identifier: ["hashed"],
  own_field: ["own", { deep: [41, "deeper"] }],
};

/** A random valid request: a conversation and some optional fields. */
export function randomRequest(random: Random, model: string): Json {
  const request: Json = { model, messages: randomMessages(random) };
  const density = random.pick([0.05, 0.2, 0.6]);
  for (const [name, values] of random.some(Object.entries(FIELDS), density)) {
    request[name] = structuredClone(random.pick(values));
  }
  // Two different limits are refused.
  if (request.max_tokens !== undefined) delete request.max_completion_tokens;
  return request;
}

function randomMessages(random: Random): Json[] {
  const messages: Json[] = [];
  if (random.chance(0.4)) {
    messages.push({ role: random.pick(["system", "developer"]), content: "Be brief." });
  }
  for (let turn = random.below(3); turn >= 0; turn--) {
    messages.push({ role: "user", content: randomContent(random) });
    if (random.chance(0.4)) messages.push(...toolTurn(random, `call_${turn}`));
    else if (turn > 0) messages.push({ role: "assistant", content: "It depends." });
  }
  return messages;
}

function randomContent(random: Random): unknown {
  const text = random.pick(["What is the weather?", "And tomorrow?"]);
  if (random.chance(0.6)) return text;
  const parts: Json[] = [{ type: "text", text }];
  if (random.chance(0.5)) parts.push({ type: "image_url", image_url: { ...IMAGE } });
  return parts;
}

function toolTurn(random: Random, id: string): Json[] {
  const called = { name: "forecast", arguments: JSON.stringify({ city: CITY }) };
  return [
    {
      role: "assistant",
      content: random.pick([null, "Let me see."]),
      tool_calls: [{ id, type: "function", function: called }],
    },
    { role: "tool", tool_call_id: id, content: "Rain." },
  ];
}

export interface Leaf {
  /** The path of members with dots, without array indexes. */
  readonly path: string;
  readonly value: unknown;
}

/** All texts, numbers and literals of a JSON value. */
export function readLeaves(value: unknown, path = ""): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item) => readLeaves(item, path));
  if (typeof value !== "object" || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) =>
    readLeaves(member, path === "" ? name : `${path}.${name}`)
  );
}

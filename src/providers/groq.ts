import { isObject, type JsonObject } from "../chat.ts";
import { nearestOf, onOrOff } from "./dialect_rewrites.ts";
import { dialectOf, lacks } from "./dialect_row.ts";
import { openAiCompatible } from "./openai.ts";
import { refused } from "./support.ts";

/** Groq (https://console.groq.com/docs/openai, 2026-08). */
export const groq = openAiCompatible(dialectOf({
  kind: "groq",
  baseUrl: "https://api.groq.com/openai/v1",
  tokenLimit: "max_completion_tokens",
  stops: 4,
  parameters: {
    ...lacks("refused", "n", "logprobs", "top_logprobs", "logit_bias"),
    ...lacks("no model uses them", "frequency_penalty", "presence_penalty"),
  },
  content: { input_audio: refused("no audio input"), file: refused("no files") },
  tiers: { auto: "auto", default: "on_demand", flex: "flex", priority: "performance" },
  names: false,
  replays: "reasoning",
  efforts: [
    [/gpt-oss/, nearestOf("low", "medium", "high")],
    // Qwen 3 thinks or does not (https://console.groq.com/docs/reasoning, 2026-08).
    [/qwen3/, onOrOff("default")],
  ],
  // Structured outputs do not stream (https://console.groq.com/docs/structured-outputs, 2026-08).
  schemas: ({ model, stream }) => !stream && model.facts.capabilities?.json_schema !== false,
  rewrites: [withoutNullContent],
  usage: ({ usage, x_groq }) => usage ?? (isObject(x_groq) ? x_groq.usage : undefined),
  failure: ({ x_groq }) => isObject(x_groq) ? x_groq.error : undefined,
}));

/** Nulls inside assistant messages are refused. */
function withoutNullContent(body: JsonObject): JsonObject {
  const messages = (body.messages as readonly JsonObject[]).map((turn) => {
    const { content, ...rest } = turn;
    return content === null ? rest : turn;
  });
  return { ...body, messages };
}

import { type ChatRequest, isObject, type JsonObject } from "../../../contract/chat.ts";
import { nearestOf, onOrOff, withInstruction } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { dialectModels } from "../model_list.ts";
import { withStrictSchemas } from "../../shared/strict_schema.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { AS_ONE_EVENT, NO_FIELD } from "../../shared/transcripts.ts";
import { dialectSpeech, dialectTranscriptions, IN_ONE_EVENT } from "../audio.ts";
import { ignored, native, nativeAs, nativeOnly, refused } from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** Groq (https://console.groq.com/docs/openai, 2026-08). */
export const groq = openAiCompatible(dialectOf({
  kind: "groq",
  models: dialectModels({ isUsable: ({ active }) => active !== false }),
  baseUrl: "https://api.groq.com/openai/v1",
  responses: true,
  apis: {
    // https://console.groq.com/docs/speech-to-text (2026-11).
    transcriptions: dialectTranscriptions({
      parameters: { include: NO_FIELD, chunking_strategy: NO_FIELD, stream: AS_ONE_EVENT },
      extensions: {},
    }),
    // https://console.groq.com/docs/text-to-speech (2026-11).
    speech: dialectSpeech({
      parameters: { instructions: ignored("no such field"), stream_format: IN_ONE_EVENT },
      extensions: { sample_rate: native },
    }),
  },
  tokenLimit: "max_completion_tokens",
  stops: 4,
  parameters: {
    ...lacks("refused", "n", "logprobs", "top_logprobs", "logit_bias"),
    ...lacks("no model uses them", "frequency_penalty", "presence_penalty"),
    response_format: nativeAs("schemas become an instruction if necessary, always with tools"),
  },
  content: {
    input_audio: refused("no audio input"),
    file: refused("no files"),
    // https://console.groq.com/docs/built-in-tools (2026-08).
    server_tool: nativeOnly(
      /^(?:browser_search|code_interpreter)$/,
      "browser_search and code_interpreter",
    ),
  },
  tiers: { auto: "auto", default: "on_demand", flex: "flex", priority: "performance" },
  names: false,
  // https://github.com/CherryHQ/cherry-studio/issues/3307 (2025-03).
  textParts: false,
  replays: "reasoning",
  efforts: [
    [/gpt-oss/, nearestOf("low", "medium", "high")],
    // Qwen 3 can only turn thinking on or off (https://console.groq.com/docs/reasoning, 2026-08).
    [/qwen3/, onOrOff("default")],
  ],
  // Groq's client has none (https://github.com/groq/groq-typescript, CompletionCreateParams), and
  // unknown properties are rejected
  // (https://github.com/immersive-translate/immersive-translate/issues/3016, 2026-11-24).
  supportFor: () => ({ top_k: ignored("no such field") }),
  // Structured outputs do not stream (https://console.groq.com/docs/structured-outputs, 2026-08).
  schemas: ({ model, request, stream }) =>
    hasTools(request) || !stream && model.facts.capabilities?.json_schema !== false,
  rewrites: [withStrictSchemas, withoutNullContent, withoutFormatBesideTools],
  usage: ({ usage, x_groq }) => usage ?? (isObject(x_groq) ? x_groq.usage : undefined),
  failure: ({ x_groq }) => isObject(x_groq) ? x_groq.error : undefined,
}));

/** Removes null content: it is rejected in assistant messages. */
function withoutNullContent(body: JsonObject): JsonObject {
  const messages = (body.messages as readonly JsonObject[]).map((turn) => {
    const { content, ...rest } = turn;
    return content === null ? rest : turn;
  });
  return { ...body, messages };
}

function hasTools({ tools, functions }: ChatRequest): boolean {
  return (tools ?? functions) !== undefined;
}

/**
 * A format combined with tools is rejected (https://github.com/vercel/ai/pull/16540, 2026-07-01).
 * If a call is required, the answer has no text that could be JSON.
 */
function withoutFormatBesideTools(
  body: JsonObject,
  { request, changes }: Call,
): JsonObject {
  const { response_format: format, ...rest } = body;
  if (!isObject(format) || format.type === "text" || !hasTools(request)) return body;
  const { tool_choice: choice } = body;
  if (choice === "required" || isObject(choice)) {
    changes.ignore("response_format");
    return rest;
  }
  changes.convert("response_format", String(format.type), "instruction");
  return withInstruction(rest, request);
}

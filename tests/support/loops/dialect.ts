/** OpenAI-compatible vendors: OpenAI, Azure, and Mistral with its thinking parts. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { toEventStream } from "../scripted_vendor.ts";
import {
  argumentsOf,
  type Called,
  callsOf,
  FUNCTION_TOOL,
  type Loop,
  piecesOf,
  providerAt,
  QUESTION,
  resultOf,
  TOOL,
} from "./loop.ts";

function toCall(call: Called): JsonObject {
  return {
    id: call.id,
    type: "function",
    function: { name: TOOL, arguments: argumentsOf(call) },
  };
}

function toResult(call: Called): JsonObject {
  return { role: "tool", tool_call_id: call.id, content: resultOf(call) };
}

const ENVELOPE = { id: "chatcmpl-vendor", created: 1_700_000_001, model: "vendor-model" };
const USAGE = { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 };

function toCompletion(message: JsonObject): JsonObject {
  return {
    ...ENVELOPE,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    usage: USAGE,
  };
}

function toChunk(delta: JsonObject, finish_reason: string | null = null): JsonObject {
  return {
    ...ENVELOPE,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  };
}

/** The call's name first, then its arguments in pieces. */
function toCallChunks(call: Called, index: number): readonly JsonObject[] {
  const start = { index, id: call.id, type: "function", function: { name: TOOL, arguments: "" } };
  return [
    toChunk({ tool_calls: [start] }),
    ...piecesOf(call).map((piece) =>
      toChunk({ tool_calls: [{ index, function: { arguments: piece } }] })
    ),
  ];
}

const chat = {
  history: "messages",
  question: { role: "user", content: QUESTION },
  calls: callsOf("call_Xk2aPz91", "call_Xk2aPz92"),
  ownIds: true,
  answer: (calls) =>
    toCompletion({
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: calls.map(toCall),
    }),
  stream: (calls) =>
    toEventStream([
      { ...ENVELOPE, id: "", choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
      toChunk({ role: "assistant", content: null, refusal: null }),
      ...calls.flatMap(toCallChunks),
      toChunk({}, "tool_calls"),
      { ...ENVELOPE, object: "chat.completion.chunk", choices: [], usage: USAGE },
      "[DONE]",
    ]),
  back: ({ calls, results }) => [
    { role: "assistant", content: null, tool_calls: calls.map(toCall) },
    ...results.map(toResult),
  ],
} satisfies Partial<Loop>;

const STREAMED = { stream: true, stream_options: { include_usage: true } };

export const openai: Loop = {
  ...chat,
  name: "openai",
  model: "gpt-4.1",
  provider: (url) => providerAt("openai", `${url}/v1`, { id: "gpt-4.1", api: "chat" }),
  path: () => "/v1/chat/completions",
  frame: (stream) => ({ model: "gpt-4.1", tools: [FUNCTION_TOOL], ...(stream && STREAMED) }),
};

export const azure: Loop = {
  ...chat,
  name: "azure",
  model: "gpt-4.1",
  provider: (url) =>
    providerAt("azure", url, "gpt-4.1", {
      api_version: "2024-10-21",
      deployments: { "gpt-4.1": "our-own" },
    }),
  path: () => "/openai/deployments/our-own/chat/completions?api-version=2024-10-21",
  frame: (stream) => ({ model: "our-own", tools: [FUNCTION_TOOL], ...(stream && STREAMED) }),
};

const THOUGHTS = ["Two cities,", " one tool."] as const;
const MISTRAL_MODEL = "mistral-medium-2604";

function toThinking(text: string): JsonObject {
  return { type: "thinking", thinking: [{ type: "text", text }] };
}

export const mistral: Loop = {
  name: "mistral",
  model: MISTRAL_MODEL,
  provider: (url) => providerAt("mistral", `${url}/v1`, MISTRAL_MODEL),
  path: () => "/v1/chat/completions",
  frame: (stream) => ({
    model: MISTRAL_MODEL,
    tools: [FUNCTION_TOOL],
    ...(stream && { stream }),
  }),
  history: "messages",
  question: { role: "user", content: QUESTION },
  calls: callsOf("Ab3dE6gH9", "Kl0mN2oP4"),
  ownIds: true,
  reasoning: THOUGHTS.join(""),
  returnsReasoning: true,
  answer: (calls) =>
    toCompletion({
      role: "assistant",
      content: [toThinking(THOUGHTS.join(""))],
      tool_calls: calls.map((call) => ({
        id: call.id,
        function: { name: TOOL, arguments: argumentsOf(call) },
      })),
    }),
  // Calls arrive in one piece, without a type, in the last event.
  stream: (calls) =>
    toEventStream([
      toChunk({ role: "assistant", content: "" }),
      ...THOUGHTS.map((text) => toChunk({ content: [toThinking(text)] })),
      {
        ...toChunk({
          content: "",
          tool_calls: calls.map((call, index) => ({
            index,
            id: call.id,
            function: { name: TOOL, arguments: argumentsOf(call) },
          })),
        }, "tool_calls"),
        usage: USAGE,
      },
      "[DONE]",
    ]),
  back: ({ calls, results, whole }) => [
    {
      role: "assistant",
      ...(whole && { content: [toThinking(THOUGHTS.join(""))] }),
      tool_calls: calls.map(toCall),
    },
    ...results.map(toResult),
  ],
};

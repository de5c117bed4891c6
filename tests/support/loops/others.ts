/** Cohere with its plan or thinking, and Ollama with its lines. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { toEventStream, toLines } from "../scripted_vendor.ts";
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

const THOUGHTS = ["Two cities,", " one tool."] as const;
const REASONING = THOUGHTS.join("");

function toCall(call: Called): JsonObject {
  return {
    id: call.id,
    type: "function",
    function: { name: TOOL, arguments: argumentsOf(call) },
  };
}

const COHERE_USAGE = { tokens: { input_tokens: 30, output_tokens: 12 } };

function toCohereEvents(
  thoughts: readonly JsonObject[],
  calls: readonly Called[],
): Response {
  const event = (type: string, index: number, message: JsonObject) => ({
    type,
    index,
    delta: { message },
  });
  return toEventStream([
    { type: "message-start", id: "cohere-vendor", delta: { message: { role: "assistant" } } },
    ...thoughts,
    ...calls.flatMap((call, index) => [
      event("tool-call-start", index, {
        tool_calls: { id: call.id, type: "function", function: { name: TOOL, arguments: "" } },
      }),
      ...piecesOf(call).map((piece) =>
        event("tool-call-delta", index, { tool_calls: { function: { arguments: piece } } })
      ),
      { type: "tool-call-end", index },
    ]),
    { type: "message-end", delta: { finish_reason: "TOOL_CALL", usage: COHERE_USAGE } },
  ]);
}

function cohereLoop(
  name: string,
  model: string,
  thought: JsonObject,
  thoughts: readonly JsonObject[],
): Loop {
  return {
    name,
    model,
    provider: (url) => providerAt("cohere", `${url}/v2`, model),
    path: () => "/v2/chat",
    frame: (stream) => ({ model, tools: [FUNCTION_TOOL], ...(stream && { stream }) }),
    history: "messages",
    question: { role: "user", content: QUESTION },
    calls: callsOf("get_weather_k1", "get_weather_k2"),
    ownIds: true,
    reasoning: REASONING,
    returnsReasoning: true,
    answer: (calls) => ({
      id: "cohere-vendor",
      finish_reason: "TOOL_CALL",
      message: { role: "assistant", ...thought, tool_calls: calls.map(toCall) },
      usage: COHERE_USAGE,
    }),
    stream: (calls) => toCohereEvents(thoughts, calls),
    // Results are sent in the order of the calls.
    back: ({ calls, whole }) => [
      { role: "assistant", ...(whole && thought), tool_calls: calls.map(toCall) },
      ...calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: resultOf(call) })),
    ],
  };
}

export const coherePlan = cohereLoop(
  "cohere, tool plan",
  "command-a-03-2025",
  { tool_plan: REASONING },
  THOUGHTS.map((tool_plan) => ({ type: "tool-plan-delta", delta: { message: { tool_plan } } })),
);

export const cohereThinking = cohereLoop(
  "cohere, thinking",
  "command-a-reasoning-08-2025",
  { content: [{ type: "thinking", thinking: REASONING }] },
  [
    {
      type: "content-start",
      index: 0,
      delta: { message: { content: { type: "thinking", thinking: "" } } },
    },
    ...THOUGHTS.map((thinking) => ({
      type: "content-delta",
      index: 0,
      delta: { message: { content: { thinking } } },
    })),
    { type: "content-end", index: 0 },
  ],
);

const OLLAMA_MODEL = "qwen3:8b";
const LINE = { model: OLLAMA_MODEL, created_at: "2023-11-14T22:13:21.5Z" };
const LAST = { done: true, done_reason: "stop", prompt_eval_count: 30, eval_count: 12 };

/** Arguments are an object, and calls have no type. */
function toOllamaCall(call: Called): JsonObject {
  return { id: call.id, function: { name: TOOL, arguments: JSON.parse(argumentsOf(call)) } };
}

export const ollama: Loop = {
  name: "ollama",
  model: OLLAMA_MODEL,
  provider: (url) => providerAt("ollama", url, OLLAMA_MODEL),
  path: () => "/api/chat",
  frame: (stream) => ({
    model: OLLAMA_MODEL,
    tools: [FUNCTION_TOOL],
    stream,
    truncate: false,
  }),
  history: "messages",
  question: { role: "user", content: QUESTION },
  calls: callsOf("call_9x", "call_9y"),
  ownIds: true,
  reasoning: REASONING,
  returnsReasoning: true,
  answer: (calls) => ({
    ...LINE,
    message: {
      role: "assistant",
      content: "",
      thinking: REASONING,
      tool_calls: calls.map(toOllamaCall),
    },
    ...LAST,
  }),
  stream: (calls) =>
    toLines([
      ...THOUGHTS.map((thinking) => ({
        ...LINE,
        message: { role: "assistant", content: "", thinking },
        done: false,
      })),
      ...calls.map((call) => ({
        ...LINE,
        message: { role: "assistant", content: "", tool_calls: [toOllamaCall(call)] },
        done: false,
      })),
      { ...LINE, message: { role: "assistant", content: "" }, ...LAST },
    ]),
  back: ({ calls, results, whole }) => [
    {
      role: "assistant",
      content: "",
      ...(whole && { thinking: REASONING }),
      tool_calls: calls.map(toOllamaCall),
    },
    ...results.map((call) => ({
      role: "tool",
      content: resultOf(call),
      tool_name: TOOL,
      tool_call_id: call.id,
    })),
  ],
};

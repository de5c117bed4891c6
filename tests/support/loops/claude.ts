/** Claude at Anthropic, on Vertex and on Bedrock: signed thinking, or encrypted thinking. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import type { EventMessage } from "../event_stream.ts";
import { toAwsStream, toEventStream } from "../scripted_vendor.ts";
import {
  argumentsOf,
  type Called,
  callsOf,
  DESCRIPTION,
  type Loop,
  PARAMETERS,
  piecesOf,
  providerAt,
  QUESTION,
  resultOf,
  TOOL,
} from "./loop.ts";

const REASONING = "Two cities, one tool.";
const THINKING = { type: "thinking", thinking: REASONING, signature: "EqQBsig+/nature=" };
const REDACTED = { type: "redacted_thinking", data: "EmwKopaque+/==" };
const CALLS = callsOf("toolu_01A", "toolu_01B");

function toToolUse(call: Called): JsonObject {
  return { type: "tool_use", id: call.id, name: TOOL, input: JSON.parse(argumentsOf(call)) };
}

const MESSAGE = {
  id: "msg_01",
  type: "message",
  role: "assistant",
  model: "claude-vendor",
  stop_sequence: null,
};
const USAGE = { input_tokens: 30, output_tokens: 12 };

function toMessage(calls: readonly Called[]): JsonObject {
  const content = [THINKING, REDACTED, ...calls.map(toToolUse)];
  return { ...MESSAGE, content, stop_reason: "tool_use", usage: USAGE };
}

function toMessageEvents(calls: readonly Called[]): Response {
  const delta = (index: number, delta: JsonObject) => ({
    type: "content_block_delta",
    index,
    delta,
  });
  const stop = (index: number) => ({ type: "content_block_stop", index });
  const start = (index: number, content_block: JsonObject) => ({
    type: "content_block_start",
    index,
    content_block,
  });
  return toEventStream([
    {
      type: "message_start",
      message: { ...MESSAGE, content: [], stop_reason: null, usage: USAGE },
    },
    start(0, { type: "thinking", thinking: "", signature: "" }),
    { type: "ping" },
    delta(0, { type: "thinking_delta", thinking: "Two cities," }),
    delta(0, { type: "thinking_delta", thinking: " one tool." }),
    delta(0, { type: "signature_delta", signature: THINKING.signature }),
    stop(0),
    start(1, REDACTED),
    stop(1),
    ...calls.flatMap((call, at) => [
      start(at + 2, { ...toToolUse(call), input: {} }),
      ...["", ...piecesOf(call)].map((partial_json) =>
        delta(at + 2, { type: "input_json_delta", partial_json })
      ),
      stop(at + 2),
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: USAGE,
    },
    { type: "message_stop" },
  ]);
}

const TOOLS = [{ name: TOOL, description: DESCRIPTION, input_schema: PARAMETERS }];

const claude = {
  history: "messages",
  question: { role: "user", content: [{ type: "text", text: QUESTION }] },
  calls: CALLS,
  ownIds: true,
  reasoning: REASONING,
  answer: toMessage,
  stream: toMessageEvents,
  back: ({ calls, results, whole }) => [
    {
      role: "assistant",
      content: [...(whole ? [THINKING, REDACTED] : []), ...calls.map(toToolUse)],
    },
    {
      role: "user",
      content: results.map((call) => ({
        type: "tool_result",
        tool_use_id: call.id,
        content: resultOf(call),
      })),
    },
  ],
} satisfies Partial<Loop>;

export const anthropic: Loop = {
  ...claude,
  name: "anthropic",
  model: "claude-sonnet-4-5",
  provider: (url) => providerAt("anthropic", `${url}/v1`, "claude-sonnet-4-5"),
  path: () => "/v1/messages",
  frame: (stream) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 64_000,
    tools: TOOLS,
    ...(stream && { stream }),
  }),
};

export const claudeOnVertex: Loop = {
  ...claude,
  name: "vertex, Claude",
  model: "claude-sonnet-4-5",
  provider: (url) =>
    providerAt("vertex", `${url}/v1`, "claude-sonnet-4-5", { project: "ours", location: "eu" }),
  path: (stream) =>
    "/v1/projects/ours/locations/eu/publishers/anthropic/models/claude-sonnet-4-5:" +
    (stream ? "streamRawPredict" : "rawPredict"),
  frame: (stream) => ({
    anthropic_version: "vertex-2023-10-16",
    max_tokens: 64_000,
    tools: TOOLS,
    ...(stream && { stream }),
  }),
};

const SIGNED = { text: REASONING, signature: "c2lnbmF0dXJl" };
const SEALED = { redactedContent: "cmVkYWN0ZWQ=" };
const COUNTS = { inputTokens: 30, outputTokens: 12, totalTokens: 42 };

const THOUGHTS = [
  { reasoningContent: { reasoningText: SIGNED } },
  { reasoningContent: SEALED },
];

function toBlocks(calls: readonly Called[], thoughts = THOUGHTS): readonly JsonObject[] {
  return [
    ...thoughts,
    ...calls.map((call) => ({
      toolUse: { toolUseId: call.id, name: TOOL, input: JSON.parse(argumentsOf(call)) },
    })),
  ];
}

function toConverseEvents(calls: readonly Called[]): Response {
  const delta = (contentBlockIndex: number, delta: JsonObject): EventMessage => ({
    event: "contentBlockDelta",
    data: { contentBlockIndex, delta, p: "abcdefgh" },
  });
  const stop = (contentBlockIndex: number): EventMessage => ({
    event: "contentBlockStop",
    data: { contentBlockIndex, p: "ab" },
  });
  return toAwsStream([
    { event: "messageStart", data: { role: "assistant" } },
    delta(0, { reasoningContent: { text: "Two cities," } }),
    delta(0, { reasoningContent: { text: " one tool." } }),
    delta(0, { reasoningContent: { signature: "c2ln" } }),
    delta(0, { reasoningContent: { signature: "bmF0dXJl" } }),
    stop(0),
    delta(1, { reasoningContent: SEALED }),
    stop(1),
    ...calls.flatMap((call, at): EventMessage[] => [
      {
        event: "contentBlockStart",
        data: {
          contentBlockIndex: at + 2,
          start: { toolUse: { toolUseId: call.id, name: TOOL } },
        },
      },
      ...piecesOf(call).map((input) => delta(at + 2, { toolUse: { input } })),
      stop(at + 2),
    ]),
    { event: "messageStop", data: { stopReason: "tool_use" } },
    { event: "metadata", data: { usage: COUNTS, metrics: { latencyMs: 321 } } },
  ]);
}

const BEDROCK_MODEL = "global.anthropic.claude-sonnet-5";

export const bedrock: Loop = {
  name: "bedrock",
  model: BEDROCK_MODEL,
  provider: (url) => providerAt("bedrock", url, BEDROCK_MODEL, { region: "us-east-1" }),
  path: (stream) => `/model/${BEDROCK_MODEL}/${stream ? "converse-stream" : "converse"}`,
  frame: () => ({
    toolConfig: {
      tools: [{
        toolSpec: { name: TOOL, description: DESCRIPTION, inputSchema: { json: PARAMETERS } },
      }],
    },
  }),
  history: "messages",
  question: { role: "user", content: [{ text: QUESTION }] },
  calls: callsOf("tooluse_A1", "tooluse_A2"),
  ownIds: true,
  reasoning: REASONING,
  answer: (calls) => ({
    output: { message: { role: "assistant", content: toBlocks(calls) } },
    stopReason: "tool_use",
    usage: COUNTS,
    metrics: { latencyMs: 321 },
  }),
  stream: toConverseEvents,
  back: ({ calls, results, whole }) => [
    { role: "assistant", content: toBlocks(calls, whole ? THOUGHTS : []) },
    {
      role: "user",
      content: results.map((call) => ({
        toolResult: { toolUseId: call.id, content: [{ text: resultOf(call) }] },
      })),
    },
  ],
};

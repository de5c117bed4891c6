/** Streams in every format, each of which grows in one way. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { encodeMessages } from "../event_stream.ts";
import type { Format } from "./answers.ts";
import { DIALECT, FRAMINGS, type MakeEvents, type MakeStream } from "./dialect_streams.ts";
import { many, members } from "./schemas.ts";

type Json = JsonObject;
const encoder = new TextEncoder();

const sse = (events: readonly unknown[]): Uint8Array =>
  encoder.encode(
    events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
      .join(""),
  );
const lines = (values: readonly unknown[]): Uint8Array =>
  encoder.encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
const frames = (events: readonly unknown[]): Uint8Array =>
  encodeMessages((events as [string, unknown][]).map(([event, data]) => ({ event, data })));

const item = (output_index: number, rest: Json): Json => ({
  type: "response.output_item.added",
  output_index,
  item: rest,
});
const done = (output_index: number, rest: Json): Json => ({
  ...item(output_index, rest),
  type: "response.output_item.done",
});
const said = (output_index: number, rest: Json = {}): Json => ({
  ...{ type: "response.output_text.delta", output_index, content_index: 0, delta: "a" },
  ...rest,
});
const COMPLETED = {
  type: "response.completed",
  response: { status: "completed", output: [], usage: { input_tokens: 1, output_tokens: 1 } },
};
const SPOKEN = { type: "message", content: [{ type: "output_text", text: "a" }] };
const COMMENT = { ...SPOKEN, phase: "commentary" };
const FUNCTION = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
const PARALLEL = { ...FUNCTION, name: "parallel" };

const RESPONSES: Readonly<Record<string, MakeEvents>> = {
  "texts": (n) => [item(0, SPOKEN), ...many(n, () => said(0)), COMPLETED],
  "parts": (n) => [item(0, SPOKEN), ...many(n, (at) => said(0, { content_index: at })), COMPLETED],
  "messages": (
    n,
  ) => [...many(n, (at) => [item(at, SPOKEN), said(at), done(at, SPOKEN)]).flat(), COMPLETED],
  "messages without a beginning": (n) => [...many(n, (at) => said(at)), COMPLETED],
  "comments": (n) => [
    ...many(n, (at) => item(at, COMMENT)),
    ...many(n, (at) => said(at)),
    COMPLETED,
  ],
  "texts of one comment of many": (n) => [
    ...many(n, (at) => item(at, COMMENT)),
    ...many(n, () => said(n - 1, { logprobs: [{ token: "a" }] })),
    item(n, SPOKEN),
    COMPLETED,
  ],
  "annotations": (n) => [
    said(0),
    ...many(n, (at) => ({
      type: "response.output_text.annotation.added",
      ...{ output_index: 0, content_index: 0 },
      annotation: { type: "url_citation", url: "u", start_index: at, end_index: at },
    })),
    COMPLETED,
  ],
  "calls": (n) => [...many(n, (at) => [item(at, FUNCTION), done(at, FUNCTION)]).flat(), COMPLETED],
  "pieces of arguments": (n) => [
    item(0, FUNCTION),
    ...many(n, () => ({
      ...{ type: "response.function_call_arguments.delta", output_index: 0, delta: "1" },
    })),
    COMPLETED,
  ],
  "parallel calls": (n) => [
    ...many(n, (at) => [item(at, PARALLEL), done(at, PARALLEL)]).flat(),
    COMPLETED,
  ],
  "custom calls": (n) => [
    ...many(n, (at) => done(at, { type: "custom_tool_call", name: "f", input: "1" })),
    COMPLETED,
  ],
  "reasoning": (n) => [
    ...many(
      n,
      (at) => done(at, { type: "reasoning", encrypted_content: "a", summary: [{ text: "a" }] }),
    ),
    said(n),
    COMPLETED,
  ],
  "parts of reasoning": (n) => [
    ...many(n, (at) => ({
      ...{ type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: at },
      delta: "a",
    })),
    said(1),
    COMPLETED,
  ],
  "items of the last event": (n) => [{
    type: "response.completed",
    response: { status: "completed", output: many(n, (at) => at % 2 ? SPOKEN : FUNCTION) },
  }],
  "refusals": (n) => [
    ...many(n, (at) => ({ type: "response.refusal.delta", output_index: at, delta: "a" })),
    COMPLETED,
  ],
};

const START = {
  type: "message_start",
  message: { id: "a", type: "message", role: "assistant", model: "m", content: [], usage: {} },
};
const block = (index: number, content_block: Json, ...deltas: Json[]): Json[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const STOP = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];
const anthropic = (...events: readonly Json[]): Json[] => [START, ...events, ...STOP];
const spokenDelta = (text: string): Json => ({ type: "text_delta", text });

const ANTHROPIC: Readonly<Record<string, MakeEvents>> = {
  "texts": (n) => anthropic(...block(0, { type: "text" }, ...many(n, () => spokenDelta("a")))),
  "white space": (n) =>
    anthropic(...block(0, { type: "text" }, ...many(n, () => spokenDelta(" ")))),
  "back quotes": (n) =>
    anthropic(...block(0, { type: "text" }, ...many(n, () => spokenDelta("`")))),
  "a fence without a line": (n) =>
    anthropic(...block(0, { type: "text" }, ...many(n, (at) => spokenDelta(at ? "a" : "```")))),
  "white space in a fence": (n) =>
    anthropic(
      ...block(0, { type: "text" }, spokenDelta("```json\n"), ...many(n, () => spokenDelta("\n"))),
    ),
  "blocks": (n) =>
    anthropic(...many(n, (at) => block(at, { type: "text" }, spokenDelta("a"))).flat()),
  "blocks that never end": (n) =>
    anthropic(
      ...many(n, (at) => block(at, { type: "thinking" }).slice(0, 1)).flat(),
      ...many(n, (at) => ({
        ...{ type: "content_block_delta", index: at },
        delta: { type: "thinking_delta", thinking: "a" },
      })),
    ),
  "thoughts": (n) =>
    anthropic(
      ...many(n, (at) =>
        block(
          at,
          { type: "thinking" },
          { type: "thinking_delta", thinking: "a" },
          { type: "signature_delta", signature: "b" },
        )).flat(),
    ),
  "pieces of a signature": (n) =>
    anthropic(
      ...block(
        0,
        { type: "thinking" },
        ...many(n, () => ({ type: "signature_delta", signature: "b" })),
      ),
    ),
  "calls": (n) =>
    anthropic(
      ...many(n, (at) =>
        block(at, { type: "tool_use", id: `c${at}`, name: "f" }, {
          type: "input_json_delta",
          partial_json: "{}",
        })).flat(),
    ),
  "calls without arguments": (n) =>
    anthropic(...many(n, (at) => block(at, { type: "tool_use", id: `c${at}`, name: "f" })).flat()),
  "content of the first event": (n) => [
    {
      ...START,
      message: { ...START.message, content: many(n, () => ({ type: "text", text: "a" })) },
    },
    ...STOP,
  ],
  "ends with many members": (n) =>
    anthropic(
      { type: "message_delta", delta: members(n, (at) => at), usage: members(n, (at) => at) },
      ...many(n, (at) => ({ type: "message_delta", delta: { at }, usage: { output_tokens: at } })),
    ),
  "pings": (n) => anthropic(...many(n, () => ({ type: "ping" }))),
};

const parts = (own: Json[], rest: Json = {}): Json => ({
  responseId: "a",
  candidates: [{ index: 0, content: { role: "model", parts: own }, ...rest }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
});
const LAST = parts([{ text: "a" }], { finishReason: "STOP" });

const GEMINI: Readonly<Record<string, MakeEvents>> = {
  "texts": (n) => [...many(n, () => parts([{ text: "a" }])), LAST],
  "ends": (n) => [...many(n, () => LAST)],
  "parts": (n) => [parts(many(n, () => ({ text: "a" }))), LAST],
  "thoughts": (n) => [...many(n, () => parts([{ text: "a", thought: true }])), LAST],
  "calls": (n) => [
    ...many(n, (at) => parts([{ functionCall: { name: `f${at}`, args: { at } } }])),
    LAST,
  ],
  "calls in one event": (n) => [
    parts(many(n, (at) => ({ functionCall: { name: `f${at}`, args: { at } } }))),
    LAST,
  ],
  "pieces of arguments": (n) => [
    parts([{ functionCall: { name: "f", willContinue: true } }]),
    ...many(n, (at) =>
      parts([{
        functionCall: {
          partialArgs: [{ jsonPath: `$.a${at % 10}`, stringValue: "a" }],
          willContinue: true,
        },
      }])),
    parts([{ functionCall: {} }]),
    LAST,
  ],
  "pieces of a list": (n) => [
    parts([{ functionCall: { name: "f", willContinue: true } }]),
    ...many(n, (at) =>
      parts([{
        functionCall: {
          partialArgs: [{ jsonPath: `$.a[${at}]`, numberValue: at }],
          willContinue: true,
        },
      }])),
    parts([{ functionCall: {} }]),
    LAST,
  ],
  "a long path": (n) => [
    parts([{ functionCall: { name: "f", willContinue: true } }]),
    ...["[0]", ".a", "['a']", '["\\\\"]', "['"].map((step) =>
      parts([{
        functionCall: { partialArgs: [{ jsonPath: `$.a${step.repeat(n)}`, numberValue: 1 }] },
      }])
    ),
    LAST,
  ],
  "candidates": (n) => [
    ...many(n, (index) => ({ candidates: [{ index, content: { parts: [{ text: "a" }] } }] })),
    ...many(n, (index) => ({ candidates: [{ index, finishReason: "STOP" }] })),
  ],
  "candidates in one event": (n) => [{
    candidates: many(n, (index) => ({
      ...{ index, content: { parts: [{ text: "a" }] }, finishReason: "STOP" },
    })),
  }],
  "events in a list": (n) => [many(n, () => LAST), LAST],
};

const converse = (...events: [string, Json][]): [string, Json][] => [
  ...events,
  ["messageStop", { stopReason: "end_turn" }],
  ["metadata", { usage: { inputTokens: 1, outputTokens: 1 } }],
];
const delta = (contentBlockIndex: number, own: Json): [string, Json] => [
  "contentBlockDelta",
  { contentBlockIndex, delta: own },
];
const ended = (contentBlockIndex: number): [string, Json] => [
  "contentBlockStop",
  { contentBlockIndex },
];

const BEDROCK: Readonly<Record<string, MakeEvents>> = {
  "texts": (n) => converse(...many(n, () => delta(0, { text: "a" }))),
  "white space": (n) => converse(...many(n, () => delta(0, { text: " " }))),
  "a fence without a line": (n) =>
    converse(...many(n, (at) => delta(0, { text: at ? "a" : "```" }))),
  "thoughts": (n) =>
    converse(
      ...many(n, (at) => [
        delta(at, { reasoningContent: { text: "a" } }),
        delta(at, { reasoningContent: { signature: "b" } }),
        ended(at),
      ]).flat(),
    ),
  "calls": (n) =>
    converse(
      ...many(n, (contentBlockIndex): [string, Json][] => [
        ["contentBlockStart", {
          contentBlockIndex,
          start: { toolUse: { toolUseId: `c${contentBlockIndex}`, name: "f" } },
        }],
        delta(contentBlockIndex, { toolUse: { input: "{}" } }),
        ended(contentBlockIndex),
      ]).flat(),
    ),
};

const cohereText = (text: string): Json => ({
  type: "content-delta",
  index: 0,
  delta: { message: { content: { text } } },
});
const COHERE_END = { type: "message-end", delta: { finish_reason: "COMPLETE", usage: {} } };

const COHERE: Readonly<Record<string, MakeEvents>> = {
  "texts": (n) => [...many(n, () => cohereText("a")), COHERE_END],
  "white space": (n) => [...many(n, () => cohereText(" ")), COHERE_END],
  "a fence without a line": (n) => [
    ...many(n, (at) => cohereText(at ? "a" : "```")),
    COHERE_END,
  ],
  "thoughts": (n) => [
    ...many(n, (index) => ({
      ...{ type: "content-delta", index },
      delta: { message: { content: { type: "thinking", thinking: "a" } } },
    })),
    COHERE_END,
  ],
  "plans": (n) => [
    ...many(n, () => ({ type: "tool-plan-delta", delta: { message: { tool_plan: "a" } } })),
    COHERE_END,
  ],
  "calls that never end": (n) => [
    ...many(n, (index) => ({
      ...{ type: "tool-call-start", index },
      delta: { message: { tool_calls: { id: `c${index}`, function: { name: "f" } } } },
    })),
    COHERE_END,
  ],
};

const OLLAMA: Readonly<Record<string, MakeEvents>> = {
  "texts": (n) => [...many(n, () => ({ message: { content: "a" } })), { done: true }],
  "white space": (n) => [...many(n, () => ({ message: { content: " " } })), { done: true }],
  "a fence without a line": (n) => [
    ...many(n, (at) => ({ message: { content: at ? "a" : "```" } })),
    { done: true },
  ],
  "thoughts": (n) => [...many(n, () => ({ message: { thinking: "a" } })), { done: true }],
  "calls": (n) => [
    ...many(n, (at) => ({ message: { tool_calls: [{ function: { name: `f${at}` } }] } })),
    { done: true },
  ],
  "calls in one line": (n) => [
    {
      message: {
        tool_calls: many(n, (at) => ({ function: { name: `f${at}`, arguments: { at } } })),
      },
    },
    { done: true },
  ],
};

const EVENTS: Readonly<Record<Format, Readonly<Record<string, MakeEvents>>>> = {
  dialect: DIALECT,
  responses: RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  bedrock: BEDROCK,
  cohere: COHERE,
  ollama: OLLAMA,
};

const ENCODE: Readonly<Partial<Record<Format, typeof sse>>> = { bedrock: frames, ollama: lines };

/** Streams of a format, by what grows in them. */
export function streamsOf(format: Format): [name: string, make: MakeStream][] {
  const encode = ENCODE[format] ?? sse;
  const events = Object.entries(EVENTS[format]).map(([name, make]): [string, MakeStream] => [
    name,
    (size) => encode(make(size)),
  ]);
  return [...events, ...format === "dialect" ? Object.entries(FRAMINGS) : []];
}

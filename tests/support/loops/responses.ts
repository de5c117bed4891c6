/** OpenAI's Responses API at OpenAI and Azure, with encrypted reasoning. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { toEventStream } from "../scripted_vendor.ts";
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

const MODEL = "gpt-5.5";
const THOUGHTS = ["Two cities,", " one tool."] as const;
const SUMMARY = [{ type: "summary_text", text: THOUGHTS.join("") }];
/** Reasoning has several items, which must all be sent back. */
const SEALS = ["gAAAAABsealed+/1==", "gAAAAABsealed+/2=="] as const;

const REASONING_ITEMS = SEALS.map((encrypted_content, at) => ({
  id: `rs_${at}`,
  type: "reasoning",
  encrypted_content,
  summary: at === 0 ? SUMMARY : [],
}));

function toCallItem(call: Called): JsonObject {
  return {
    id: `fc_${call.id}`,
    type: "function_call",
    status: "completed",
    call_id: call.id,
    name: TOOL,
    arguments: argumentsOf(call),
  };
}

function toResponse(output: readonly JsonObject[], status: string): JsonObject {
  return {
    id: "resp_vendor",
    object: "response",
    created_at: 1_700_000_001,
    status,
    error: null,
    incomplete_details: null,
    model: "gpt-5.5-2026-04-23",
    output,
    usage: status === "completed"
      ? { input_tokens: 30, output_tokens: 12, total_tokens: 42 }
      : null,
  };
}

function toAnswer(calls: readonly Called[]): JsonObject {
  return toResponse([...REASONING_ITEMS, ...calls.map(toCallItem)], "completed");
}

function toEvents(calls: readonly Called[]): Response {
  const added = (output_index: number, item: JsonObject) => ({
    type: "response.output_item.added",
    output_index,
    item,
  });
  const done = (output_index: number, item: JsonObject) => ({
    type: "response.output_item.done",
    output_index,
    item,
  });
  const events = [
    { type: "response.created", response: toResponse([], "in_progress") },
    ...REASONING_ITEMS.flatMap((item, at) => [
      // An earlier, shorter encrypted text, which must not be sent back.
      added(at, { ...item, encrypted_content: "gAAAAABpartial", summary: [] }),
      ...(at === 0 ? THOUGHTS : []).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        item_id: item.id,
        output_index: at,
        summary_index: 0,
        delta,
      })),
      done(at, item),
    ]),
    ...calls.flatMap((call, at) => {
      const [output_index, item] = [at + SEALS.length, toCallItem(call)];
      return [
        added(output_index, { ...item, status: "in_progress", arguments: "" }),
        ...piecesOf(call).map((delta) => ({
          type: "response.function_call_arguments.delta",
          item_id: item.id,
          output_index,
          delta,
        })),
        {
          type: "response.function_call_arguments.done",
          item_id: item.id,
          output_index,
          arguments: argumentsOf(call),
        },
        done(output_index, item),
      ];
    }),
    { type: "response.completed", response: toAnswer(calls) },
  ];
  return toEventStream(events.map((event, sequence_number) => ({ ...event, sequence_number })));
}

const responses = {
  model: MODEL,
  history: "input",
  question: { role: "user", content: QUESTION },
  calls: callsOf("call_Xk2aPz91", "call_Xk2aPz92"),
  ownIds: true,
  reasoning: THOUGHTS.join(""),
  answer: toAnswer,
  stream: toEvents,
  back: ({ calls, results, whole }) => [
    ...(whole ? SEALS : []).map((encrypted_content) => ({
      type: "reasoning",
      summary: [],
      encrypted_content,
    })),
    ...calls.map((call) => ({
      type: "function_call",
      call_id: call.id,
      name: TOOL,
      arguments: argumentsOf(call),
    })),
    ...results.map((call) => ({
      type: "function_call_output",
      call_id: call.id,
      output: resultOf(call),
    })),
  ],
} satisfies Partial<Loop>;

function toFrame(model: string, stream: boolean): JsonObject {
  return {
    model,
    tools: [{
      type: "function",
      name: TOOL,
      description: DESCRIPTION,
      parameters: PARAMETERS,
      strict: false,
    }],
    store: false,
    include: ["reasoning.encrypted_content"],
    ...(stream && { stream }),
  };
}

export const openaiResponses: Loop = {
  ...responses,
  name: "openai, Responses API",
  provider: (url) => providerAt("openai", `${url}/v1`, { id: MODEL, api: "responses" }),
  path: () => "/v1/responses",
  frame: (stream) => toFrame(MODEL, stream),
};

export const azureResponses: Loop = {
  ...responses,
  name: "azure, Responses API",
  provider: (url) =>
    providerAt("azure", url, { id: MODEL, api: "responses" }, {
      deployments: { [MODEL]: "our-own" },
    }),
  path: () => "/openai/v1/responses",
  frame: (stream) => toFrame("our-own", stream),
};

/** Chat requests without a model, each of which grows in one way. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { many, members, replacedName } from "./schemas.ts";

/** Creates the members of a request, except its model. */
export type MakeRequest = (size: number) => JsonObject;

type Json = JsonObject;

export const USER: Json = { role: "user", content: "Hi" };
const PIXEL = "data:image/png;base64,iVBORw0KGgo=";
const PDF = "data:application/pdf;base64,JVBERi0xLjQ=";

const text = (content: string): Json => ({ type: "text", text: content });
const image = (url: string): Json => ({ type: "image_url", image_url: { url } });
const user = (content: unknown): Json => ({ role: "user", content });
const assistant = (rest: Json): Json => ({ role: "assistant", ...rest });
const call = (id: string, rest: Json = {}): Json => ({
  id,
  type: "function",
  function: { name: "f", arguments: '{"a":1}' },
  ...rest,
});
const result = (tool_call_id: string, content: unknown = "1"): Json => ({
  role: "tool",
  tool_call_id,
  content,
});
const tool = (name: string, rest: Json = {}): Json => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} }, ...rest },
});
const CACHE = { cache_control: { type: "ephemeral" } };

/** One message with many calls, followed by their results. */
function calls(ids: readonly string[], answered: readonly string[] = ids): Json[] {
  return [
    USER,
    assistant({ tool_calls: ids.map((id) => call(id)) }),
    ...answered.map((id) => result(id)),
  ];
}

/** Many rounds of one call and its result. */
function rounds(count: number, idOf: (at: number) => string): Json[] {
  return [
    USER,
    ...many(count, (at) => [
      assistant({ tool_calls: [call(idOf(at))] }),
      result(idOf(at)),
    ]).flat(),
  ];
}

/** Letters and digits for the end of names with the same start. */
function letters(at: number, length: number): string {
  return at.toString(36).padStart(length, "0");
}

const conversation = (make: (size: number) => unknown[]): MakeRequest => (n) => ({
  messages: make(n),
});
const beside = (make: (size: number) => Json): MakeRequest => (n) => ({
  messages: [USER],
  ...make(n),
});

export const MESSAGES: Readonly<Record<string, MakeRequest>> = {
  "turns of the user": conversation((n) => many(n, () => USER)),
  "alternating turns": conversation((n) =>
    many(n, (at) => at % 2 === 0 ? USER : assistant({ content: "Yes" }))
  ),
  "turns of the assistant": conversation((
    n,
  ) => [USER, ...many(n, () => assistant({ content: "Yes" }))]),
  "turns of the assistant that say nothing": conversation((n) => [
    USER,
    ...many(n, () => assistant({ content: "" })),
  ]),
  "system messages alone": conversation((n) => many(n, () => ({ role: "system", content: "Be" }))),
  "late system and developer messages": conversation((n) => [
    USER,
    ...many(n, (at) => ({ role: at % 2 === 0 ? "system" : "developer", content: "Be" })),
  ]),
  "parts of text": conversation((n) => [user(many(n, () => text("a")))]),
  "parts without text": conversation((n) => [USER, user(many(n, () => text(" ")))]),
  "parts of a system message": conversation((n) => [
    { role: "system", content: many(n, () => text("a")) },
    USER,
  ]),
  "refusals": conversation((n) => [
    USER,
    assistant({ content: many(n, () => ({ type: "refusal", refusal: "No" })) }),
  ]),
  "names": conversation((n) => many(n, (at) => ({ ...USER, name: `n${at}` }))),
  "cache marks on messages": conversation((n) => many(n, () => ({ ...USER, ...CACHE }))),
  "cache marks on parts": conversation((n) => [user(many(n, () => ({ ...text("a"), ...CACHE })))]),
  "cache marks on parts without text": conversation((n) => [
    user([text("a"), ...many(n, () => ({ ...text(" "), ...CACHE }))]),
  ]),
  "images as data": conversation((n) => [user(many(n, () => image(PIXEL)))]),
  "images by their address": conversation((n) => [
    user(many(n, (at) => image(`https://host.test/${at}.png`))),
  ]),
  "one large image": conversation((n) => [user([image(`${PIXEL}${"AAAA".repeat(16 * n)}`)])]),
  "files": conversation((n) => [
    user(many(n, () => ({ type: "file", file: { filename: "a.pdf", file_data: PDF } }))),
  ]),
  "files with names": conversation((n) => [
    user(many(n, (at) => ({ type: "file", file: { filename: `a (${at}).pdf`, file_data: PDF } }))),
  ]),
  "audio": conversation((n) => [
    user(many(n, () => ({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }))),
  ]),
  "unknown members of messages": conversation((n) => [{ ...USER, ...members(n, (at) => at) }]),
  "unknown members of parts": conversation((n) => [
    user([{ ...text("a"), ...members(n, (at) => at) }]),
  ]),
};

export const TOOL_TURNS: Readonly<Record<string, MakeRequest>> = {
  "rounds of calls": conversation((n) => rounds(n, (at) => `call_${at}`)),
  "rounds with the same id": conversation((n) => rounds(n, () => "a")),
  "rounds without an id": conversation((n) => rounds(n, () => "")),
  "rounds with nine characters": conversation((n) => rounds(n, (at) => letters(at, 9))),
  "rounds with ids that begin alike": conversation((n) =>
    rounds(n, (at) => "x".repeat(140) + letters(at, 8))
  ),
  "rounds with ids that differ by what is replaced": conversation((n) => rounds(n, replacedName)),
  "calls of one turn": conversation((n) => calls(many(n, (at) => `call_${at}`))),
  "calls of one turn, answered from the last": conversation((n) => {
    const ids = many(n, (at) => `call_${at}`);
    return calls(ids, ids.toReversed());
  }),
  "calls of one turn with the same id": conversation((n) => calls(many(n, () => "a"))),
  "calls of one turn without a result": conversation((n) => calls(many(n, String), [])),
  "results of one call": conversation((n) => calls(["a"], many(n, () => "a"))),
  "results with many parts": conversation((n) => [
    ...calls(["a"], []),
    result("a", many(n, () => text("1"))),
  ]),
  "results with images": conversation((n) => [
    ...calls(["a"], []),
    result("a", many(n, () => image(PIXEL))),
  ]),
  "calls of tools that are not defined": conversation((n) => [
    USER,
    assistant({
      tool_calls: many(n, (at) => call(`c${at}`, { function: { name: `t${at}`, arguments: "" } })),
    }),
    ...many(n, (at) => result(`c${at}`)),
  ]),
  "custom calls": conversation((n) => [
    USER,
    assistant({
      tool_calls: many(
        n,
        (at) => call(`c${at}`, { type: "custom", custom: { name: "f", input: "1" } }),
      ),
    }),
    ...many(n, (at) => result(`c${at}`)),
  ]),
  "legacy function calls": conversation((n) => [
    USER,
    ...many(n, () => [
      assistant({ content: null, function_call: { name: "f", arguments: "{}" } }),
      { role: "function", name: "f", content: "1" },
    ]).flat(),
  ]),
  "repeated calls": conversation((n) => [
    USER,
    ...many(n, (at) => [
      assistant({
        content: null,
        function_call: { name: "f", arguments: "{}" },
        tool_calls: [call(`c${at}`)],
      }),
      result(`c${at}`),
    ]).flat(),
  ]),
  "thought signatures": conversation((n) => [
    USER,
    ...many(n, (at) => [
      assistant({
        tool_calls: [call(`c${at}`, { extra_content: { google: { thought_signature: "AAAA" } } })],
      }),
      result(`c${at}`),
    ]).flat(),
  ]),
  "large arguments": conversation((n) => [
    USER,
    assistant({
      tool_calls: [
        call("a", { function: { name: "f", arguments: JSON.stringify(members(n, (at) => [at])) } }),
      ],
    }),
    result("a", JSON.stringify(members(n, (at) => [at]))),
  ]),
  ...Object.fromEntries(
    [
      { format: "anthropic", type: "thinking", thinking: "a", signature: "b" },
      { format: "bedrock", type: "reasoningText", text: "a", signature: "b" },
      { format: "openai-responses", type: "reasoning.encrypted", provider: "openai", data: "a" },
      { type: "reasoning.text", text: "a", index: 0 },
    ].flatMap((detail): [string, MakeRequest][] => [
      [
        `reasoning of the format ${detail.format}, in one turn`,
        conversation((n) => [
          USER,
          assistant({ content: "a", reasoning_details: many(n, () => detail) }),
          USER,
        ]),
      ],
      [
        `reasoning of the format ${detail.format}, in many turns`,
        conversation((n) => [
          USER,
          ...many(n, () => [
            assistant({ content: "a", reasoning_content: "b", reasoning_details: [detail] }),
            assistant({ content: "a", reasoning_content: "b", reasoning_details: [detail] }),
          ]).flat(),
          USER,
        ]),
      ],
    ]),
  ),
};

export const TOOLS: Readonly<Record<string, MakeRequest>> = {
  "tools": beside((n) => ({ tools: many(n, (at) => tool(`f${at}`)) })),
  "strict tools": beside((n) => ({ tools: many(n, (at) => tool(`f${at}`, { strict: true })) })),
  "tools with one name": beside((n) => ({ tools: many(n, () => tool("f")) })),
  "tools with cache marks": beside((n) => ({
    tools: many(n, (at) => ({ ...tool(`f${at}`), ...CACHE })),
  })),
  "tools whose names begin alike": beside((n) => ({
    tools: many(n, (at) => tool(`${"x".repeat(58)}${letters(at, 6)}${at % 2 ? "." : "!"}`)),
  })),
  "tools whose names are the same when they are cut": beside((n) => ({
    tools: many(n, (at) => tool("x".repeat(140) + letters(at, 6))),
  })),
  "tools whose names are the same twice when they are cut": beside((n) => ({
    tools: many(n, (at) => [
      tool(`${"x".repeat(58)}${letters(at, 6)}`),
      tool(`${"x".repeat(58)}${letters(at, 6)}!`),
    ]).flat(),
  })),
  "tools whose names are numbered": beside((n) => ({
    tools: [
      ...many(n, (at) => tool(`f_${at}`)),
      ...many(n, (at) => tool("f".padEnd(at % 64, "!"))),
    ],
  })),
  "allowed tools": beside((n) => ({
    tools: many(n, (at) => tool(`f${at}`)),
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: {
        mode: "auto",
        tools: many(n, (at) => ({ type: "function", function: { name: `f${at}` } })),
      },
    },
  })),
  "one tool of many, by its name": beside((n) => ({
    tools: many(n, (at) => tool(`f${at}`)),
    tool_choice: { type: "function", function: { name: `f${n - 1}` } },
  })),
  "functions of old": beside((n) => ({ functions: many(n, (at) => ({ name: `f${at}` })) })),
};

export const FIELDS: Readonly<Record<string, MakeRequest>> = {
  "stop sequences": beside((n) => ({ stop: many(n, String) })),
  "biases": beside((n) => ({
    logit_bias: Object.fromEntries(many(n, (at) => [at, 1])),
  })),
  "metadata": beside((n) => ({ metadata: members(n, String) })),
  "modalities": beside((n) => ({ modalities: many(n, () => "text") })),
  "unknown fields": beside((n) => members(n, (at) => at)),
  "members of an unknown field": beside((n) => ({ own_field: members(n, (at) => [at]) })),
  "documents": beside((n) => ({ documents: many(n, (at) => ({ data: { at } })) })),
  "members of extra_body": beside((n) => ({ extra_body: { google: members(n, (at) => at) } })),
  "members of the fields that vendors share": beside((n) => {
    const value = members(n, (at) => [at]);
    return {
      ...{ thinking: value, guardrailConfig: value, options: value, generationConfig: value },
      ...{ additionalModelRequestFields: value, reasoning: value, prediction: value },
      ...{ web_search_options: value, audio: value, stream_options: value },
    };
  }),
};

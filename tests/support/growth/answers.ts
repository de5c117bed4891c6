/** Answers and errors of vendors, each of which grows in one way. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { many, members, nested } from "./schemas.ts";
import { FILLERS, longText } from "./texts.ts";

/** The formats in which vendors answer. */
export type Format =
  | "dialect"
  | "responses"
  | "anthropic"
  | "gemini"
  | "bedrock"
  | "cohere"
  | "ollama";

/** Makes a body of a size. */
export type MakeBody = (size: number) => unknown;

type Json = JsonObject;
type Bodies = Readonly<Record<string, MakeBody>>;

const LOGPROB = {
  token: "a",
  logprob: -1,
  bytes: [97],
  top_logprobs: [{ token: "a", logprob: -1 }],
};
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const choice = (message: Json, rest: Json = {}): Json => ({
  index: 0,
  message: { role: "assistant", content: "a", ...message },
  finish_reason: "stop",
  ...rest,
});
const completion = (choices: Json[], rest: Json = {}): Json => ({
  ...{ id: "a", object: "chat.completion", created: 1, model: "m", usage: USAGE },
  choices,
  ...rest,
});
const one = (message: Json, rest: Json = {}): Json => completion([choice(message, rest)]);
const called = (rest: Json): Json => ({
  type: "function",
  function: { name: "f", arguments: "{}" },
  ...rest,
});

const DIALECT: Bodies = {
  "choices": (n) => completion(many(n, (index) => choice({}, { index }))),
  "calls": (n) => one({ tool_calls: many(n, (at) => called({ id: `c${at}` })) }),
  "calls without an id": (n) => one({ tool_calls: many(n, () => called({})) }),
  "calls with objects": (n) =>
    one({ tool_calls: many(n, (at) => called({ function: { name: "f", arguments: { at } } })) }),
  "parts": (n) => one({ content: many(n, () => ({ type: "text", text: "a" })) }),
  "parts with thinking": (n) =>
    one({
      content: many(n, () => ({ type: "thinking", thinking: [{ type: "text", text: "a" }] })),
    }),
  "details of reasoning": (n) =>
    one({ reasoning_details: many(n, (index) => ({ type: "reasoning.text", text: "a", index })) }),
  "log probabilities": (n) => one({}, { logprobs: { content: many(n, () => LOGPROB) } }),
  "lists of log probabilities": (n) =>
    one({}, { logprobs: { tokens: many(n, String), token_logprobs: many(n, () => -1) } }),
  "annotations": (n) => one({ annotations: many(n, (at) => ({ type: "url_citation", at })) }),
  "unknown members": (n) => completion([choice({})], members(n, (at) => [at])),
  "unknown members of a choice": (n) => one({}, members(n, (at) => [at])),
  "unknown members of a message": (n) => one(members(n, (at) => [at])),
  "members of the usage": (n) =>
    completion([choice({})], { usage: { ...USAGE, ...members(n, (at) => at) } }),
};

const response = (output: Json[]): Json => ({
  ...{ id: "resp_a", status: "completed", model: "m", created_at: 1 },
  output,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const spoken = (content: Json[], rest: Json = {}): Json => ({ type: "message", content, ...rest });
const output = (rest: Json = {}): Json => ({ type: "output_text", text: "a", ...rest });
const CITATION = { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 };

const RESPONSES: Bodies = {
  "messages": (n) => response(many(n, () => spoken([output()]))),
  "comments": (n) => response(many(n, () => spoken([output()], { phase: "commentary" }))),
  "comments before an answer": (n) =>
    response([...many(n, () => spoken([output()], { phase: "commentary" })), spoken([output()])]),
  "parts": (n) => response([spoken(many(n, () => output()))]),
  "annotations": (n) => response([spoken([output({ annotations: many(n, () => CITATION) })])]),
  "log probabilities": (n) => response([spoken([output({ logprobs: many(n, () => LOGPROB) })])]),
  "calls": (n) =>
    response(
      many(n, (at) => ({ type: "function_call", call_id: `c${at}`, name: "f", arguments: "" })),
    ),
  "parallel calls": (n) =>
    response(many(n, () => ({ type: "function_call", name: "parallel", arguments: "{}" }))),
  "calls in a parallel call": (n) =>
    response([{
      ...{ type: "function_call", name: "parallel" },
      arguments: JSON.stringify({ tool_uses: many(n, () => ({ recipient_name: "functions.f0" })) }),
    }]),
  "reasoning": (n) =>
    response(
      many(n, () => ({ type: "reasoning", encrypted_content: "a", summary: [{ text: "a" }] })),
    ),
  "parts of reasoning": (n) =>
    response([{ type: "reasoning", summary: many(n, () => ({ text: "a" })) }]),
  "unknown members": (n) => ({ ...response([spoken([output()])]), ...members(n, (at) => [at]) }),
};

const message = (content: Json[], rest: Json = {}): Json => ({
  ...{ id: "msg_a", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" },
  usage: { input_tokens: 1, output_tokens: 1 },
  content,
  ...rest,
});

const ANTHROPIC: Bodies = {
  "texts": (n) => message(many(n, () => ({ type: "text", text: "a" }))),
  "citations": (n) => message([{ type: "text", text: "a", citations: many(n, () => CITATION) }]),
  "thoughts": (n) => message(many(n, () => ({ type: "thinking", thinking: "a", signature: "b" }))),
  "hidden thoughts": (n) => message(many(n, () => ({ type: "redacted_thinking", data: "a" }))),
  "calls": (n) =>
    message(many(n, (at) => ({ type: "tool_use", id: `c${at}`, name: `f${at}`, input: { at } }))),
  "calls of the tool for JSON": (n) =>
    message(many(n, () => ({ type: "tool_use", name: "json", input: {} }))),
  "members of the usage": (n) => message([], { usage: members(n, (at) => at) }),
};

const candidates = (...parts: Json[][]): Json => ({
  responseId: "a",
  modelVersion: "m",
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  candidates: parts.map((own, index) => ({
    index,
    content: { role: "model", parts: own },
    finishReason: "STOP",
  })),
});

const GEMINI: Bodies = {
  "candidates": (n) => candidates(...many(n, () => [{ text: "a" }])),
  "texts": (n) => candidates(many(n, () => ({ text: "a" }))),
  "thoughts": (n) => candidates(many(n, () => ({ text: "a", thought: true }))),
  "images": (n) =>
    candidates(many(n, () => ({ inlineData: { mimeType: "image/png", data: "AA" } }))),
  "calls": (n) =>
    candidates(many(n, (at) => ({ functionCall: { name: `default_api:f${at}`, args: { at } } }))),
  "log probabilities": (n) => ({
    candidates: [{
      content: { parts: [{ text: "a" }] },
      finishReason: "STOP",
      logprobsResult: {
        chosenCandidates: many(n, () => ({ token: "a", logProbability: -1 })),
        topCandidates: many(n, () => ({ candidates: [{ token: "a", logProbability: -1 }] })),
      },
    }],
  }),
  "details of the usage": (n) => ({
    ...candidates([{ text: "a" }]),
    usageMetadata: { promptTokensDetails: many(n, () => ({ modality: "TEXT", tokenCount: 1 })) },
  }),
};

const conversed = (content: Json[]): Json => ({
  output: { message: { role: "assistant", content } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 1 },
});

const BEDROCK: Bodies = {
  "texts": (n) => conversed(many(n, () => ({ text: "a" }))),
  "citations": (n) =>
    conversed([{ citationsContent: { content: many(n, () => ({ text: "a" })) } }]),
  "thoughts": (n) =>
    conversed(
      many(n, () => ({ reasoningContent: { reasoningText: { text: "a", signature: "b" } } })),
    ),
  "calls": (n) =>
    conversed(many(n, (at) => ({ toolUse: { toolUseId: `c${at}`, name: `f${at}`, input: {} } }))),
};

const COHERE: Bodies = {
  "texts": (n) => ({
    message: { content: many(n, () => ({ type: "text", text: "a" })) },
    finish_reason: "COMPLETE",
  }),
  "thoughts": (n) => ({
    message: { content: many(n, () => ({ type: "thinking", thinking: "a" })) },
  }),
  "calls": (n) => ({
    message: {
      tool_calls: many(
        n,
        (at) => ({ id: `c${at}`, function: { name: `f${at}`, arguments: "{}" } }),
      ),
    },
  }),
  "log probabilities": (n) => ({
    message: { content: [] },
    logprobs: many(n, () => ({ text: "a", logprobs: [-1, -2] })),
  }),
  "log probabilities of one piece": (n) => ({
    message: { content: [] },
    logprobs: [{ text: "a".repeat(n), logprobs: many(n, () => -1) }],
  }),
};

const OLLAMA: Bodies = {
  "calls": (n) => ({
    message: { tool_calls: many(n, (at) => ({ function: { name: "f", arguments: { at } } })) },
    done: true,
  }),
  "log probabilities": (n) => ({ message: { content: "a" }, logprobs: many(n, () => LOGPROB) }),
};

/** The place of the text in an answer. */
const TEXTS: Readonly<Record<Format, (text: string) => unknown>> = {
  dialect: (text) =>
    completion([
      choice(
        { content: text, reasoning: text, tool_calls: [called({ id: text })] },
        { finish_reason: text },
      ),
    ], { id: text, model: text }),
  responses: (text) => ({
    ...response([
      { type: "reasoning", summary: [{ text }] },
      spoken([output({ text })]),
      { type: "function_call", call_id: text, name: text, arguments: text },
    ]),
    id: text,
    model: text,
  }),
  anthropic: (text) =>
    message([{ type: "text", text }, { type: "tool_use", id: text, name: text }]),
  gemini: (text) =>
    candidates([{ text }, { text, thought: true }, { functionCall: { name: text, id: text } }]),
  bedrock: (text) => conversed([{ text }, { toolUse: { name: text, toolUseId: text, input: {} } }]),
  cohere: (text) => ({
    message: {
      content: text,
      tool_plan: text,
      tool_calls: [{ id: text, function: { name: text } }],
    },
  }),
  ollama: (text) => ({ message: { content: text, thinking: text }, model: text, created_at: text }),
};

const BODIES: Readonly<Record<Format, Bodies>> = {
  dialect: DIALECT,
  responses: RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  bedrock: BEDROCK,
  cohere: COHERE,
  ollama: OLLAMA,
};

/** Answers of a format, by what grows in them. */
export function answersOf(format: Format): [name: string, make: MakeBody][] {
  const texts = FILLERS.map((filler): [string, MakeBody] => [
    `a text of ${JSON.stringify(filler)}`,
    (size) => TEXTS[format](longText(filler, size)),
  ]);
  return [...Object.entries(BODIES[format]), ...texts];
}

/** Bodies of errors. */
export const FAILURES: Bodies = {
  "faults": (n) => ({ detail: many(n, (at) => ({ type: "a", loc: ["body", at], msg: "bad" })) }),
  "errors": (n) => ({ errors: many(n, (at) => ({ message: `e${at}` })) }),
  "errors of an error": (n) => ({ error: { errors: many(n, (at) => ({ message: `e${at}` })) } }),
  "a place": (n) => ({ error: { message: { loc: many(n, String), msg: "bad" } } }),
  "details": (n) => [{
    error: {
      code: 429,
      message: "a",
      details: many(n, (at) => ({ "@type": "QuotaFailure", violations: [{ quotaId: `q${at}` }] })),
    },
  }],
  "violations": (n) => ({
    error: { code: 429, details: [{ violations: many(n, (at) => ({ quotaId: `q${at}` })) }] },
  }),
  "members": (n) => ({ error: { message: "bad", ...members(n, (at) => [at]) } }),
  "levels": (n) => ({ error: nested(Math.min(n, 1000), (message) => ({ message })) }),
};

/** Bodies of errors with a long text in every place that vendors use. */
export function failuresOfText(): [name: string, make: MakeBody][] {
  return FILLERS.map((filler) => [`a text of ${JSON.stringify(filler)}`, (size) => {
    const text = longText(filler, size);
    const retryDelay = { "@type": "google.rpc.RetryInfo", retryDelay: text };
    const details = [retryDelay, { metadata: { quotaResetDelay: text } }];
    return {
      ...{ __type: text, code: text, type: text, message: text, detail: text, data: text },
      error: {
        ...{ message: text, code: text, type: text, param: text, status: text, details },
        metadata: { raw: text, error_type: text },
      },
    };
  }]);
}

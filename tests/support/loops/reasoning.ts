/** Every vendor whose reasoning must be sent back along with the resulting calls. */

import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import type { ReasoningMember } from "../../../src/contract/adapter.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { toEventStream } from "../scripted_vendor.ts";
import { anthropic, bedrock, claudeOnVertex } from "./claude.ts";
import { mistral } from "./dialect.ts";
import { gemini, geminiOnVertex } from "./google.ts";
import {
  argumentsOf,
  type Called,
  callsOf,
  type Loop,
  piecesOf,
  providerAt,
  TOOL,
} from "./loop.ts";
import { coherePlan, cohereThinking, ollama } from "./others.ts";
import { azureResponses, openaiResponses } from "./responses.ts";

/** A vendor that returns state, and how to find it in the next request. */
export interface ReasoningLoop
  extends Pick<Loop, "name" | "model" | "provider" | "answer" | "stream"> {
  readonly calls: readonly [Called, Called];
  /** The calls and the state, of what the vendor gets on the second turn. */
  readonly found: (body: JsonObject) => unknown;
  /** The expected result of {@linkcode found}. */
  readonly expected: unknown;
}

const NATIVE: readonly Loop[] = [
  anthropic,
  claudeOnVertex,
  bedrock,
  gemini,
  geminiOnVertex,
  openaiResponses,
  azureResponses,
  mistral,
  coherePlan,
  cohereThinking,
  ollama,
];

function ofLoop(loop: Loop): ReasoningLoop {
  const { calls } = loop;
  return {
    ...loop,
    found: ({ [loop.history]: history }) => Array.isArray(history) ? plain(history.slice(1)) : [],
    expected: plain(loop.back({ calls, results: calls, whole: true })),
  };
}

/** A history without empty contents, which clients write in different ways. */
function plain(history: readonly unknown[]): readonly unknown[] {
  return history.map((turn) => {
    if (!isObject(turn) || (turn.content !== "" && turn.content !== null)) return turn;
    const { content: _, ...rest } = turn;
    return rest;
  });
}

const THOUGHTS = ["Two cities,", " one tool. Größe: 🙂"] as const;
const REASONING = THOUGHTS.join("");
const SIGNATURE = "EqQBsig+/nature=";

/** Entries of OpenRouter, in the pieces that its streams have, and whole. */
const PIECES: readonly JsonObject[] = [
  ...THOUGHTS.map((text) => ({
    type: "reasoning.text",
    text,
    format: "anthropic-claude-v1",
    index: 0,
  })),
  { type: "reasoning.text", signature: SIGNATURE, format: "anthropic-claude-v1", index: 0 },
];
const DETAILS = [{
  type: "reasoning.text",
  text: REASONING,
  format: "anthropic-claude-v1",
  index: 0,
  signature: SIGNATURE,
}];
const LATE = { type: "reasoning.encrypted", data: "gAAAAsealed+/==", id: "rs_1", index: 1 };

const GOOGLES = { google: { thought_signature: "c2lnbmF0dXJl" } };

/** A vendor with OpenAI's format, by the members that it must get back. */
function dialectLoop(kind: string, members: ReadonlySet<ReasoningMember>): ReasoningLoop {
  const model = kind === "moonshot" ? "kimi-k2-thinking" : "reasoner";
  // Kimi's IDs, which the vendor must get back unchanged.
  const calls = kind === "moonshot"
    ? callsOf(`functions.${TOOL}:0`, `functions.${TOOL}:1`)
    : callsOf("call_Xk2aPz91", "call_Xk2aPz92");
  const text = members.has("reasoning_content");
  const details = members.has("reasoning_details");
  const extra = members.has("extra_content");
  const toCall = (call: Called): JsonObject => ({
    id: call.id,
    type: "function",
    function: { name: TOOL, arguments: argumentsOf(call) },
    ...(extra && { extra_content: GOOGLES }),
  });
  const envelope = { id: "chatcmpl-1", created: 1_700_000_001, model };
  const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
    ...envelope,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  return {
    name: kind,
    model,
    provider: (url) => providerAt(kind, `${url}/v1`, model),
    calls,
    answer: (made) => ({
      ...envelope,
      object: "chat.completion",
      choices: [{
        index: 0,
        message: {
          role: "assistant",
          content: null,
          ...(text && { reasoning_content: REASONING }),
          ...(details && { reasoning_details: [...DETAILS, LATE] }),
          tool_calls: made.map(toCall),
        },
        finish_reason: "tool_calls",
      }],
      usage: { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 },
    }),
    stream: (made) =>
      toEventStream([
        ...THOUGHTS.map((thought, at) =>
          chunk({
            ...(text && { reasoning_content: thought }),
            ...(details && { reasoning_details: [PIECES[at]] }),
          })
        ),
        ...(details ? [chunk({ reasoning_details: [PIECES[2]] })] : []),
        ...made.flatMap((call, index) => [
          chunk({
            tool_calls: [{
              ...toCall(call),
              index,
              function: { name: TOOL, arguments: "" },
            }],
          }),
          ...piecesOf(call).map((piece) =>
            chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
          ),
        ]),
        ...(details ? [chunk({ reasoning_details: [LATE] })] : []),
        chunk({}, "tool_calls"),
        "[DONE]",
      ]),
    found: ({ messages }) => {
      const [, turn] = Array.isArray(messages) ? messages.filter(isObject) : [];
      const results = Array.isArray(messages) ? messages.filter(isObject).slice(2) : [];
      return {
        reasoning: text ? turn?.reasoning_content ?? turn?.reasoning : undefined,
        details: details ? turn?.reasoning_details : undefined,
        calls: turn?.tool_calls,
        results: results.map(({ tool_call_id }) => tool_call_id),
      };
    },
    expected: {
      reasoning: text ? REASONING : undefined,
      details: details ? [...DETAILS, LATE] : undefined,
      calls: calls.map(toCall),
      results: calls.map(({ id }) => id),
    },
  };
}

const nativeKinds = new Set(NATIVE.map(({ provider }) => String(provider("").kind)));

/** All of them; a new vendor with OpenAI's format is included through its table. */
export const REASONING_LOOPS: readonly ReasoningLoop[] = [
  ...NATIVE.map(ofLoop),
  ...[...adapters.values()].flatMap(({ kind, reasoningState = [] }) =>
    nativeKinds.has(kind) || reasoningState.length === 0
      ? []
      : [dialectLoop(kind, new Set(reasoningState))]
  ),
];

import { isObject, type JsonObject } from "../../../contract/chat.ts";
import { effortFor, nearestOf } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { converted, nativeAs, refused, renamed } from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** DeepSeek (https://api-docs.deepseek.com, 2026-11). */
export const deepseek = openAiCompatible(dialectOf({
  kind: "deepseek",
  baseUrl: "https://api.deepseek.com",
  // https://api-docs.deepseek.com/guides/anthropic_api (2026-11).
  messagesApi: {
    path: "/anthropic/v1/messages",
    byDefault: true,
    auth: { type: "header", name: "x-api-key" },
  },
  tokenLimit: "max_tokens",
  stops: 16,
  parameters: {
    ...lacks("no such field", "n", "seed", "logit_bias", "parallel_tool_calls"),
    tool_choice: nativeAs("a forced choice disables thinking, which would reject it"),
    reasoning_effort: converted("low, high or max; none disables thinking"),
    user: renamed("user_id"),
  },
  adds: {
    thinking: "disabled with a forced tool choice, which thinking rejects",
    "messages.reasoning_content": "empty for past calls without reasoning",
  },
  content: { input_audio: refused("no audio input"), file: refused("no files") },
  strictTools: false,
  // https://github.com/QwenLM/qwen-code/issues/2318 (2026-03).
  textParts: false,
  schemas: () => false,
  replays: "reasoning_content",
  rewrites: [withThinking, withPastReasoning],
}));

const EFFORTS = { ...nearestOf("low", "high", "max"), medium: "high", xhigh: "high" };

/**
 * Converts the effort. Thinking is enabled by default
 * (https://api-docs.deepseek.com/guides/thinking_mode, 2026-11).
 */
function withThinking(body: JsonObject, call: Call): JsonObject {
  const { changes } = call;
  const requested = effortFor(call);
  const choice = body.tool_choice;
  const off = { ...body, thinking: { type: "disabled" } };
  if (choice === "required" || isObject(choice)) {
    if (requested !== undefined && requested !== "none") changes.ignore("reasoning_effort");
    if (isObject(body.thinking)) changes.convert("thinking");
    else changes.add("thinking");
    return off;
  }
  if (requested === undefined) return body;
  if (requested === "none") {
    changes.rename("reasoning_effort", "thinking");
    return off;
  }
  const effort = EFFORTS[requested];
  if (effort !== requested) changes.convert("reasoning_effort", requested, effort);
  return { ...body, reasoning_effort: effort };
}

/**
 * A thinking model requires reasoning in every past message with calls, and then in its other
 * messages too (https://github.com/NousResearch/hermes-agent/pull/15228, 2026-04-24). An empty text
 * is accepted.
 */
function withPastReasoning(body: JsonObject, { changes }: Call): JsonObject {
  if (isObject(body.thinking) && body.thinking.type === "disabled") return body;
  const turns = body.messages as readonly JsonObject[];
  if (!turns.some(({ tool_calls }) => tool_calls !== undefined)) return body;
  const messages = turns.map((turn) => {
    if (turn.role !== "assistant" || "reasoning_content" in turn) return turn;
    changes.add("messages.reasoning_content");
    return { reasoning_content: "", ...turn };
  });
  return { ...body, messages };
}

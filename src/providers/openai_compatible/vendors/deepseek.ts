import { isObject, type JsonObject } from "../../../chat/chat.ts";
import type { Call } from "../../contract/adapter.ts";
import { effortFor, nearestOf } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../adapter.ts";
import { converted, nativeAs, refused, renamed } from "../../contract/support.ts";

/** DeepSeek (https://api-docs.deepseek.com, 2026-11). */
export const deepseek = openAiCompatible(dialectOf({
  kind: "deepseek",
  baseUrl: "https://api.deepseek.com",
  tokenLimit: "max_tokens",
  stops: 16,
  parameters: {
    ...lacks("no such field", "n", "seed", "logit_bias", "parallel_tool_calls"),
    tool_choice: nativeAs("a forced choice switches thinking off, which would refuse it"),
    reasoning_effort: converted("low, high or max; none switches thinking off"),
    user: renamed("user_id"),
  },
  adds: {
    thinking: "off beside a forced tool choice, which thinking refuses",
    "messages.reasoning_content": "empty where reasoning did not come back, beside calls",
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

/** Thinking is on unless it is switched off (https://api-docs.deepseek.com/guides/thinking_mode, 2026-11). */
function withThinking(body: JsonObject, call: Call): JsonObject {
  const { receipt } = call;
  const asked = effortFor(call);
  const choice = body.tool_choice;
  const off = { ...body, thinking: { type: "disabled" } };
  if (choice === "required" || isObject(choice)) {
    if (asked !== undefined && asked !== "none") receipt.ignore("reasoning_effort");
    if (isObject(body.thinking)) receipt.convert("thinking");
    else receipt.add("thinking");
    return off;
  }
  if (asked === undefined) return body;
  if (asked === "none") {
    receipt.rename("reasoning_effort", "thinking");
    return off;
  }
  const effort = EFFORTS[asked];
  if (effort !== asked) receipt.convert("reasoning_effort", asked, effort);
  return { ...body, reasoning_effort: effort };
}

/**
 * A thinking model wants its reasoning beside every call it made, and then beside
 * its other turns too (https://github.com/NousResearch/hermes-agent/pull/15228, 2026-04-24);
 * an empty text will do.
 */
function withPastReasoning(body: JsonObject, { receipt }: Call): JsonObject {
  if (isObject(body.thinking) && body.thinking.type === "disabled") return body;
  const turns = body.messages as readonly JsonObject[];
  if (!turns.some(({ tool_calls }) => tool_calls !== undefined)) return body;
  const messages = turns.map((turn) => {
    if (turn.role !== "assistant" || "reasoning_content" in turn) return turn;
    receipt.add("messages.reasoning_content");
    return { reasoning_content: "", ...turn };
  });
  return { ...body, messages };
}

import { isObject, type JsonObject } from "../chat.ts";
import type { Call } from "./adapter.ts";
import { effortFor, nearestOf } from "./dialect_rewrites.ts";
import { dialectOf, lacks } from "./dialect_row.ts";
import { openAiCompatible } from "./openai.ts";
import { converted, nativeAs, refused, renamed } from "./support.ts";

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
    "messages.reasoning_content": "empty where a call's reasoning did not come back",
  },
  content: { input_audio: refused("no audio input"), file: refused("no files") },
  strictTools: false,
  schemas: () => false,
  replays: "reasoning_content",
  rewrites: [withThinking, withPastReasoning, withSystemText],
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

/** A thinking model wants its reasoning beside every call it made; an empty text will do. */
function withPastReasoning(body: JsonObject, { receipt }: Call): JsonObject {
  if (isObject(body.thinking) && body.thinking.type === "disabled") return body;
  const messages = (body.messages as readonly JsonObject[]).map((turn) => {
    if (turn.tool_calls === undefined || "reasoning_content" in turn) return turn;
    receipt.add("messages.reasoning_content");
    return { reasoning_content: "", ...turn };
  });
  return { ...body, messages };
}

/** What the system says is a text, never parts (https://api-docs.deepseek.com/api/create-chat-completion, 2026-11). */
function withSystemText(body: JsonObject): JsonObject {
  const messages = (body.messages as readonly JsonObject[]).map((turn) => {
    if (turn.role !== "system" || !Array.isArray(turn.content)) return turn;
    const texts = turn.content.map((part: JsonObject) => part.text).filter((text) => text);
    return { ...turn, content: texts.join("\n\n") };
  });
  return { ...body, messages };
}

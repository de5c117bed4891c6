import { isObject } from "../../../chat/chat.ts";
import { nearestOf } from "../rewrites.ts";
import { dialectOf } from "../row.ts";
import { openAiCompatible } from "../adapter.ts";
import { refused } from "../../contract/support.ts";

/** Fireworks (https://docs.fireworks.ai/api-reference/post-chatcompletions, 2026-07-21). */
export const fireworks = openAiCompatible(dialectOf({
  kind: "fireworks",
  baseUrl: "https://api.fireworks.ai/inference/v1",
  anyParts: true,
  streamUsage: false,
  ranges: { top_logprobs: [0, 5] },
  stops: 4,
  // https://github.com/langchain-ai/langchain/issues/38388 (2026-06-23).
  content: { input_audio: refused("no audio input"), file: refused("no files") },
  tiers: { auto: "auto", default: "default", flex: "flex", priority: "priority" },
  alsoTakes: ["metadata", "prediction", "prompt_cache_key"],
  replays: "reasoning_content",
  efforts: [[/./, nearestOf("none", "low", "medium", "high")]],
  rewrites: [
    // The format `text` beside tools is refused, and says nothing.
    ({ response_format: format, ...body }) =>
      isObject(format) && format.type !== "text" ? { ...body, response_format: format } : body,
  ],
}));

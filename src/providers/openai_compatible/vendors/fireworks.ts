import { isObject } from "../../../chat/chat.ts";
import { nearestOf } from "../rewrites.ts";
import { dialectOf } from "../row.ts";
import { openAiCompatible } from "../adapter.ts";
import { NUMBERS_ALONE, OPENAI_EMBEDDINGS } from "../embeddings.ts";
import { dialectRerank } from "../rerank.ts";
import { fireworksImages } from "./fireworks_images.ts";
import { hintAt, SESSION_NOTE } from "../../shared/session_hints.ts";
import { native, refused } from "../../contract/support.ts";

const AFFINITY = "x-session-affinity";

/** Fireworks (https://docs.fireworks.ai/api-reference/post-chatcompletions, 2026-07-21). */
export const fireworks = openAiCompatible(dialectOf({
  kind: "fireworks",
  embeddings: { ...OPENAI_EMBEDDINGS, parameters: { encoding_format: NUMBERS_ALONE } },
  images: fireworksImages,
  // https://docs.fireworks.ai/api-reference/rerank-documents (2026-11).
  rerank: dialectRerank({ return_documents: native }, { texts: true }),
  completions: true,
  baseUrl: "https://api.fireworks.ai/inference/v1",
  rendersTemplates: true,
  // https://docs.fireworks.ai/tools-sdks/anthropic-compatibility (2026-11).
  messagesApi: { path: "/inference/v1/messages", byDefault: true },
  responses: true,
  anyParts: true,
  streamUsage: false,
  ranges: { top_logprobs: [0, 5] },
  stops: 4,
  // https://github.com/langchain-ai/langchain/issues/38388 (2026-06-23).
  content: { input_audio: refused("no audio input"), file: refused("no files") },
  tiers: { auto: "auto", default: "default", flex: "flex", priority: "priority" },
  alsoTakes: ["metadata", "prediction", "prompt_cache_key"],
  // https://docs.fireworks.ai/guides/rollout-inference (2026-11-24).
  sessionHint: hintAt(/^(?:.+\.)?fireworks\.ai$/, { header: AFFINITY }),
  adds: { [AFFINITY]: SESSION_NOTE },
  replays: "reasoning_content",
  efforts: [[/./, nearestOf("none", "low", "medium", "high")]],
  rewrites: [
    // The format `text` beside tools is rejected. It is the default anyway.
    ({ response_format: format, ...body }) =>
      isObject(format) && format.type !== "text" ? { ...body, response_format: format } : body,
  ],
}));

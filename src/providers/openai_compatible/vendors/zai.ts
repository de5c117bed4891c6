import type { JsonObject } from "../../../contract/chat.ts";
import { effortFor, nearestOf, withListedStop } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, NUMBERS_ALONE, TEXT_ALONE } from "../embeddings.ts";
import { converted, nativeAs, nativeOnly, refused } from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** Z.ai's GLM (https://docs.z.ai/api-reference/llm/chat-completion, 2026-04). */
export const zai = openAiCompatible(dialectOf({
  kind: "zai",
  apis: {
    // https://docs.bigmodel.cn/api-reference/embedding (2026-11).
    embeddings: dialectEmbeddings({
      limits: { inputs: 64 },
      parameters: { encoding_format: NUMBERS_ALONE },
      inputs: TEXT_ALONE,
    }),
  },
  baseUrl: "https://api.z.ai/api/paas/v4",
  messagesApi: { path: "/api/anthropic/v1/messages", byDefault: false },
  tokenLimit: "max_tokens",
  streamUsage: false,
  ranges: { temperature: [0, 1], top_p: [0.01, 1] },
  stops: 1,
  parameters: {
    ...lacks("no such field", "n", "seed", "frequency_penalty", "presence_penalty"),
    ...lacks("no such field", "logprobs", "top_logprobs", "logit_bias", "parallel_tool_calls"),
    reasoning_effort: converted("low, high or max on GLM 5.3, thinking on or off on others"),
    user: converted("user_id, omitted unless it has 6 to 128 characters"),
  },
  toolChoice: { none: "no tools", required: "auto", named: "auto" },
  content: {
    input_audio: refused("no audio input"),
    file: refused("no files except by URL"),
    video_url: nativeAs("vision models"),
    file_url: nativeAs("vision models"),
    server_tool: nativeOnly(/^(?:web_search|retrieval)$/, "web_search and retrieval"),
  },
  names: false,
  strictTools: false,
  schemas: () => false,
  replays: "reasoning_content",
  // https://docs.z.ai/api-reference/api-code (2026-04).
  errorCodes: {
    "1113": "quota",
    "1211": "model_not_found",
    "1261": "context_length",
    "1301": "content_filter",
    "1302": "rate_limited",
    "1303": "rate_limited",
    "1304": "quota",
    "1305": "rate_limited",
    "1308": "quota",
  },
  rewrites: [withListedStop, withThinking, withUserId, withSomeUser],
}));

const EFFORTS = { ...nearestOf("low", "high", "max"), medium: "high", xhigh: "max" };

function withThinking(body: JsonObject, call: Call): JsonObject {
  const { model, changes } = call;
  const requested = effortFor(call);
  if (requested === undefined) return body;
  if (model.base.startsWith("glm-5.2")) return { ...body, reasoning_effort: requested };
  if (model.base.startsWith("glm-5.3")) {
    const effort = EFFORTS[requested];
    if (effort !== requested) changes.convert("reasoning_effort", requested, effort);
    return { ...body, reasoning_effort: effort };
  }
  changes.rename("reasoning_effort", "thinking");
  const off = requested === "none" || requested === "minimal";
  return { thinking: { type: off ? "disabled" : "enabled" }, ...body };
}

function withUserId(body: JsonObject, { request: { user }, changes }: Call): JsonObject {
  if (user === undefined) return body;
  if (user.length < 6 || user.length > 128) {
    changes.ignore("user");
    return body;
  }
  changes.rename("user", "user_id");
  return { ...body, user_id: user };
}

/**
 * A conversation without a user message is rejected
 * (https://github.com/anomalyco/opencode/issues/2557, 2025-09-17).
 */
function withSomeUser(body: JsonObject, { changes }: Call): JsonObject {
  const messages = body.messages as readonly JsonObject[];
  const last = messages.findLastIndex(({ role }) => role === "system");
  if (last === -1 || messages.some(({ role }) => role === "user")) return body;
  changes.convert("messages");
  return {
    ...body,
    messages: messages.with(last, { ...messages[last], role: "user" }),
  };
}

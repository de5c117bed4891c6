import {
  type ChatRequest,
  isObject,
  type JsonObject,
  type ReasoningEffort,
} from "../../../contract/chat.ts";
import { effortFor } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { MODEL_REFUSED } from "../../shared/errors.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, NUMBERS_ALONE, TEXT_ALONE } from "../embeddings.ts";
import {
  converted,
  ignored,
  native,
  nativeAs,
  nativeOnly,
  refused,
} from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/**
 * Qwen on Alibaba Cloud's Model Studio (https://www.alibabacloud.com/help/en/model-studio,
 * 2026-08).
 */
export const qwen = openAiCompatible(dialectOf({
  kind: "qwen",
  apis: {
    // https://www.alibabacloud.com/help/en/model-studio/embedding (2026-11).
    embeddings: dialectEmbeddings({
      limitsFor: ({ base }) => ({ inputs: /text-embedding-v[12]/.test(base) ? 25 : 10 }),
      parameters: { encoding_format: NUMBERS_ALONE, user: ignored("no such field") },
      inputs: TEXT_ALONE,
    }),
  },
  baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  messagesApi: { path: "/apps/anthropic/v1/messages", byDefault: true },
  responses: true,
  tokenLimit: "max_tokens",
  // A temperature of 2 and a top_p of 0 are rejected.
  ranges: { temperature: [0, 1.99], top_p: [0.01, 1], n: [1, 4], top_logprobs: [0, 5] },
  parameters: {
    ...lacks("no such field", "frequency_penalty", "logit_bias", "user"),
    tool_choice: nativeAs(
      "required becomes auto; a named tool disables thinking, else becomes auto",
    ),
    reasoning_effort: converted("enable_thinking, and thinking_budget for lower efforts"),
  },
  adds: {
    enable_thinking:
      "disabled where a model that thinks by default can only think in streams, and " +
      "with a named tool, which thinking rejects",
  },
  toolChoice: { required: "auto" },
  content: {
    file: refused("no files"),
    // https://www.alibabacloud.com/help/en/model-studio/vision (2026-10).
    video_url: native,
    other_part: nativeOnly(/^video$/, "video, as a list of images"),
  },
  schemas: ({ model }) => model.facts.capabilities?.json_schema !== false,
  replays: "reasoning_content",
  // https://www.alibabacloud.com/help/en/model-studio/error-code (2026-08).
  errorCodes: {
    InvalidApiKey: "upstream_auth",
    "AccessDenied.Unpurchased": MODEL_REFUSED,
    "Model.AccessDenied": MODEL_REFUSED,
    Arrearage: "quota",
    DataInspectionFailed: "content_filter",
    data_inspection_failed: "content_filter",
  },
  supportFor: ({ tools, functions }: ChatRequest) =>
    tools ?? functions ? { n: ignored("one choice only beside tools") } : {},
  rewrites: [withThinking, withAudioUrls],
}));

/** Thinking tokens of efforts below the model's default. */
const BUDGETS: Readonly<Partial<Record<ReasoningEffort, number>>> = {
  minimal: 512,
  low: 1024,
  medium: 4096,
};

/** Open-weight models. They think by default, and support only streams while thinking. */
const OPEN_WEIGHT = /^qwen3-[\d.]+b(-a\d+b)?$/;

/** Models that think by default, including those whose thinking cannot be disabled. */
const THINKS = /^qwen3(?:\.\d|-[\d.]+b)/;
const THINKS_ALWAYS = /thinking|^q[wv]q/;

/**
 * A thinking model cannot be forced to call a tool, so a forced choice disables thinking if
 * possible
 * (https://github.com/cloudwego/eino/issues/994, 2026-04-24).
 */
function withThinking(body: JsonObject, call: Call): JsonObject {
  const { model, changes } = call;
  const requested = effortFor(call);
  if (!isObject(body.tool_choice) || body.enable_thinking === false) {
    return withEffort(body, call);
  }
  if (body.enable_thinking === true || THINKS_ALWAYS.test(model.base)) {
    changes.convert("tool_choice", "function", "auto");
    return withEffort({ ...body, tool_choice: "auto" }, call);
  }
  const isRequested = requested !== undefined && requested !== "none";
  if (!isRequested && !THINKS.test(model.base)) return withEffort(body, call);
  if (isRequested) changes.ignore("reasoning_effort");
  changes.add("enable_thinking");
  return { ...body, enable_thinking: false };
}

function withEffort(body: JsonObject, call: Call): JsonObject {
  const { model, stream, changes } = call;
  const requested = effortFor(call);
  const silenced = !stream && OPEN_WEIGHT.test(model.base) && !("enable_thinking" in body);
  if (silenced) {
    if (requested !== undefined && requested !== "none") changes.ignore("reasoning_effort");
    changes.add("enable_thinking");
    return { ...body, enable_thinking: false };
  }
  if (requested === undefined) return body;
  changes.rename("reasoning_effort", "enable_thinking");
  if (requested === "none") return { enable_thinking: false, ...body };
  const budget = BUDGETS[requested];
  return {
    enable_thinking: true,
    ...(budget !== undefined && { thinking_budget: budget }),
    ...body,
  };
}

/**
 * Audio must be a URL or a data URL
 * (https://www.alibabacloud.com/help/en/model-studio/qwen-omni, 2026-10).
 */
function withAudioUrls(body: JsonObject): JsonObject {
  const messages = (body.messages as readonly JsonObject[]).map((turn) =>
    Array.isArray(turn.content) ? { ...turn, content: turn.content.map(toAudioUrl) } : turn
  );
  return { ...body, messages };
}

function toAudioUrl(part: JsonObject): JsonObject {
  const audio = isObject(part.input_audio) ? part.input_audio : {};
  if (typeof audio.data !== "string" || /^(?:data|https?):/i.test(audio.data)) return part;
  return { ...part, input_audio: { ...audio, data: `data:;base64,${audio.data}` } };
}

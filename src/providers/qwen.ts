import { type ChatRequest, isObject, type JsonObject, type ReasoningEffort } from "../chat.ts";
import type { Call } from "./adapter.ts";
import { effortFor } from "./dialect_rewrites.ts";
import { dialectOf, lacks } from "./dialect_row.ts";
import { MODEL_REFUSED } from "./error_codes.ts";
import { openAiCompatible } from "./openai.ts";
import { converted, ignored, nativeAs, refused } from "./support.ts";

/** Qwen on Alibaba Cloud's Model Studio (https://www.alibabacloud.com/help/en/model-studio, 2026-08). */
export const qwen = openAiCompatible(dialectOf({
  kind: "qwen",
  baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  tokenLimit: "max_tokens",
  // 2 itself is refused, and a top_p of 0 is.
  ranges: { temperature: [0, 1.99], top_p: [0.01, 1], n: [1, 4], top_logprobs: [0, 5] },
  parameters: {
    ...lacks("no such field", "frequency_penalty", "logit_bias", "user"),
    tool_choice: nativeAs("required is auto; a named tool switches thinking off, else is auto"),
    reasoning_effort: converted("enable_thinking, and thinking_budget for the lower ones"),
  },
  adds: {
    enable_thinking: "off where a model that thinks by default only streams its thoughts, and " +
      "beside a named tool, which thinking refuses",
  },
  toolChoice: { required: "auto" },
  content: { file: refused("no files") },
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

/** Tokens to think, for efforts that ask for less than the model's own measure. */
const BUDGETS: Readonly<Partial<Record<ReasoningEffort, number>>> = {
  minimal: 512,
  low: 1024,
  medium: 4096,
};

/** Open-weight models, which think by default and then do nothing but stream. */
const OPEN_WEIGHT = /^qwen3-[\d.]+b(-a\d+b)?$/;

/** Models that think unless told otherwise, and those that cannot be told. */
const THINKS = /^qwen3(?:\.\d|-[\d.]+b)/;
const THINKS_ALWAYS = /thinking|^q[wv]q/;

/**
 * No thinking model can be made to call a tool: the choice switches thinking off
 * where that can be done (https://github.com/cloudwego/eino/issues/994, 2026-04-24).
 */
function withThinking(body: JsonObject, call: Call): JsonObject {
  const { model, receipt } = call;
  const asked = effortFor(call);
  if (!isObject(body.tool_choice) || body.enable_thinking === false) {
    return withEffort(body, call);
  }
  if (body.enable_thinking === true || THINKS_ALWAYS.test(model.base)) {
    receipt.convert("tool_choice", "function", "auto");
    return withEffort({ ...body, tool_choice: "auto" }, call);
  }
  const wanted = asked !== undefined && asked !== "none";
  if (!wanted && !THINKS.test(model.base)) return withEffort(body, call);
  if (wanted) receipt.ignore("reasoning_effort");
  receipt.add("enable_thinking");
  return { ...body, enable_thinking: false };
}

function withEffort(body: JsonObject, call: Call): JsonObject {
  const { model, stream, receipt } = call;
  const asked = effortFor(call);
  const silenced = !stream && OPEN_WEIGHT.test(model.base) && !("enable_thinking" in body);
  if (silenced) {
    if (asked !== undefined && asked !== "none") receipt.ignore("reasoning_effort");
    receipt.add("enable_thinking");
    return { ...body, enable_thinking: false };
  }
  if (asked === undefined) return body;
  receipt.rename("reasoning_effort", "enable_thinking");
  if (asked === "none") return { enable_thinking: false, ...body };
  const budget = BUDGETS[asked];
  return {
    enable_thinking: true,
    ...(budget !== undefined && { thinking_budget: budget }),
    ...body,
  };
}

/** Audio is an address, of data too (https://www.alibabacloud.com/help/en/model-studio/qwen-omni, 2026-10). */
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

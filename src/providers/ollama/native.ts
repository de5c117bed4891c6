/**
 * Ollama's API as a native API: the body is forwarded unchanged, apart from the model name and
 * configured defaults.
 *
 * Shapes: https://github.com/ollama/ollama/blob/main/api/types.go (2026-08).
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { NativeApi, NativeCall } from "../../contract/native.ts";
import { toOllamaError } from "./answers.ts";
import type { EmbeddingsApi } from "../../contract/embeddings.ts";
import { native, nativeAs, renamed } from "../../contract/support.ts";
import { limitedTo, memberOf, textsOf, textsOnly, toVectors } from "../shared/embeddings.ts";
import { isText } from "../../core/json/values.ts";
import type { ProviderSettings, TargetModel } from "../../contract/vendor_request.ts";

// The levels of `think`: https://docs.ollama.com/capabilities/thinking (2026-08).

const LEVELS = new Map([["minimal", "low"], ["xhigh", "max"], ["max", "max"]]);

/** gpt-oss always thinks, and has three levels. */
const GPT_OSS_LEVELS = new Map([["none", "low"], ["minimal", "low"], ["xhigh", "high"], [
  "max",
  "high",
]]);

/** The value of `think` for an effort in a chat request; false for none. */
export function toThinkLevel(effort: string, { base }: Pick<TargetModel, "base">): string | false {
  const level = (/gpt-oss/.test(base) ? GPT_OSS_LEVELS : LEVELS).get(effort) ?? effort;
  return level === "none" ? false : level;
}

/** The native API. Requests to `/api/generate` change the last part of the URL. */
export const OLLAMA_API: NativeApi = {
  framing: "ndjson",
  toRequest: (call) => ({
    url: urlOf(call.provider, "chat"),
    headers: {},
    auth: { type: "bearer" },
    body: { ...withParams(call), model: call.model.upstream },
  }),
  toError: toOllamaError,
  optional: new Set(["format", "keep_alive", "options", "think"]),
};

/** The URL of an endpoint. A base URL may lack `/api`. */
export function urlOf({ baseUrl }: Pick<ProviderSettings, "baseUrl">, endpoint: string): string {
  return `${baseUrl.endsWith("/api") ? baseUrl : `${baseUrl}/api`}/${endpoint}`;
}

/** The names of chat parameters in `options`, for configured defaults. */
const OPTIONS = new Map([
  ["max_tokens", "num_predict"],
  ["max_completion_tokens", "num_predict"],
  ...[
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "typical_p",
    "stop",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "repeat_penalty",
    "repeat_last_n",
    "num_ctx",
    "num_keep",
  ].map((name) => [name, name] as const),
]);

/** Defaults outside `options`. */
const MEMBERS = new Set(["keep_alive", "shift", "think", "truncate"]);

/** The caller's body with the configured defaults that it lacks. */
function withParams({ body, model, params, changes }: NativeCall): JsonObject {
  const options = isObject(body.options) ? body.options : {};
  const addedOptions: JsonObject = {};
  const added: JsonObject = {};
  for (const [name, value] of Object.entries(params)) {
    const option = OPTIONS.get(name);
    if (option !== undefined) {
      if (options[option] !== undefined) continue;
      addedOptions[option] = name === "stop" && typeof value === "string" ? [value] : value;
    } else if (MEMBERS.has(name)) {
      if (body[name] === undefined) added[name] = value;
    } else if (name === "reasoning_effort" && typeof value === "string") {
      if (body.think === undefined) added.think = toThinkLevel(value, model);
    } else changes.ignore(name);
  }
  const hasOptions = Object.keys(addedOptions).length > 0;
  if (!hasOptions && Object.keys(added).length === 0) return body;
  return { ...body, ...added, ...(hasOptions && { options: { ...options, ...addedOptions } }) };
}

// Ollama's embeddings: https://github.com/ollama/ollama/blob/main/docs/api.md (2026-08).

/** Ollama's native embeddings. */
export const ollamaEmbeddings: EmbeddingsApi = {
  ...textsOnly({
    dimensions: native,
    truncate: nativeAs("true or false; the server truncates by default"),
  }, { keep_alive: native, options: native, num_ctx: renamed("options.num_ctx") }),
  adds: { truncate: "the vendor silently truncates long inputs by default" },
  limitsFor: limitedTo(2048),
  toRequest(call) {
    const { fields, model, provider, changes } = call;
    const { truncate = false, ...others } = fields;
    if (fields.truncate === undefined) changes.add("truncate");
    const isFlag = typeof truncate === "boolean";
    if (!isFlag) changes.convert("truncate");
    return {
      url: urlOf(provider, "embed"),
      headers: {},
      auth: { type: "bearer" },
      body: {
        model: model.upstream,
        input: textsOf(call),
        ...others,
        truncate: isFlag ? truncate : truncate !== "NONE",
      },
    };
  },
  toBody({ body }) {
    const vectors = toVectors(memberOf(body, "embeddings"));
    if (vectors === undefined) return undefined;
    const model = memberOf(body, "model");
    const tokens = memberOf(body, "prompt_eval_count");
    return {
      vectors,
      model: isText(model) ? model : undefined,
      tokens: typeof tokens === "number" ? tokens : undefined,
    };
  },
};

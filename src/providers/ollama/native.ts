/**
 * Ollama's API as the caller's own format: the body passes as it came, apart from the name of the
 * model and defaults of the configuration.
 *
 * Shapes: https://github.com/ollama/ollama/blob/main/api/types.go (2026-08).
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { ProviderSettings } from "../contract/adapter.ts";
import type { NativeApi, NativeCall } from "../contract/native.ts";
import { toError } from "./answers.ts";
import { toThinkLevel } from "./think.ts";

/** The native API. Requests of `/api/generate` change the last part of the URL. */
export const OLLAMA_API: NativeApi = {
  framing: "ndjson",
  toRequest: (call) => ({
    url: urlOf(call.provider, "chat"),
    headers: {},
    auth: { type: "bearer" },
    body: { ...withParams(call), model: call.model.upstream },
  }),
  toError,
  optional: new Set(["format", "keep_alive", "options", "think"]),
};

/** The URL of an endpoint. A base URL may lack `/api`. */
export function urlOf({ baseUrl }: Pick<ProviderSettings, "baseUrl">, endpoint: string): string {
  return `${baseUrl.endsWith("/api") ? baseUrl : `${baseUrl}/api`}/${endpoint}`;
}

/** The names of chat parameters in `options`, for defaults of the configuration. */
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

/** Defaults that stand beside `options`. */
const MEMBERS = new Set(["keep_alive", "shift", "think", "truncate"]);

/** The caller's body with the configured defaults that it lacks. */
function withParams({ body, model, params, receipt }: NativeCall): JsonObject {
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
    } else receipt.ignore(name);
  }
  const hasOptions = Object.keys(addedOptions).length > 0;
  if (!hasOptions && Object.keys(added).length === 0) return body;
  return { ...body, ...added, ...(hasOptions && { options: { ...options, ...addedOptions } }) };
}

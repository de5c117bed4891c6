/**
 * The Messages API where vendors serve it: the caller's body passes, apart from the model and what
 * the target requires.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { VendorRequest } from "../contract/adapter.ts";
import type { NativeApi, NativeCall } from "../contract/native.ts";
import { readCount } from "../contract/token_counter.ts";
import { claudeMarks } from "./prompt_marks/cache_control.ts";

/** The differences between Messages endpoints. */
export interface MessagesEndpoint extends Omit<NativeApi, "toRequest"> {
  /** Where the request goes, how it is signed, and the headers beside those of the caller. */
  request(call: NativeCall): Omit<VendorRequest, "body">;
  /** Changes the body for what the target requires. */
  body?(body: JsonObject, call: NativeCall): JsonObject;
  /** The address of the vendor's token counter, which takes the same body, if it has one. */
  countUrl?(call: NativeCall): string;
}

/** A native API for one endpoint. */
export function nativeMessages(
  { request, body: adapt, countUrl, ...api }: MessagesEndpoint,
): NativeApi {
  return {
    ...(countUrl && {
      counter: {
        toRequest: (call) => ({
          ...request(call),
          url: countUrl(call),
          body: { ...call.body, model: call.model.upstream },
        }),
        read: readCount("input_tokens"),
      },
    }),
    promptMarks: claudeMarks,
    ...api,
    toRequest(call) {
      const body = { ...withParams(call), model: call.model.upstream };
      return { ...request(call), body: adapt?.(body, call) ?? body };
    },
  };
}

/** The names of chat parameters in the Messages API, for defaults of the configuration. */
const PARAMETERS = new Map([
  ["max_tokens", "max_tokens"],
  ["temperature", "temperature"],
  ["top_p", "top_p"],
  ["top_k", "top_k"],
  ["stop", "stop_sequences"],
  ["service_tier", "service_tier"],
  ["thinking", "thinking"],
]);

/** The caller's body with the configured defaults that it lacks. */
function withParams({ body, params, receipt }: NativeCall): JsonObject {
  const added: JsonObject = {};
  for (const [name, value] of Object.entries(params)) {
    const native = PARAMETERS.get(name);
    if (name === "reasoning_effort") {
      const config = isObject(body.output_config) ? body.output_config : {};
      if (config.effort == null) added.output_config = { ...config, effort: value };
    } else if (native === undefined) receipt.ignore(name);
    else if (body[native] == null) {
      added[native] = name === "stop" && typeof value === "string" ? [value] : value;
    }
  }
  return { ...body, ...added };
}

/** The beta features that the caller and the configuration request, without duplicates. */
export function betasOf({ headers, provider: { options } }: NativeCall): readonly string[] {
  const configured = Array.isArray(options.beta) ? options.beta.map(String) : [];
  const asked = (headers.get("anthropic-beta") ?? "").split(",").map((beta) => beta.trim());
  return [...new Set([...configured, ...asked].filter((beta) => beta !== ""))];
}

/** The header with the requested beta features, if any. */
export function betaHeader(call: NativeCall): Record<string, string> {
  const betas = betasOf(call);
  return betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {};
}

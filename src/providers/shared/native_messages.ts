/**
 * The Messages API of vendors that serve it: the caller's body is forwarded, except for the model,
 * fields that the target requires, and fields that it is known to reject.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { GatewayError } from "../../core/errors.ts";
import type { NativeApi, NativeCall } from "../../contract/native.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import { readCount } from "../../contract/model_facts.ts";
import { type BetaRequest, type ClaudeCloud, fitToCloud, toBetas } from "./claude/betas.ts";
import { claudeRepair, fitToModel } from "./claude/native_fit.ts";
import { claudeMarks } from "./prompt_marks/cache_control.ts";
import type { UpstreamError, VendorRequest } from "../../contract/vendor_request.ts";

/** The differences between Messages endpoints. */
export interface MessagesEndpoint extends Omit<NativeApi, "toRequest"> {
  /** The URL and the authentication of the request, and the headers in addition to the caller's. */
  request(call: NativeCall, betas: readonly string[]): Omit<VendorRequest, "body">;
  /** Changes the body as the target requires. */
  body?(body: JsonObject, call: NativeCall, betas: readonly string[]): JsonObject;
  /** The address of the vendor's token counter, which accepts the same body, if there is one. */
  countUrl?(call: NativeCall): string;
  /** The cloud that serves the API; absent if betas and their members are forwarded unchanged. */
  readonly cloud?: ClaudeCloud;
  /** Whether it stores conversations for the member `thread`. */
  readonly threads?: true;
}

/** A native API for one endpoint. */
export function nativeMessages(
  { request, body: adapt, cloud, threads, countUrl, toError, ...api }: MessagesEndpoint,
): NativeApi {
  return {
    ...(countUrl && {
      counter: {
        toRequest(call) {
          const { body, betas } = fitMessages(call.body, call, cloud, true);
          return {
            ...request(call, betas),
            url: countUrl(call),
            body: { ...body, model: call.model.upstream },
          };
        },
        read: readCount("input_tokens"),
      },
    }),
    promptMarks: claudeMarks,
    optional: OPTIONAL,
    ...api,
    toRequest(call) {
      if (!threads && call.body.thread != null) throw threadUnsupported();
      const { body: fitted, betas } = fitMessages(withParams(call), call, cloud);
      const body = { ...fitted, model: call.model.upstream };
      return { ...request(call, betas), body: adapt?.(body, call, betas) ?? body };
    },
    toError: (failure) => withRepair(toError(failure)),
  };
}

/**
 * Converts members that the model is known to reject, and removes those that the cloud rejects.
 *
 * @param isCount whether the request is for the token counter
 */
export function fitMessages(
  body: JsonObject,
  call: NativeCall,
  cloud: ClaudeCloud | undefined,
  isCount = false,
): BetaRequest {
  const { headers, model, provider: { options }, changes } = call;
  const fitted = fitToModel(body, model, changes);
  const requested = toBetas(headers.get("anthropic-beta"));
  const configured = toBetas(options.beta);
  if (cloud === undefined) {
    return { body: fitted, betas: [...new Set([...configured, ...requested])] };
  }
  // Bedrock defines this member, which its clients may send.
  const { anthropic_beta: listed, ...rest } = withOutputConfig(fitted, changes);
  const betas = [...new Set([...requested, ...toBetas(listed)])];
  const takesBetas = !(isCount && cloud.countsWithoutBetas);
  return fitToCloud(
    { body: rest, betas: takesBetas ? betas : [] },
    cloud,
    { model, allowed: toBetas(options.allowed_betas) },
    changes,
  );
}

/** Uses the error code that makes clients send the whole conversation. */
function threadUnsupported(): GatewayError {
  return new GatewayError(
    "unsupported_parameter",
    "The provider does not support 'thread': send all messages of the conversation",
    {
      param: "thread",
      code: "thread_unsupported_request",
    },
  );
}

/**
 * The location of the output format since the end of the beta
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs, 2026-11-20).
 */
function withOutputConfig(body: JsonObject, changes: RequestChanges): JsonObject {
  const { output_format: format, ...rest } = body;
  if (format === undefined) return body;
  const config = isObject(rest.output_config) ? rest.output_config : {};
  changes.rename("output_format", "output_config.format");
  return { ...rest, output_config: { format, ...config } };
}

function withRepair(error: UpstreamError): UpstreamError {
  const { kind, message, repair } = error;
  if (kind !== "invalid_request" || message === undefined || repair !== undefined) return error;
  return { ...error, repair: claudeRepair(message) };
}

/**
 * Members that clients add on their own, or that change how a request is answered but not its
 * content: `MessageCreateParams` of https://www.npmjs.com/package/@anthropic-ai/sdk (1.12.0,
 * 2026-11-20).
 */
const OPTIONAL: ReadonlySet<string> = new Set([
  "cache_control",
  "context_management",
  "diagnostics",
  "fallbacks",
  "metadata",
  "output_config",
  "service_tier",
  "speed",
  "stop_sequences",
  "temperature",
  "thinking",
  "top_k",
  "top_p",
]);

/** The names of chat parameters in the Messages API, for configured defaults. */
const PARAMETERS = new Map([
  ["max_tokens", "max_tokens"],
  ["temperature", "temperature"],
  ["top_p", "top_p"],
  ["top_k", "top_k"],
  ["stop", "stop_sequences"],
  ["service_tier", "service_tier"],
  ["thinking", "thinking"],
]);

/** The caller's body, with configured defaults for missing members. */
function withParams({ body, params, changes }: NativeCall): JsonObject {
  const added: JsonObject = {};
  for (const [name, value] of Object.entries(params)) {
    const native = PARAMETERS.get(name);
    if (name === "reasoning_effort") {
      const config = isObject(body.output_config) ? body.output_config : {};
      if (config.effort == null) added.output_config = { ...config, effort: value };
    } else if (native === undefined) changes.ignore(name);
    else if (body[native] == null) {
      added[native] = name === "stop" && typeof value === "string" ? [value] : value;
    }
  }
  return { ...body, ...added };
}

/**
 * Claude's Messages API on Bedrock: InvokeModel accepts the body, and streams events in binary
 * frames.
 *
 * Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
 * and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 * (2026-11-20).
 */

import type { ErrorKind } from "../../core/errors.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import type { NativeApi, NativeCall } from "../../contract/native.ts";
import { BEDROCK_CLAUDE } from "../shared/claude/betas.ts";
import { fitMessages, nativeMessages } from "../shared/native_messages.ts";
import { claudeMarks } from "../shared/prompt_marks/cache_control.ts";
import { toBedrockError } from "./errors.ts";
import { cachesPrompts } from "./prompt_marks.ts";
import { COUNTED, type ResourceOf, toCountRequest } from "./models.ts";
import type { Failure, UpstreamError } from "../../contract/vendor_request.ts";

/** The API for the models at the addresses that `resource` returns. */
export function messagesOnBedrock(resource: ResourceOf): NativeApi {
  const request = (call: NativeCall) => ({
    url: `${resource(call)}/${call.stream ? "invoke-with-response-stream" : "invoke"}`,
    headers: {},
    auth: {
      type: "sigv4" as const,
      service: "bedrock",
      region: String(call.provider.options.region),
    },
  });
  return {
    ...nativeMessages({
      framing: "aws-event-stream",
      request,
      cloud: BEDROCK_CLAUDE,
      body: toInvokeBody,
      toError: toNativeError,
      promptMarks: (model) => cachesPrompts(model.base) ? claudeMarks(model) : undefined,
      unwrap,
    }),
    // A body that InvokeModel would accept, as base64.
    counter: {
      ...COUNTED,
      toRequest(call) {
        const { body: fitted, betas } = fitMessages(call.body, call, BEDROCK_CLAUDE, true);
        const body = toInvokeBody({ max_tokens: 1, ...fitted }, call, betas);
        const base64 = encoder.encode(JSON.stringify(body)).toBase64();
        const input = { invokeModel: { body: base64 } };
        return { ...request(call), ...toCountRequest(call, resource, input) };
      },
    },
  };
}

function toInvokeBody(
  { model: _, stream: __, ...body }: JsonObject,
  call: NativeCall,
  betas: readonly string[],
): JsonObject {
  if (body.anthropic_version === undefined) call.changes.add("anthropic_version");
  return {
    anthropic_version: "bedrock-2023-05-31",
    ...(betas.length > 0 && { anthropic_beta: betas }),
    ...body,
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The event in the base64 text of a frame; an exception becomes an error event. */
function unwrap({ event, data, failed }: Frame): Frame | undefined {
  const body = parse(data);
  if (failed) return toErrorEvent({ ...body, __type: event });
  if (!isText(body.bytes)) return undefined;
  const text = decode(body.bytes);
  const { type } = parse(text);
  return { event: isText(type) ? type : undefined, data: text };
}

function toErrorEvent(body: Readonly<Record<string, unknown>>): Frame {
  return { event: "error", data: JSON.stringify({ ...body, type: "error" }) };
}

function decode(base64: string): string {
  try {
    return decoder.decode(Uint8Array.fromBase64(base64));
  } catch {
    return "";
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = new InnerJson().parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The kinds of Claude's own error events; all others are AWS's. */
const KINDS = new Map<unknown, ErrorKind>([
  ["overloaded_error", "upstream_unavailable"],
  ["rate_limit_error", "rate_limited"],
  ["timeout_error", "upstream_timeout"],
  ["invalid_request_error", "invalid_request"],
]);

function toNativeError(failure: Failure): UpstreamError {
  const { body } = failure;
  if (failure.where === "answer" || !isObject(body) || !isObject(body.error)) {
    return toBedrockError(failure);
  }
  const { type, message } = body.error;
  return {
    kind: KINDS.get(type) ?? "upstream_error",
    message: isText(message) ? message : undefined,
  };
}

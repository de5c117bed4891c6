/** Converts failures of OpenAI's Responses API to those of chat completions. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { toUpstreamError } from "../openai_compatible/errors.ts";
import type { Failure, Repair, UpstreamError } from "../../contract/vendor_request.ts";

/** Classifies a failure for callers of chat completions: fields have their names in that API. */
export function toResponsesError(failure: Failure): UpstreamError {
  const error = toNativeError(failure);
  const refused = error.kind === "invalid_request" ? OPTIONAL.get(error.param ?? "") : undefined;
  return {
    ...error,
    repair: toChatRepair(error.repair) ?? refused,
    ...(error.param != null && { param: toChatParam(error.param) }),
  };
}

/** A repair with the parameter's name in chat completions. */
function toChatRepair(repair: Repair | undefined): Repair | undefined {
  if (repair === undefined || "rewrite" in repair || typeof repair.without !== "string") {
    return repair;
  }
  const name = toChatParam(repair.without);
  return name === repair.without ? repair : { ...repair, parameters: [name] };
}

/** Optional fields that are rejected for some models or organizations, by the error's `param`. */
const OPTIONAL = new Map<string, Repair>([
  // Only reasoning models accept it. The caller did not send it.
  ["include", { without: "include", parameters: [] }],
  // Rejected with `unsupported_value` for unverified organizations
  // (https://github.com/OpenHands/software-agent-sdk/issues/987, 2026-11-24).
  ["reasoning.summary", { without: "reasoning.summary", parameters: ["reasoning.summary"] }],
]);

/**
 * Classifies a failure: an HTTP answer, a failed response, or an `error` event, which is flat in
 * the reference but nested in practice.
 */
export function toNativeError(failure: Failure): UpstreamError {
  const body = failure.where === "stream" ? { error: errorIn(failure.body) } : failure.body;
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const headers = failure.where === "stream" ? new Headers() : failure.headers;
  const named = failure.where === "stream" ? statusOf(error) : undefined;
  const status = failure.where === "stream" ? named?.status ?? 500 : failure.status;
  const upstreamError = toUpstreamError({ where: "answer", status, headers, body });
  const wait = upstreamError.kind === "rate_limited" ? waitIn(upstreamError.message) : undefined;
  return {
    ...upstreamError,
    // The status is derived from the code, so the code is the proof.
    ...(named !== undefined && upstreamError.suspends !== undefined && {
      suspends: { code: named.name, ...upstreamError.suspends },
    }),
    ...(wait !== undefined && headers.get("retry-after") === null && { retryAfter: wait }),
  };
}

function errorIn(body: unknown): JsonObject {
  if (!isObject(body)) return {};
  const failed = isObject(body.response) ? body.response : body;
  if (isObject(failed.error)) return failed.error;
  const { code, message, param } = failed;
  return { code, message, param };
}

/** The HTTP status for an error, and whether its code or its type determined it. */
function statusOf({ code, type }: JsonObject): { status: number; name: string } | undefined {
  for (const name of [code, type]) {
    const status = typeof name === "string" ? statusOfName(name) : undefined;
    if (status !== undefined) return { status, name: String(name) };
  }
  return undefined;
}

/**
 * `ResponseErrorCode` of https://github.com/openai/openai-openapi (2026-08-21), and observed codes.
 */
function statusOfName(name: string): number | undefined {
  if (/rate_limit|quota/.test(name)) return 429;
  if (/overload|slow_down/.test(name)) return 503;
  if (/timeout/.test(name)) return 504;
  if (/authentication|invalid_api_key/.test(name)) return 401;
  if (/permission/.test(name)) return 403;
  return BAD_REQUEST.test(name) ? 400 : undefined;
}

const BAD_REQUEST =
  /image|\binvalid_|context_length_exceeded|_policy\b|content_filter|data_residency_mismatch|unsupported/;

/**
 * The delay in the message, which OpenAI's client also reads (https://github.com/openai/codex,
 * 2026).
 */
function waitIn(message: string | undefined): number | undefined {
  const found = /try again in ([\d.]+) ?(ms|s)/i.exec(message ?? "");
  if (found === null) return undefined;
  const count = Number(found[1]);
  if (!Number.isFinite(count)) return undefined;
  return found[2]?.toLowerCase() === "ms" ? count : count * 1000;
}

/** The name of a field in chat completions. */
function toChatParam(param: string): string {
  // One message may be several items, so the caller cannot map their indices.
  if (/^input\b/.test(param)) return "messages";
  if (/^text\.format\b/.test(param)) return "response_format";
  const tool = /^(tools\[\d+\])\.(name|description|parameters|strict)\b(.*)$/.exec(param);
  if (tool !== null) return `${tool[1]}.function.${tool[2]}${tool[3]}`;
  return PARAMS.get(param) ?? param;
}

const PARAMS = new Map([
  ["max_output_tokens", "max_completion_tokens"],
  ["reasoning.effort", "reasoning_effort"],
  ["text.verbosity", "verbosity"],
]);

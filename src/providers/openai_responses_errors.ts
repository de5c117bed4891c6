/** What the failures of OpenAI's Responses API mean, in the words of chat completions. */

import { isObject, type JsonObject } from "../chat.ts";
import type { Failure, Verdict } from "./adapter.ts";
import { toVerdict } from "./openai_errors.ts";

/**
 * Classifies a failure: an HTTP answer, an `error` event, which is flat in the
 * reference and nested on the wire, or a response that failed.
 */
export function toResponsesVerdict(failure: Failure): Verdict {
  const body = failure.where === "stream" ? { error: errorIn(failure.body) } : failure.body;
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const headers = failure.where === "stream" ? new Headers() : failure.headers;
  const named = failure.where === "stream" ? statusOf(error) : undefined;
  const status = failure.where === "stream" ? named?.status ?? 500 : failure.status;
  const verdict = toVerdict({ where: "answer", status, headers, body });
  const wait = verdict.kind === "rate_limited" ? waitIn(verdict.message) : undefined;
  // Only reasoning models take it; nothing of the caller's is lost without it.
  const unsealed = verdict.param === "include" ? { without: "include", parameters: [] } : undefined;
  return {
    ...verdict,
    // The status stands for the code, so the code is the proof.
    ...(named !== undefined && verdict.suspends !== undefined && {
      suspends: { code: named.name, ...verdict.suspends },
    }),
    repair: verdict.repair ?? (verdict.kind === "invalid_request" ? unsealed : undefined),
    ...(verdict.param != null && { param: toChatParam(verdict.param) }),
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

/** The status that an error's code or type stands for, and the one that does. */
function statusOf({ code, type }: JsonObject): { status: number; name: string } | undefined {
  for (const name of [code, type]) {
    const status = typeof name === "string" ? statusOfName(name) : undefined;
    if (status !== undefined) return { status, name: String(name) };
  }
  return undefined;
}

/** `ResponseErrorCode` of https://github.com/openai/openai-openapi (2026-08-21), and codes seen. */
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

/** OpenAI's own client reads the delay from the words (https://github.com/openai/codex, 2026). */
function waitIn(message: string | undefined): number | undefined {
  const found = /try again in ([\d.]+) ?(ms|s)/i.exec(message ?? "");
  if (found === null) return undefined;
  const count = Number(found[1]);
  if (!Number.isFinite(count)) return undefined;
  return found[2]?.toLowerCase() === "ms" ? count : count * 1000;
}

/** The caller's name of a field, for one that has another name here. */
function toChatParam(param: string): string {
  // One message may be several items, so their indices say nothing to the caller.
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

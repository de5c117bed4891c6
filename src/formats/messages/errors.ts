/**
 * Errors as the Messages API writes them.
 *
 * Shape, types and statuses: https://platform.claude.com/docs/en/api/errors (2026-11-20), and
 * `ErrorResponse` of https://www.npmjs.com/package/@anthropic-ai/sdk (1.12.0, 2026-11-20).
 */

import type { GatewayError } from "../../core/errors.ts";

/** The member `error.type` for each status; `api_error` or `invalid_request_error` for others. */
const TYPES = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [408, "timeout_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [503, "overloaded_error"],
  [504, "timeout_error"],
]);

function typeOf(status: number): string {
  return TYPES.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

/** The status of an error: as in chat completions, except for a used-up quota. */
export function statusOf({ kind, status }: GatewayError): number {
  return kind === "quota" ? 402 : status;
}

/** The body of an answer that is an error. */
export function writeError(error: GatewayError, requestId: string): string {
  const { code } = error;
  const details = code === null ? {} : { details: { error_code: code } };
  return JSON.stringify({
    type: "error",
    error: { type: typeOf(statusOf(error)), message: messageOf(error), ...details },
    request_id: requestId,
  });
}

/** Agents compact their conversation when a message begins with these words. */
const TOO_LONG = "prompt is too long";

function messageOf({ kind, message, param }: GatewayError): string {
  // The format has no member for the path: Anthropic's own messages begin with it.
  const isPlace = param !== null && param.includes("[") && !message.includes(param);
  if (kind !== "context_length") return isPlace ? `${param}: ${message}` : message;
  if (message.startsWith(TOO_LONG)) return message;
  const [tokens, maximum] = tokenCountsIn(message);
  if (tokens === undefined || maximum === undefined) return `${TOO_LONG}: ${message}`;
  return `${TOO_LONG}: ${tokens} tokens > ${maximum} maximum (${message})`;
}

/** The two largest numbers of a message about a context window, the larger first. */
function tokenCountsIn(message: string): readonly number[] {
  const numbers = [...message.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  return [...new Set(numbers)].filter((count) => count >= MIN_TOKENS && Number.isSafeInteger(count))
    .sort((one, other) => other - one).slice(0, 2);
}

/** Smaller numbers are not sizes of context windows, but for example statuses. */
const MIN_TOKENS = 1000;

/** Errors of the Messages API. */

import { isObject } from "../../contract/chat.ts";
import { ERROR_KINDS, kindOfStatus, scopeOfStatus } from "../../core/errors.ts";
import { isText } from "../../core/json/values.ts";
import { claudeRepair } from "../shared/claude/native_fit.ts";
import {
  type CodeMeaning,
  KEY_REFUSED,
  QUOTA_USED_UP,
  saysTooLong,
  suspensionOf,
} from "../shared/errors.ts";
import type { Failure, UpstreamError } from "../../contract/vendor_request.ts";

/** The HTTP status for each error type, for events, which have no status. */
const STATUS_OF_ERROR = new Map<unknown, number>([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["conflict_error", 409],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

/** Error codes that are more specific than their status. */
const CODES = new Map<unknown, CodeMeaning>([
  ["organization_on_hold", KEY_REFUSED],
  ["enforced_spend_limit_reached", QUOTA_USED_UP],
  ["contract_spend_limit_reached", QUOTA_USED_UP],
]);

/**
 * Classifies errors in answers and in stream events by status, then code and type, then message.
 */
export function toAnthropicError(failure: Failure): UpstreamError {
  const { body } = failure;
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const typed = STATUS_OF_ERROR.get(error.type);
  const status = failure.where === "answer" ? failure.status : undefined;
  let kind = kindOfStatus(status ?? typed ?? 500);
  // The type is more specific than a general status. It never makes a 4xx status retryable.
  if (typed !== undefined && (kind === "upstream_error" || kind === "invalid_request")) {
    const more = kindOfStatus(typed);
    if (kind === "upstream_error" || !ERROR_KINDS[more].retryable) kind = more;
  }
  const code = isObject(error.details) ? error.details.error_code : undefined;
  const coded = CODES.get(code);
  kind = coded?.kind ?? kind;
  const named = coded === undefined
    ? { name: String(error.type), suspends: scopeOfStatus(typed) }
    : { name: String(code), suspends: coded.suspends };
  const suspends = suspensionOf(status, named);
  const message = isText(error.message) ? error.message : undefined;
  const reported = { kind, message, suspends };
  return kind === "invalid_request" && message !== undefined
    ? { ...reported, ...readWords(message), ...(isText(code) && { code }) }
    : reported;
}

/** Failures that can be identified only by the message of a 400. They affect only this request. */
function readWords(message: string): Partial<UpstreamError> {
  if (saysTooLong(message)) return { kind: "context_length" };
  if (/^Your credit balance is too low/i.test(message)) return { kind: "quota" };
  const repair = claudeRepair(message);
  return repair === undefined ? {} : { repair };
}

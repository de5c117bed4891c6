/** Classifies AWS errors, in answers and inside streams. */

import { isObject } from "../../contract/chat.ts";
import { type ErrorKind, kindOfStatus, scopeOfStatus } from "../../core/errors.ts";
import {
  type CodeMeaning,
  KEY_REFUSED,
  meaningOf,
  MODEL_REFUSED,
  saysTooLong,
  suspensionOf,
} from "../shared/errors.ts";
import { isText } from "../../core/json/values.ts";
import type { Failure, UpstreamError } from "../../contract/vendor_request.ts";

/**
 * Classifies both HTTP answers and stream exceptions, which have the same names. The text
 * of the message affects only this request.
 */
export function toBedrockError(failure: Failure): UpstreamError {
  const body = isObject(failure.body) ? failure.body : {};
  const headers = failure.where === "answer" ? failure.headers : new Headers();
  const name = nameOf([headers.get("x-amzn-errortype"), body.__type, body.code]);
  const message = [body.message, body.Message, body.originalMessage].find(isText);
  const short = name.replace(/(Exception|Error)$/, "").toLowerCase();
  const own = failure.where === "answer" ? failure.status : undefined;
  const status = own ?? STATUS_OF_NAME.get(short) ?? 500;
  const named = MEANING_OF_NAME.get(short);
  const kind = refine(
    named?.kind ?? KIND_OF_STATUS.get(status) ?? kindOfStatus(status),
    message,
  );
  const wait = Number(headers.get("x-amz-retry-after") ?? NaN);
  return {
    kind,
    message,
    // A stream exception corresponds to a status.
    suspends: suspensionOf(own, { name, suspends: named?.suspends ?? scopeOfStatus(status) }),
    ...(SHOWS_CODE.has(kind) && name !== "" && { code: name }),
    ...(wait >= 0 && { retryAfter: wait }),
  };
}

/** The kinds of errors whose vendor code is shown to the caller or logged. */
const SHOWS_CODE: ReadonlySet<ErrorKind> = new Set(["invalid_request", "upstream_auth"]);

/** The statuses that stream exceptions correspond to, by lowercase name. */
const STATUS_OF_NAME = new Map([
  ["validation", 400],
  ["accessdenied", 403],
  ["resourcenotfound", 404],
  ["modeltimeout", 408],
  ["throttling", 429],
  ["internalserver", 500],
  ["serviceunavailable", 503],
]);

/** Statuses with a different meaning here than elsewhere: 424 is a model failure. */
const KIND_OF_STATUS = new Map<number, ErrorKind>([[424, "upstream_error"]]);

/**
 * Names that are more specific than their status:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
 * (2026-11-20).
 */
const MEANING_OF_NAME = new Map<string, CodeMeaning>([
  ["mpagreementbeingcreated", meaningOf("upstream_unavailable")],
  ["modelnotready", meaningOf("upstream_unavailable")],
  // A model's own quota; AWS has no others.
  ["servicequotaexceeded", { kind: "quota", suspends: "model" }],
  ["modelerror", meaningOf("upstream_error")],
  ["modelstreamerror", meaningOf("upstream_error")],
  // Access is granted per model, and by policies that name models and regions.
  ["accessdenied", MODEL_REFUSED],
  ["unrecognizedclient", KEY_REFUSED],
  ["invalidclienttokenid", KEY_REFUSED],
  ["invalidsignature", KEY_REFUSED],
  ["signaturedoesnotmatch", KEY_REFUSED],
  ["incompletesignature", KEY_REFUSED],
  ["expiredtoken", KEY_REFUSED],
  ["requestexpired", KEY_REFUSED],
  ["missingauthenticationtoken", KEY_REFUSED],
  ["notauthorized", KEY_REFUSED],
]);

/** `com.amazon.coral#ValidationException:http://…` names a ValidationException. */
function nameOf(sources: readonly unknown[]): string {
  return sources.find(isText)?.replace(/:.*$/s, "").replace(/^.*#/s, "") ?? "";
}

const NO_MODEL = /model identifier is invalid|on-demand throughput isn.t supported/i;
const USED_UP = /tokens per day|daily/i;

/** Failures that can be identified only by the message of a 400 or a 429. */
function refine(kind: ErrorKind, message = ""): ErrorKind {
  if (kind === "invalid_request") {
    if (saysTooLong(message)) return "context_length";
    if (NO_MODEL.test(message)) return "model_not_found";
  }
  return kind === "rate_limited" && USED_UP.test(message) ? "quota" : kind;
}

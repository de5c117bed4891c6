/**
 * Classifies the errors of Google's APIs:
 * https://cloud.google.com/apis/design/errors and
 * https://ai.google.dev/gemini-api/docs/troubleshooting (2026-11-20).
 */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { type ErrorKind, kindOfStatus, scopeOfStatus } from "../../core/errors.ts";
import {
  type CodeMeaning,
  KEY_REFUSED,
  MODEL_REFUSED,
  type NamedScope,
  saysTooLong,
  suspensionOf,
} from "../shared/errors.ts";
import type { Failure, Repair, UpstreamError } from "../../contract/vendor_request.ts";

/**
 * Classifies a failure by its status, then by the reasons and quotas in the details. The text of
 * the message affects only this request.
 */
export function toGeminiError(failure: Failure): UpstreamError {
  const error = errorOf(failure.body);
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const message = typeof error.message === "string" && error.message !== ""
    ? error.message
    : undefined;
  const retryAfter = readDelay(details, message ?? "");
  const status = failure.where === "answer" ? failure.status : statusOf(error);
  const reason = reasonIn(details);
  const facts: ErrorFacts = { error, details, message: message ?? "", retryAfter };
  const kind = reason?.kind ?? refine(kindOf(status), facts);
  const code = typeof error.status === "string" ? error.status : null;
  const isAboutVendorKey = kind === "upstream_auth" && VENDOR_KEY_MESSAGE.test(facts.message);
  return {
    kind,
    message: isAboutVendorKey ? undefined : message,
    suspends: failure.where === "answer"
      ? suspensionOf(status, reason ?? quotaCode(kind, details))
      : suspensionOf(undefined, reason ?? statusCode(error, status)),
    ...(kind === "invalid_request" && { code, repair: repairOf(facts.message) }),
    ...(retryAfter !== undefined && kind !== "quota" && { retryAfter }),
  };
}

type NamedReason = CodeMeaning & { readonly name: string };

/** The first reason that is more specific than the status. */
function reasonIn(details: readonly JsonObject[]): NamedReason | undefined {
  for (const { reason } of details) {
    const meaning = REASONS.get(reason);
    if (meaning !== undefined) return { ...meaning, name: String(reason) };
  }
  return undefined;
}

/**
 * Reasons that are about the credentials:
 * https://cloud.google.com/php/docs/reference/common-protos/latest/Api.ErrorReason (2026-08). An
 * invalid key produces a 400: https://github.com/google-gemini/cookbook/issues/423 (2025).
 */
const REASONS = new Map<unknown, CodeMeaning>([
  ["API_KEY_INVALID", KEY_REFUSED],
  ["API_KEY_SERVICE_BLOCKED", KEY_REFUSED],
  ["API_KEY_HTTP_REFERRER_BLOCKED", KEY_REFUSED],
  ["API_KEY_IP_ADDRESS_BLOCKED", KEY_REFUSED],
  ["API_KEY_ANDROID_APP_BLOCKED", KEY_REFUSED],
  ["API_KEY_IOS_APP_BLOCKED", KEY_REFUSED],
  ["ACCESS_TOKEN_EXPIRED", KEY_REFUSED],
  ["ACCESS_TOKEN_SCOPE_INSUFFICIENT", KEY_REFUSED],
  ["ACCESS_TOKEN_TYPE_UNSUPPORTED", KEY_REFUSED],
  ["ACCOUNT_STATE_INVALID", KEY_REFUSED],
  ["CREDENTIALS_MISSING", KEY_REFUSED],
  ["BILLING_DISABLED", KEY_REFUSED],
  ["CONSUMER_INVALID", KEY_REFUSED],
  ["CONSUMER_SUSPENDED", KEY_REFUSED],
  ["SERVICE_DISABLED", KEY_REFUSED],
  ["IAM_PERMISSION_DENIED", MODEL_REFUSED],
  ["LOCATION_POLICY_VIOLATED", MODEL_REFUSED],
]);

/** The exceeded quota, if the details name one. Most quotas apply to one model. */
function quotaCode(
  kind: ErrorKind,
  details: readonly JsonObject[],
): NamedScope | undefined {
  const daily = kind === "quota" ? violationsIn(details).find(isDaily) : undefined;
  if (daily === undefined) return undefined;
  const name = String(daily.quotaId);
  return { name, suspends: name.includes("PerModel") ? "model" : "key" };
}

/** The status in the error, since a stream event has no HTTP status. */
function statusCode({ code, status }: JsonObject, value: number): NamedScope {
  return { name: String(status ?? code), suspends: scopeOfStatus(value) };
}

/** Google's message about the vendor key, which callers must not see. */
const VENDOR_KEY_MESSAGE = /^Your API key/;

/** The error object. Streams and some answers wrap it in a list. */
function errorOf(body: unknown): JsonObject {
  const inner: unknown = Array.isArray(body) ? body[0] : body;
  return isObject(inner) && isObject(inner.error) ? inner.error : {};
}

/** The HTTP status of an error inside a stream, which has a number, a name, or both. */
function statusOf({ code, status }: JsonObject): number {
  if (typeof code === "number" && code >= 400 && code < 600) return code;
  return STATUS_OF_NAME.get(status) ?? 500;
}

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto (2026-11-20). */
const STATUS_OF_NAME = new Map<unknown, number>([
  ["INVALID_ARGUMENT", 400],
  ["FAILED_PRECONDITION", 400],
  ["OUT_OF_RANGE", 400],
  ["UNAUTHENTICATED", 401],
  ["PERMISSION_DENIED", 403],
  ["NOT_FOUND", 404],
  ["ABORTED", 409],
  ["RESOURCE_EXHAUSTED", 429],
  ["UNAVAILABLE", 503],
  ["DEADLINE_EXCEEDED", 504],
]);

/**
 * The vendor responds with 499 if it lost the gateway's connection, which is not the caller's
 * fault.
 */
function kindOf(status: number): ErrorKind {
  return status === 499 ? "upstream_error" : kindOfStatus(status);
}

interface ErrorFacts {
  readonly error: JsonObject;
  readonly details: readonly JsonObject[];
  readonly message: string;
  readonly retryAfter: number | undefined;
}

/** Refines the kind of a 400 or a 429 by its message, which affects only this request. */
function refine(kind: ErrorKind, facts: ErrorFacts): ErrorKind {
  if (kind === "rate_limited") return isUsedUp(facts) ? "quota" : kind;
  if (kind !== "invalid_request") return kind;
  const { error, message } = facts;
  // The account has no billing, or the gateway's region is not supported.
  const isOperatorFault = /^User location is not supported|^[^'"]*\bbilling\b/i.test(message);
  if (error.status === "FAILED_PRECONDITION" && isOperatorFault) return "upstream_auth";
  if (saysTooLong(message)) return "context_length";
  if (/request payload size exceeds/i.test(message)) return "too_large";
  return kind;
}

/**
 * Whether a quota is exhausted. Every 429 mentions quota, even if it resets within a second.
 * Exhausted means that the plan has no quota at all, or that a daily quota is exceeded and does not
 * reset soon.
 */
function isUsedUp({ details, message, retryAfter }: ErrorFacts): boolean {
  if (/limit: 0\b|prepayment credits|credits are depleted/i.test(message)) return true;
  const daily = violationsIn(details).some(isDaily);
  return daily && (retryAfter === undefined || retryAfter > MAX_RATE_LIMIT_DELAY_MS);
}

function violationsIn(details: readonly JsonObject[]): readonly JsonObject[] {
  return details.flatMap((detail) =>
    Array.isArray(detail.violations) ? detail.violations.filter(isObject) : []
  );
}

function isDaily({ quotaId }: JsonObject): boolean {
  return typeof quotaId === "string" && quotaId.includes("PerDay");
}

/** The maximum delay of a daily quota that counts as a rate limit, in milliseconds. */
const MAX_RATE_LIMIT_DELAY_MS = 120_000;

/**
 * Fields that only some models support, by the start of the error message from other models:
 * https://github.com/googleapis/js-genai/issues/1609,
 * https://github.com/vercel/ai/issues/8943 (2025).
 */
const REPAIRS: readonly (readonly [pattern: RegExp, repair: Repair])[] = [
  [/^Logprobs is not (?:enabled|supported)/i, {
    without: ["generationConfig.responseLogprobs", "generationConfig.logprobs"],
    parameters: ["logprobs", "top_logprobs"],
  }],
  [/^Penalty is not enabled/i, {
    without: ["generationConfig.frequencyPenalty", "generationConfig.presencePenalty"],
    parameters: ["frequency_penalty", "presence_penalty"],
  }],
  [/^Multiple candidates is not enabled/i, {
    without: "generationConfig.candidateCount",
    parameters: ["n"],
  }],
  [
    /^(?:Unable to submit request because )?thinking(?:[ _]?(?:level|budget|config))?\b.{0,40}\bnot supported/i,
    {
      without: "generationConfig.thinkingConfig",
      parameters: ["reasoning_effort", "thinking"],
    },
  ],
  // Vertex did not support call IDs until 2026-09, and may not support them for every model:
  // https://github.com/anomalyco/opencode/issues/50504 (2026-09).
  [/^(?:Invalid JSON payload received\. )?Unknown name "id" at 'contents/, {
    without: ["contents.parts.functionCall.id", "contents.parts.functionResponse.id"],
    parameters: [],
  }],
];

function repairOf(message: string): Repair | undefined {
  for (const [pattern, repair] of REPAIRS) {
    const text = pattern.exec(message)?.[0];
    if (text !== undefined) return { ...repair, words: text };
  }
  return undefined;
}

/** Reads the delay from a detail, otherwise from the message. There is no `retry-after` header. */
function readDelay(details: readonly JsonObject[], message: string): number | undefined {
  for (const detail of details) {
    if (!String(detail["@type"]).endsWith("google.rpc.RetryInfo")) continue;
    const delay = toMilliseconds(detail.retryDelay);
    if (delay !== undefined) return delay;
  }
  for (const { metadata } of details) {
    const delay = isObject(metadata) ? toMilliseconds(metadata.quotaResetDelay) : undefined;
    if (delay !== undefined) return delay;
  }
  return toMilliseconds(/retry in ([\dhms.]*[hms])/i.exec(message)?.[1]);
}

/** Reads `34.4s`, `373.8ms` and `1h2m3s`. */
function toMilliseconds(text: unknown): number | undefined {
  if (typeof text !== "string" || !/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    sum += Number(number) * (UNITS.get(unit ?? "") ?? 0);
  }
  return Math.ceil(sum);
}

const UNITS = new Map([["ms", 1], ["s", 1000], ["m", 60_000], ["h", 3_600_000]]);

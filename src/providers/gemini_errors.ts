/**
 * What the failures of Google's APIs mean:
 * https://cloud.google.com/apis/design/errors and
 * https://ai.google.dev/gemini-api/docs/troubleshooting (2026-11-20).
 */

import { isObject, type JsonObject } from "../chat.ts";
import { type ErrorKind, kindOfStatus, scopeOfStatus } from "../errors.ts";
import type { Failure, Repair, Verdict } from "./adapter.ts";
import {
  type CodeMeaning,
  KEY_REFUSED,
  MODEL_REFUSED,
  type NamedScope,
  suspensionOf,
} from "./error_codes.ts";

/**
 * Classifies a failure: status first, then the reasons and quotas in the details, which are
 * Google's own. Words of the message decide about this request alone.
 */
export function toError(failure: Failure): Verdict {
  const error = errorOf(failure.body);
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const message = typeof error.message === "string" && error.message !== ""
    ? error.message
    : undefined;
  const retryAfter = readDelay(details, message ?? "");
  const status = failure.where === "answer" ? failure.status : statusOf(error);
  const reason = reasonIn(details);
  const told: Told = { error, details, message: message ?? "", retryAfter };
  const kind = reason?.kind ?? refine(kindOf(status), told);
  const code = typeof error.status === "string" ? error.status : null;
  const isOurKey = kind === "upstream_auth" && OUR_KEY.test(told.message);
  return {
    kind,
    message: isOurKey ? undefined : message,
    suspends: failure.where === "answer"
      ? suspensionOf(status, reason ?? quotaCode(kind, details))
      : suspensionOf(undefined, reason ?? statusCode(error, status)),
    ...(kind === "invalid_request" && { code, repair: repairOf(told.message) }),
    ...(retryAfter !== undefined && kind !== "quota" && { retryAfter }),
  };
}

type NamedReason = CodeMeaning & { readonly name: string };

/** The first reason that says more than the status. */
function reasonIn(details: readonly JsonObject[]): NamedReason | undefined {
  for (const { reason } of details) {
    const meaning = REASONS.get(reason);
    if (meaning !== undefined) return { ...meaning, name: String(reason) };
  }
  return undefined;
}

/**
 * Reasons that are about the credentials:
 * https://cloud.google.com/php/docs/reference/common-protos/latest/Api.ErrorReason (2026-08). A bad
 * key comes as a 400: https://github.com/google-gemini/cookbook/issues/423 (2025).
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

/** The quota that is used up, if the details name one: most are of one model. */
function quotaCode(
  kind: ErrorKind,
  details: readonly JsonObject[],
): NamedScope | undefined {
  const daily = kind === "quota" ? violationsIn(details).find(isDaily) : undefined;
  if (daily === undefined) return undefined;
  const name = String(daily.quotaId);
  return { name, suspends: name.includes("PerModel") ? "model" : "key" };
}

/** An event has no HTTP status, so the error's own status is the proof. */
function statusCode({ code, status }: JsonObject, value: number): NamedScope {
  return { name: String(status ?? code), suspends: scopeOfStatus(value) };
}

/** Google's words about the key that was used, which are nothing for the caller. */
const OUR_KEY = /^Your API key/;

/** Streams, and some answers, hold the error in a list. */
function errorOf(body: unknown): JsonObject {
  const inner: unknown = Array.isArray(body) ? body[0] : body;
  return isObject(inner) && isObject(inner.error) ? inner.error : {};
}

/** An error inside a stream brings its status as a number, a word, or both. */
function statusOf({ code, status }: JsonObject): number {
  if (typeof code === "number" && code >= 400 && code < 600) return code;
  return STATUS_OF_WORD.get(status) ?? 500;
}

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto (2026-11-20). */
const STATUS_OF_WORD = new Map<unknown, number>([
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

/** 499 means that the vendor lost us, which no caller could mend. */
function kindOf(status: number): ErrorKind {
  return status === 499 ? "upstream_error" : kindOfStatus(status);
}

interface Told {
  readonly error: JsonObject;
  readonly details: readonly JsonObject[];
  readonly message: string;
  readonly retryAfter: number | undefined;
}

/** What a 400 or a 429 hides in its words; nothing follows from them but for this request. */
function refine(kind: ErrorKind, told: Told): ErrorKind {
  if (kind === "rate_limited") return isUsedUp(told) ? "quota" : kind;
  if (kind !== "invalid_request") return kind;
  const { error, message } = told;
  // Accounts without billing, and addresses that are not served.
  const ours = /^User location is not supported|^[^'"]*\bbilling\b/i.test(message);
  if (error.status === "FAILED_PRECONDITION" && ours) return "upstream_auth";
  if (TOO_LONG.test(message)) return "context_length";
  if (/request payload size exceeds/i.test(message)) return "too_large";
  return kind;
}

const TOO_LONG =
  /input token count.{0,40}exceeds|exceeds the maximum number of tokens|context (?:window|length)/i;

/**
 * Every 429 speaks of quota, also one that is over in a second. Used up is what
 * the plan does not have at all, and a day's quota, unless the vendor itself
 * says that it will be back soon.
 */
function isUsedUp({ details, message, retryAfter }: Told): boolean {
  if (/limit: 0\b|prepayment credits|credits are depleted/i.test(message)) return true;
  const daily = violationsIn(details).some(isDaily);
  return daily && (retryAfter === undefined || retryAfter > SOON);
}

function violationsIn(details: readonly JsonObject[]): readonly JsonObject[] {
  return details.flatMap((detail) =>
    Array.isArray(detail.violations) ? detail.violations.filter(isObject) : []
  );
}

function isDaily({ quotaId }: JsonObject): boolean {
  return typeof quotaId === "string" && quotaId.includes("PerDay");
}

const SOON = 120_000;

/**
 * Fields that only some models take, in the words of those that do not, which begin the message:
 * https://github.com/googleapis/js-genai/issues/1609,
 * https://github.com/vercel/ai/issues/8943 (2025).
 */
const REPAIRS: readonly (readonly [words: RegExp, repair: Repair])[] = [
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
  // Vertex knew no ids of calls until 2026-09, and may not know them for every model:
  // https://github.com/anomalyco/opencode/issues/50504 (2026-09).
  [/^(?:Invalid JSON payload received\. )?Unknown name "id" at 'contents/, {
    without: ["contents.parts.functionCall.id", "contents.parts.functionResponse.id"],
    parameters: [],
  }],
];

function repairOf(message: string): Repair | undefined {
  for (const [pattern, repair] of REPAIRS) {
    const words = pattern.exec(message)?.[0];
    if (words !== undefined) return { ...repair, words };
  }
  return undefined;
}

/** There is no `retry-after` header. The delay stands in a detail, or in the words alone. */
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

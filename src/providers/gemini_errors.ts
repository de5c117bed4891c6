/**
 * What the failures of Google's APIs mean:
 * https://cloud.google.com/apis/design/errors and
 * https://ai.google.dev/gemini-api/docs/troubleshooting (2026-11-20).
 */

import { isObject, type JsonObject } from "../chat.ts";
import { type ErrorKind, kindOfStatus } from "../errors.ts";
import type { Failure, Repair, Verdict } from "./adapter.ts";
import { saysTooLong } from "./context_length.ts";

/** Classifies a failure: status first, then the details, then words for what they leave open. */
export function toError(failure: Failure): Verdict {
  const error = errorOf(failure.body);
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const message = typeof error.message === "string" && error.message !== ""
    ? error.message
    : undefined;
  const retryAfter = readDelay(details, message ?? "");
  const status = failure.where === "answer" ? failure.status : statusOf(error);
  const kind = refine(kindOf(status), { error, details, message: message ?? "", retryAfter });
  const code = typeof error.status === "string" ? error.status : null;
  return {
    kind,
    message,
    ...(kind === "invalid_request" && { code, repair: repairOf(message ?? "") }),
    ...(retryAfter !== undefined && kind !== "quota" && { retryAfter }),
  };
}

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

/** What a 400 or a 429 hides. */
function refine(kind: ErrorKind, told: Told): ErrorKind {
  if (kind === "rate_limited") return isUsedUp(told) ? "quota" : kind;
  if (kind !== "invalid_request") return kind;
  const { error, details, message } = told;
  const reasons = details.map(({ reason }) => reason);
  // A bad key comes as a 400: https://github.com/google-gemini/cookbook/issues/423 (2025).
  if (reasons.includes("API_KEY_INVALID") || /API key (?:not valid|expired)/i.test(message)) {
    return "upstream_auth";
  }
  // So do accounts without billing, and addresses that are not served.
  const ours = /location is not supported|billing/i.test(message);
  if (error.status === "FAILED_PRECONDITION" && ours) return "upstream_auth";
  if (saysTooLong(message)) return "context_length";
  if (/request payload size exceeds/i.test(message)) return "too_large";
  return kind;
}

/**
 * Every 429 speaks of quota, also one that is over in a second. Used up is what
 * the plan does not have at all, and a day's quota, unless the vendor itself
 * says that it will be back soon.
 */
function isUsedUp({ details, message, retryAfter }: Told): boolean {
  if (/limit: 0\b|prepayment credits|credits are depleted/i.test(message)) return true;
  const violations = details.flatMap((detail) =>
    Array.isArray(detail.violations) ? detail.violations.filter(isObject) : []
  );
  const daily = violations.some(({ quotaId }) => /PerDay/.test(String(quotaId)));
  return daily && (retryAfter === undefined || retryAfter > SOON);
}

const SOON = 120_000;

/**
 * Fields that only some models take, in the words of those that do not:
 * https://github.com/googleapis/js-genai/issues/1609,
 * https://github.com/vercel/ai/issues/8943 (2025).
 */
const REPAIRS: readonly (readonly [words: RegExp, repair: Repair])[] = [
  [/logprobs is not (?:enabled|supported)/i, {
    without: ["generationConfig.responseLogprobs", "generationConfig.logprobs"],
    parameters: ["logprobs", "top_logprobs"],
  }],
  [/penalty is not enabled/i, {
    without: ["generationConfig.frequencyPenalty", "generationConfig.presencePenalty"],
    parameters: ["frequency_penalty", "presence_penalty"],
  }],
  [/multiple candidates is not enabled/i, {
    without: "generationConfig.candidateCount",
    parameters: ["n"],
  }],
  [/thinking(?:[ _]?(?:level|budget|config))?\b.{0,40}\bnot supported/i, {
    without: "generationConfig.thinkingConfig",
    parameters: ["reasoning_effort", "thinking"],
  }],
  // Vertex knew no ids of calls until 2026-09, and may not know them for every model:
  // https://github.com/anomalyco/opencode/issues/50504 (2026-09).
  [/Unknown name "id" at 'contents/, {
    without: ["contents.parts.functionCall.id", "contents.parts.functionResponse.id"],
    parameters: [],
  }],
];

function repairOf(message: string): Repair | undefined {
  return REPAIRS.find(([words]) => words.test(message))?.[1];
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

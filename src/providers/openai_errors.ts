/** What the failures of OpenAI's dialect mean. */

import { isObject, type JsonObject } from "../chat.ts";
import { type ErrorKind, kindOfStatus } from "../errors.ts";
import type { Failure, Repair, Verdict } from "./adapter.ts";
import { PARAMETERS } from "./support.ts";

/** Classifies a failure of the dialect: status first, then code and type, then words. */
export function toVerdict(failure: Failure): Verdict {
  const error = errorOf(failure.body);
  const code = typeof error.code === "number" ? String(error.code) : error.code;
  const words = {
    message: isText(error.message) ? error.message : undefined,
    param: isText(error.param) ? error.param : null,
    code: isText(code) ? code : null,
  };
  const status = failure.where === "answer" ? failure.status : statusOf(error);
  const kind = kindOfStatus(status);
  const text = `${words.code ?? ""} ${asText(error.type)} ${words.message ?? ""}`;
  const refined = refine(kind, text);
  const ours = refined === "invalid_request" ? {} : { code: null };
  return { kind: refined, ...words, ...ours, repair: repairOf(refined, words) };
}

function errorOf(body: unknown): JsonObject {
  const inner = Array.isArray(body) ? body[0] : body;
  if (!isObject(inner)) return {};
  if (isObject(inner.error)) return inner.error;
  const message = [inner.error, inner.message, inner.detail].find(isText);
  return { ...inner, message };
}

/** An error inside a stream has no status of its own, but its code or type stands for one. */
function statusOf(error: JsonObject): number {
  const raw = error.code ?? error.status;
  const code = typeof raw === "number" || typeof raw === "string" ? Number(raw) : NaN;
  if (code >= 400 && code < 600) return code;
  const name = `${asText(error.code)} ${asText(error.type)}`;
  if (/rate_limit|insufficient_quota|slow_down/.test(name)) return 429;
  if (/overloaded|unavailable/.test(name)) return 503;
  if (/authentication|invalid_api_key|permission/.test(name)) return 401;
  if (/timeout/.test(name)) return 504;
  if (/invalid_request|context_length|content_filter/.test(name)) return 400;
  return 500;
}

const TOO_LONG =
  /context_length_exceeded|maximum context length|context window|prompt is too long|input is too long|too many (?:input )?tokens|reduce the length/i;
const NO_MONEY =
  /insufficient_quota|insufficient[ _](?:balance|credit|funds)|credit[ _]balance|billing|spend_limit|exceeded your current quota/i;
const FILTERED = /content_filter|content_policy_violation|content management policy/i;

/** What a 400, a 413 or a 429 hides in its words. */
function refine(kind: ErrorKind, text: string): ErrorKind {
  if (kind === "invalid_request" || kind === "too_large") {
    if (TOO_LONG.test(text)) return "context_length";
    if (FILTERED.test(text)) return "content_filter";
    if (/model_not_found/.test(text)) return "model_not_found";
    if (/insufficient_quota|insufficient balance/i.test(text)) return "quota";
  }
  if (kind === "rate_limited" && NO_MONEY.test(text)) return "quota";
  return kind;
}

/** Fields that may be left out when a model turns out not to know them. */
const OPTIONAL = new Set<string>([...PARAMETERS].filter((name) => name !== "stream"));

function repairOf(
  kind: ErrorKind,
  words: { message: string | undefined; param: string | null; code: string | null },
): Repair | undefined {
  if (kind !== "invalid_request") return undefined;
  const message = words.message ?? "";
  if (/max_completion_tokens/.test(message) && words.param === "max_tokens") {
    return { without: "max_tokens", as: "max_completion_tokens" };
  }
  const unknown = words.code === "unsupported_parameter" || words.code === "unknown_parameter";
  if (unknown && words.param !== null && OPTIONAL.has(words.param)) return { without: words.param };
  if (/stream_options/.test(message)) return { without: "stream_options" };
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function asText(value: unknown): string {
  return isText(value) ? value : "";
}

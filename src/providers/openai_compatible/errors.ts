/** Classifies failures of OpenAI-compatible vendors. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { type ErrorKind, kindOfStatus, scopeOfStatus } from "../../core/errors.ts";
import {
  type CodeMeaning,
  KEY_REFUSED,
  meaningOf,
  MODEL_REFUSED,
  type NamedScope,
  QUOTA_USED_UP,
  saysTooLong,
  suspensionOf,
} from "../shared/errors.ts";
import { isText, toText } from "../../core/json/values.ts";
import type { Failure, Repair, UpstreamError } from "../../contract/vendor_request.ts";

/** The meaning of a vendor's codes and types, regardless of the status. */
export type ErrorCodes = Readonly<Record<string, ErrorKind | CodeMeaning>>;

/**
 * Classifies a failure by its status, then by the vendor's `code`, `type` and `reason`. The text of
 * the message affects only this request.
 *
 * @param codes additional codes of this vendor
 */
export function toUpstreamError(failure: Failure, codes: ErrorCodes = {}): UpstreamError {
  const error = errorOf(failure.body);
  // A number from 400 to 599 repeats the status.
  const code = typeof error.code === "number" && !isStatus(error.code)
    ? String(error.code)
    : error.code;
  const words = {
    message: isText(error.message) ? error.message : undefined,
    param: isText(error.param) ? error.param : null,
    code: [code, errorTypeOf(error)].find(isText) ?? null,
  };
  const inside = failure.where === "stream" ? statusOf(error) : undefined;
  const status = failure.where === "answer" ? failure.status : inside?.status ?? 500;
  const named = namedCode([words.code, error.type, error.reason], status, codes);
  const text = `${words.code ?? ""} ${toText(error.type)} ${words.message ?? ""}`;
  const kind = named?.kind ?? refine(kindOfStatus(status), status, text);
  const isTooLarge = kind === "rate_limited" && TOO_LARGE.test(words.message ?? "");
  const ofStatus = failure.where === "answer" ? failure.status : undefined;
  return {
    kind,
    ...words,
    // The message about rejected credentials is for the log.
    ...(kind !== "invalid_request" && kind !== "upstream_auth" && { code: null }),
    suspends: isTooLarge ? undefined : suspensionOf(ofStatus, named ?? inside?.code),
    ...(isTooLarge && { final: true }),
    repair: repairOf(kind, words),
  };
}

type NamedCode = CodeMeaning & { readonly name: string };

/** The first code that is more specific than the status. */
function namedCode(
  names: readonly unknown[],
  status: number,
  codes: ErrorCodes,
): NamedCode | undefined {
  for (const name of names) {
    if (!isText(name)) continue;
    const own = Object.hasOwn(codes, name) ? codes[name] : undefined;
    if (own !== undefined) return { ...meaningOf(own), name };
    const common = commonMeaning(name, status);
    if (common !== undefined) return { ...common, name };
  }
  return undefined;
}

/** The meaning of a common code with a status: 429 and 5xx keep their meaning. */
function commonMeaning(name: string, status: number): CodeMeaning | undefined {
  const isAccess = status === 401 || status === 403;
  if (isAccess && MODEL_CODES.has(name)) return MODEL_REFUSED;
  const meaning = status < 500 ? COMMON_CODES.get(name) : undefined;
  return status === 429 && meaning?.kind !== "quota" ? undefined : meaning;
}

/**
 * Codes and types of many vendors: https://platform.openai.com/docs/guides/error-codes (2026-08).
 */
const COMMON_CODES = new Map<string, CodeMeaning>([
  ["invalid_api_key", KEY_REFUSED],
  ["wrong_api_key", KEY_REFUSED],
  ["authentication_error", KEY_REFUSED],
  ["invalid_authentication_error", KEY_REFUSED],
  ["account_deactivated", KEY_REFUSED],
  ["ip_not_authorized", KEY_REFUSED],
  ["insufficient_quota", QUOTA_USED_UP],
  ["billing_not_active", QUOTA_USED_UP],
  ["billing_hard_limit_reached", QUOTA_USED_UP],
  ["credit_balance_exhausted", QUOTA_USED_UP],
  ["organization_spend_limit_exceeded", QUOTA_USED_UP],
  ["organization_usage_limit_exceeded", QUOTA_USED_UP],
  ["project_spend_limit_exceeded", QUOTA_USED_UP],
  ["model_not_found", { kind: "model_not_found" }],
]);

/**
 * Codes that mean, with status 401 or 403, that the key may not use the model. The last ones are
 * LiteLLM's (https://docs.litellm.ai/docs/proxy/virtual_keys, 2026-08), which sends status 401.
 */
const MODEL_CODES = new Set([
  "model_not_found",
  "unsupported_country_region_territory",
  "key_model_access_denied",
  "team_model_access_denied",
  "user_model_access_denied",
  "org_model_access_denied",
]);

/** The error object from the various places where vendors put it, with its text in `message`. */
function errorOf(body: unknown): JsonObject {
  const outer = Array.isArray(body) ? body[0] : body;
  if (isText(outer)) return { message: outer };
  if (!isObject(outer)) return {};
  const listed = Array.isArray(outer.errors) ? outer.errors[0] : undefined;
  const inner = [outer.error, outer.fault, listed].find(isObject);
  const error = inner === undefined ? outer : { status: outer.status_code, ...inner };
  const said = [error.message, outer.error, error.faultstring, error.detail, outer.detail];
  return { ...error, message: said.map((words) => wordsOf(words)).find(isText) };
}

/** The error type of a router, whose code only repeats the status. */
function errorTypeOf({ metadata }: JsonObject): unknown {
  return isObject(metadata) ? metadata.error_type : undefined;
}

/**
 * A message from a text, from an object's `message` or `detail`, or from a list of located errors.
 */
function wordsOf(said: unknown, depth = 0): string | undefined {
  if (isText(said)) return said;
  if (depth > MAX_DEPTH) return undefined;
  const inner = (value: unknown) => wordsOf(value, depth + 1);
  if (Array.isArray(said)) return said.map(inner).filter(isText).join("; ");
  if (!isObject(said)) return undefined;
  const words = [said.message, said.msg, said.detail].map(inner).find(isText);
  const steps = Array.isArray(said.loc) ? said.loc : [];
  const place = steps.filter((step) => isText(step) || Number.isInteger(step)).join(".");
  return place === "" ? words : `${place}: ${words ?? ""}`;
}

/** The maximum depth at which a message is searched. */
const MAX_DEPTH = 4;

/** The status of a failure. For an error in a stream, it is derived from the code or the type. */
function statusOf(
  error: JsonObject,
): { readonly status: number; readonly code?: NamedScope } {
  for (const value of [error.code, error.status]) {
    const status = typeof value === "number" || isText(value) ? Number(value) : NaN;
    if (isStatus(status)) return { status, code: proofOf(status, String(value)) };
  }
  for (const value of [error.code, error.type, errorTypeOf(error)]) {
    const status = isText(value)
      ? STATUS_OF_NAME.find(([name]) => name.test(value))?.[1]
      : undefined;
    if (status !== undefined) return { status, code: proofOf(status, toText(value)) };
  }
  return { status: 500 };
}

function proofOf(status: number, name: string): NamedScope {
  return { name, suspends: scopeOfStatus(status) };
}

const STATUS_OF_NAME: readonly (readonly [name: RegExp, status: number])[] = [
  [/rate_limit|insufficient_quota|slow_down/, 429],
  [/overloaded|unavailable/, 503],
  [/authentication|invalid_api_key/, 401],
  [/permission/, 403],
  [/timeout/, 504],
  [/invalid_request|context_length|prompt_tokens|content_filter/, 400],
];

function isStatus(code: number): boolean {
  return code >= 400 && code < 600;
}

const NO_MONEY =
  /insufficient_quota|insufficient[ _](?:balance|credit|funds)|credit[ _]balance|billing|spend_limit|exceeded your current quota/i;
const FILTERED = /content_filter|content_policy_violation|content management policy/i;

/** A single request that exceeds the rate limit. A retry does not help; other requests succeed. */
const TOO_LARGE = /^Request too large\b/;

/** Refines the kind by the message, which may quote the caller, so it affects only this request. */
function refine(kind: ErrorKind, status: number, text: string): ErrorKind {
  if (kind === "invalid_request" || kind === "too_large") {
    if (saysTooLong(text)) return "context_length";
    if (FILTERED.test(text)) return "content_filter";
  }
  if (status === 403 && FILTERED.test(text)) return "content_filter";
  if (kind === "rate_limited" && NO_MONEY.test(text)) return "quota";
  return kind;
}

/**
 * Fields that are the question itself, or that determine how it is answered, and that are always
 * sent.
 */
const ESSENTIAL = new Set([
  "background",
  "conversation",
  "input",
  "instructions",
  "messages",
  "model",
  "previous_response_id",
  "prompt",
  "stream",
]);

/** Objects whose members may be rejected individually. */
const NESTED = /^(?:reasoning|stream_options|text)\.\w+$/;

const UNKNOWN_CODES = new Set(["unsupported_parameter", "unknown_parameter"]);

/** Codes that are no more specific than the status. */
const GENERIC_CODE = /^(?:|\d+|invalid_request(?:_error)?|.*\s.*)$/;

/**
 * Messages from servers without error codes. The words name one field: OpenAI and Azure
 * (https://github.com/zed-industries/zed/issues/52000, 2026-03-20), Groq
 * (https://github.com/fanenr/chatbot/issues/21, 2024-12-14), servers with OpenAI's wording in
 * `detail` (https://github.com/router-for-me/CLIProxyAPI/issues/897, 2026-01-07), xAI, also in
 * camel case (https://github.com/openclaw/openclaw/issues/12910, 2026-02-09), Fireworks
 * (https://github.com/web-infra-dev/midscene/issues/1322, 2025-10-15), and those that check with
 * Pydantic (https://docs.pydantic.dev/latest/errors/validation_errors/#extra_forbidden,
 * 2026-11-28).
 */
const UNKNOWN_WORDS: readonly RegExp[] = [
  /^Unrecognized request arguments? supplied: (\w+)$/,
  /^property '(\w+)' is unsupported/,
  /^Unsupported parameter: '?([\w.]+)/,
  /^Argument not supported(?: on this model)?: ([\w.]+)$/,
  /^Extra inputs are not permitted, field: '(\w+)'/,
  /^(?:body\.)?(\w+): Extra inputs are not permitted$/,
];

/** The repair for a rejected optional field, named by `param` or in a message of a known form. */
function repairOf(
  kind: ErrorKind,
  words: { message: string | undefined; param: string | null; code: string | null },
): Repair | undefined {
  if (kind !== "invalid_request") return undefined;
  const { param, code, message = "" } = words;
  const isUnknown = UNKNOWN_CODES.has(code ?? "");
  if (param === "max_tokens" && message.includes(OTHER_LIMIT)) {
    return { without: param, as: OTHER_LIMIT, ...(!isUnknown && { words: OTHER_LIMIT }) };
  }
  if (isUnknown && param !== null) return isOptional(param) ? { without: param } : undefined;
  // Many servers name the field only in the message.
  if (message.includes(STREAM_OPTIONS) && NOT_TAKEN.test(message)) {
    return { without: STREAM_OPTIONS, words: STREAM_OPTIONS };
  }
  return param === null && GENERIC_CODE.test(code ?? "") ? repairByWords(message) : undefined;
}

function repairByWords(message: string): Repair | undefined {
  for (const pattern of UNKNOWN_WORDS) {
    const [words, name = ""] = pattern.exec(message) ?? [];
    if (words === undefined) continue;
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (!isOptional(name) || !isOptional(snake)) return undefined;
    return { without: snake === name ? name : [snake, name], words };
  }
  return undefined;
}

function isOptional(name: string): boolean {
  return (/^\w+$/.test(name) || NESTED.test(name)) && !ESSENTIAL.has(name);
}

const OTHER_LIMIT = "max_completion_tokens";
const STREAM_OPTIONS = "stream_options";
const NOT_TAKEN =
  /unknown|unrecognized|unsupported|unexpected|not (?:supported|permitted|allowed|recognized|known)/i;

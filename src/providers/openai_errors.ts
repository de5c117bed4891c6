/** What the failures of OpenAI's dialect mean. */

import { isObject, type JsonObject } from "../chat.ts";
import { type ErrorKind, kindOfStatus } from "../errors.ts";
import type { Failure, Repair, Verdict } from "./adapter.ts";
import { saysTooLong } from "./context_length.ts";
import { PARAMETERS } from "./support.ts";

/**
 * Classifies a failure of the dialect: status first, then code and type, then words.
 *
 * @param codes what a vendor's own codes and types mean, whatever the status
 */
export function toVerdict(
  failure: Failure,
  codes: Readonly<Record<string, ErrorKind>> = {},
): Verdict {
  const error = errorOf(failure.body);
  // A number between 400 and 600 is the status once more.
  const code = typeof error.code === "number" && !isStatus(error.code)
    ? String(error.code)
    : error.code;
  const words = {
    message: isText(error.message) ? error.message : undefined,
    param: isText(error.param) ? error.param : null,
    code: [code, errorTypeOf(error)].find(isText) ?? null,
  };
  const status = failure.where === "answer" ? failure.status : statusOf(error);
  const kind = kindOfStatus(status);
  const text = `${words.code ?? ""} ${asText(error.type)} ${words.message ?? ""}`;
  const own = [words.code, error.type, error.reason].find((name) =>
    isText(name) && Object.hasOwn(codes, name)
  );
  const refined = isText(own) ? codes[own] ?? kind : refine(kind, text);
  const ours = refined === "invalid_request" ? {} : { code: null };
  return { kind: refined, ...words, ...ours, repair: repairOf(refined, words) };
}

/** The error wherever a vendor of the dialect puts it, with its words in `message`. */
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

/** A router's word for an error whose code is no more than the status. */
function errorTypeOf({ metadata }: JsonObject): unknown {
  return isObject(metadata) ? metadata.error_type : undefined;
}

/** Words as text, in an object's `message` or `detail`, or as a list of faults with their places. */
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

/** How deep words lie in what vendors send. */
const MAX_DEPTH = 4;

/** An error inside a stream has no status of its own, but its code or type stands for one. */
function statusOf(error: JsonObject): number {
  for (const value of [error.code, error.status]) {
    const status = typeof value === "number" || isText(value) ? Number(value) : NaN;
    if (isStatus(status)) return status;
  }
  const name = [error.code, error.type, errorTypeOf(error)].map(asText).join(" ");
  if (/rate_limit|insufficient_quota|slow_down/.test(name)) return 429;
  if (/overloaded|unavailable/.test(name)) return 503;
  if (/authentication|invalid_api_key|permission/.test(name)) return 401;
  if (/timeout/.test(name)) return 504;
  if (/invalid_request|context_length|prompt_tokens|content_filter/.test(name)) return 400;
  return 500;
}

function isStatus(code: number): boolean {
  return code >= 400 && code < 600;
}

const NO_MONEY =
  /insufficient_quota|insufficient[ _](?:balance|credit|funds)|credit[ _]balance|billing|spend_limit|exceeded your current quota/i;
const FILTERED = /content_filter|content_policy_violation|content management policy/i;

/** What a 400, a 413 or a 429 hides in its words. */
function refine(kind: ErrorKind, text: string): ErrorKind {
  if (kind === "invalid_request" || kind === "too_large") {
    if (saysTooLong(text)) return "context_length";
    if (FILTERED.test(text)) return "content_filter";
    if (/model_not_found/.test(text)) return "model_not_found";
    if (/insufficient_quota|insufficient balance/i.test(text)) return "quota";
    if (/incorrect api key|invalid api key/i.test(text)) return "upstream_auth";
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

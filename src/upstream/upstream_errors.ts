/** From what a vendor said to what a caller may see. */

import { isWrittenByCaller } from "./caller_words.ts";
import type { ChatRequest } from "../chat/chat.ts";
import type { Provider } from "../config/config.ts";
import { redact } from "./credentials.ts";
import {
  type ErrorKind,
  GatewayError,
  scopeOfStatus,
  type SuspensionScope,
} from "../core/errors.ts";
import { isQuickToParse } from "../core/json/limits.ts";
import type { Adapter, VendorHeaders, Verdict } from "../providers/contract/adapter.ts";

/** The longest vendor message that is passed on, in UTF-16 units. */
const MAX_MESSAGE = 4000;
/** The same for a vendor's `code`, `param` and request id. */
const MAX_LABEL = 300;
/** How many of a vendor's headers are passed on, and how many characters they may have together. */
const MAX_PASSED_HEADERS = 64;
const MAX_PASSED_CHARS = 8192;

/** Our words for a vendor that had none of its own. */
const WORDS: Readonly<Partial<Record<ErrorKind, string>>> = {
  invalid_request: "The provider refused the request",
  context_length: "The prompt is too long for the model",
  content_filter: "The provider's content filter blocked the prompt",
  model_not_found: "The provider does not know the model",
  too_large: "The request is too large for the provider",
  rate_limited: "The provider's rate limit is reached",
  quota: "The provider's quota or balance is used up",
  upstream_unavailable: "The provider is unavailable",
  upstream_timeout: "The provider took too long",
};

/**
 * The error for a vendor's verdict. Credentials are ours, so a vendor's words
 * about them are replaced; keys never appear in the rest.
 *
 * @param request what the caller asked: a code that it holds proves nothing
 * @param response the vendor's answer, for its headers and status
 */
export function toCallerError(
  verdict: Verdict,
  provider: Provider,
  request: ChatRequest,
  response?: { readonly status: number; readonly headers: VendorHeaders },
): GatewayError {
  const { kind, final } = verdict;
  const suspends = suspensionFor(verdict, provider, request, response?.status);
  if (kind === "upstream_auth") {
    return new GatewayError(kind, refusalOf(verdict, suspends, provider, response?.status), {
      suspends,
    });
  }
  const status = response === undefined ? "" : ` (status ${response.status})`;
  const words = verdict.message ?? `${WORDS[kind] ?? "The provider failed"}${status}`;
  const hint = pathHint(verdict, provider, response?.status);
  return new GatewayError(kind, shown(words, MAX_MESSAGE, provider) + hint, {
    ...(verdict.param === undefined
      ? {}
      : { param: verdict.param && label(verdict.param, provider) }),
    ...(verdict.code === undefined ? {} : { code: verdict.code && label(verdict.code, provider) }),
    headers: {
      ...(response === undefined
        ? {}
        : passedHeaders(response.headers, provider.adapter, provider)),
      ...headersOf(verdict),
    },
    suspends,
    final,
  });
}

/** What the verdict suspends, as far as the caller cannot have written the proof. */
function suspensionFor(
  { suspends }: Verdict,
  { keys }: Provider,
  request: ChatRequest,
  status: number | undefined,
): SuspensionScope | undefined {
  // A single key is never suspended, so nothing has to be proved.
  if (suspends === undefined || keys.length < 2) return undefined;
  const { scope, code } = suspends;
  return code !== undefined && isWrittenByCaller(code, request) ? scopeOfStatus(status) : scope;
}

/** A refusal that is not known to be about our credentials may be about the request. */
function refusalOf(
  { message, suspends }: Verdict,
  proven: SuspensionScope | undefined,
  provider: Provider,
  status: number | undefined,
): string {
  const name = provider.settings.id;
  const scope = proven ?? suspends?.scope ?? scopeOfStatus(status);
  if (scope === "model") {
    return `The provider '${name}' does not let the gateway's credentials use this model, ` +
      "or not from this region; check them in the configuration";
  }
  if (scope === undefined && message !== undefined) {
    return shown(`The provider '${name}' refused the request: ${message}`, MAX_MESSAGE, provider);
  }
  return `The provider '${name}' refused the gateway's credentials; check them in the configuration`;
}

/** A 404 that does not speak of a model may be about the path. */
function pathHint(
  { message = "" }: Verdict,
  { settings, missingPath }: Provider,
  status: number | undefined,
): string {
  if (status !== 404 || missingPath === undefined || /model/i.test(message)) return "";
  return `; the base_url of provider '${settings.id}' may lack '${missingPath}'`;
}

/** A short text of a vendor's, such as an error code or a request id, as others may see it. */
export function label(text: string, provider: Provider): string {
  return shown(text, MAX_LABEL, provider);
}

/** A vendor's text without credentials, cut to a length. The work is that of the length alone. */
function shown(text: string, maxLength: number, provider: Provider): string {
  // A secret may stand across the cut.
  const enough = text.slice(0, maxLength + provider.redactor.maxChars);
  return redact(enough, provider).slice(0, maxLength);
}

/**
 * OpenAI's rate-limit headers and `retry-after`, whatever the vendor calls them: the first ones, if
 * there are more than a caller can have use for.
 */
export function passedHeaders(
  headers: VendorHeaders,
  adapter: Adapter,
  provider: Provider,
): Record<string, string> {
  const passed = new Map<string, string>();
  let left = MAX_PASSED_CHARS;
  for (const [name, value] of headers) {
    const passes = name.startsWith(RATE_LIMIT) || RETRY.has(name);
    for (const to of [passes ? name : undefined, adapter.rateLimitHeaders?.get(name)]) {
      if (to === undefined || passed.size === MAX_PASSED_HEADERS) continue;
      left -= to.length + value.length;
      if (left < 0) return Object.fromEntries(passed);
      // A name that holds a secret cannot be a header any more once it is struck out.
      if (redact(to, provider) === to) passed.set(to, redact(value, provider));
    }
  }
  return Object.fromEntries(passed);
}

const RATE_LIMIT = "x-ratelimit-";
const RETRY = new Set(["retry-after", "retry-after-ms"]);

function headersOf(verdict: Verdict): Record<string, string> {
  const headers: Record<string, string> = {};
  if (verdict.retryAfter !== undefined) {
    headers["retry-after"] = String(Math.ceil(verdict.retryAfter / 1000));
  }
  if (verdict.kind === "quota" || verdict.final) headers["x-should-retry"] = "false";
  return headers;
}

/** What a vendor sends may break our reading of it: that is the vendor's failure, not a bug. */
export function readable<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    throw unreadable("The provider's answer could not be read", thrown);
  }
}

/** The failure of a vendor whose answer makes no sense. */
export function unreadable(message: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_error", message, { cause });
}

/** The JSON of a whole answer. */
export function parseAnswer(text: string): unknown {
  if (text.trim() === "") throw unreadable("The provider's answer is empty");
  if (!isQuickToParse(text)) throw unreadable("The provider's answer has too many levels");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable("The provider's answer is not JSON", cause);
  }
}

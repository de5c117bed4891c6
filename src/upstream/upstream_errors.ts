/** Converts a vendor's errors into errors for the client. */

import { isWrittenByCaller } from "./redacted_failure.ts";
import type { JsonObject } from "../contract/chat.ts";
import type { Provider } from "../config/config.ts";
import {
  type ErrorKind,
  GatewayError,
  scopeOfStatus,
  type SuspensionScope,
  unreadable,
  VendorRefusal,
} from "../core/errors.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { LimitHeaders, UpstreamError, VendorHeaders } from "../contract/vendor_request.ts";
import { findLimits } from "../providers/shared/quota_headers.ts";

/** The maximum length of a vendor's message for the client, in UTF-16 code units. */
const MAX_MESSAGE = 4000;
/** The same for a vendor's `code`, `param` and request ID. */
const MAX_LABEL = 300;
/** The maximum number of vendor headers for the client, and of their characters in total. */
const MAX_PASSED_HEADERS = 64;
const MAX_PASSED_CHARS = 8192;

/** Messages for errors that the vendor did not describe. */
const DEFAULT_MESSAGES: Readonly<Partial<Record<ErrorKind, string>>> = {
  invalid_request: "The provider rejected the request",
  context_length: "The prompt is too long for the model",
  content_filter: "The provider's content filter blocked the prompt",
  model_not_found: "The provider does not know the model",
  too_large: "The request is too large for the provider",
  rate_limited: "The provider's rate limit has been reached",
  quota: "The provider's quota or balance has been used up",
  upstream_unavailable: "The provider is unavailable",
  upstream_timeout: "The provider took too long",
};

/**
 * The error for the client. Vendor messages about credentials are replaced, because the credentials
 * belong to the gateway; keys are removed from all other messages.
 *
 * @param request the client's request: an error code that it contains is not trusted
 * @param response the vendor's answer, for its headers and status
 * @param prefix as in {@linkcode passedHeaders}
 */
export function toCallerError(
  upstreamError: UpstreamError,
  provider: Provider,
  request: JsonObject | undefined,
  response?: { readonly status: number; readonly headers: VendorHeaders },
  prefix?: string,
): GatewayError {
  const { kind, final } = upstreamError;
  const suspends = suspensionFor(upstreamError, provider, request, response?.status);
  if (kind === "upstream_auth") {
    return new GatewayError(kind, refusalOf(upstreamError, suspends, provider, response?.status), {
      suspends,
      cause: vendorRefusal(upstreamError, provider, response?.status),
    });
  }
  const status = response === undefined ? "" : ` (status ${response.status})`;
  const words = upstreamError.message ??
    `${DEFAULT_MESSAGES[kind] ?? "The provider failed"}${status}`;
  const hint = pathHint(upstreamError, provider, response?.status);
  return new GatewayError(kind, shown(words, MAX_MESSAGE, provider) + hint, {
    ...(upstreamError.param === undefined
      ? {}
      : { param: upstreamError.param && label(upstreamError.param, provider) }),
    ...(upstreamError.code === undefined
      ? {}
      : { code: upstreamError.code && label(upstreamError.code, provider) }),
    headers: {
      ...(response === undefined ? {} : passedHeaders(
        response.headers.limits ?? findLimits(response.headers),
        provider.adapter,
        provider,
        prefix,
      )),
      ...headersOf(upstreamError),
    },
    suspends,
    final,
  });
}

/** The scope of the key's suspension, unless the error code may come from the client. */
function suspensionFor(
  { suspends }: UpstreamError,
  { keys }: Provider,
  request: JsonObject | undefined,
  status: number | undefined,
): SuspensionScope | undefined {
  // The only key is never suspended.
  if (suspends === undefined || keys.length < 2) return undefined;
  const { scope, code } = suspends;
  const isProven = code === undefined || request === undefined ||
    !isWrittenByCaller(code, request);
  return isProven ? scope : scopeOfStatus(status);
}

/** The vendor's status, code and message for the log, such as `status 403: Signature expired`. */
function vendorRefusal(
  { message, code, suspends }: UpstreamError,
  provider: Provider,
  status: number | undefined,
): VendorRefusal {
  const details = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...[code ?? suspends?.code ?? []].flat(),
  ].join(", ");
  const words = message === undefined ? details : `${details}: ${message}`;
  return new VendorRefusal(label(words.replace(/\s+/g, " "), provider));
}

/**
 * The message for a rejected request, which may be due to the gateway's credentials or to the
 * request.
 */
function refusalOf(
  { message, suspends }: UpstreamError,
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
    return shown(`The provider '${name}' rejected the request: ${message}`, MAX_MESSAGE, provider);
  }
  return `The provider '${name}' rejected the gateway's credentials; check them in the ` +
    `configuration`;
}

/** A 404 that does not mention a model may be caused by a wrong path. */
function pathHint(
  { message = "" }: UpstreamError,
  { settings, missingPath }: Provider,
  status: number | undefined,
): string {
  if (status !== 404 || missingPath === undefined || /model/i.test(message)) return "";
  return `; the base_url of provider '${settings.id}' may lack '${missingPath}'`;
}

/** A short text from a vendor, such as an error code or a request ID, without credentials. */
export function label(text: string, provider: Provider): string {
  return shown(text, MAX_LABEL, provider);
}

/** A vendor's text without credentials, truncated. Takes time proportional to `maxLength`. */
function shown(text: string, maxLength: number, provider: Provider): string {
  // A secret may extend beyond the truncation point.
  const enough = text.slice(0, maxLength + provider.redactor.maxChars);
  return provider.redactor.redact(enough).slice(0, maxLength);
}

/**
 * The vendor's rate-limit headers under the names that OpenAI uses, and `retry-after`. Headers
 * beyond the limits are dropped.
 *
 * @param prefix the prefix for additional rate-limit headers in the caller's format
 */
export function passedHeaders(
  limits: LimitHeaders,
  adapter: Adapter,
  provider: Provider,
  prefix: string = RATE_LIMIT,
): Readonly<Record<string, string>> {
  if (limits.length === 0) return NONE;
  const passed: Record<string, string> = {};
  let count = 0;
  let left = MAX_PASSED_CHARS;
  /** Returns false when the character limit has been reached. */
  const pass = (to: string, value: string): boolean => {
    if (count === MAX_PASSED_HEADERS) return true;
    left -= to.length + value.length;
    if (left < 0) return false;
    // A name that contains a secret is not a valid header after redaction.
    if (provider.redactor.isSecretName(to)) return true;
    if (!Object.hasOwn(passed, to)) count++;
    passed[to] = provider.redactor.redact(value);
    return true;
  };
  const renamed = adapter.rateLimitHeaders;
  for (const [name, value] of limits) {
    const passes = name.startsWith(RATE_LIMIT) || name.startsWith(prefix) || RETRY.has(name);
    if (passes && !pass(name, value)) break;
    const to = renamed?.get(name);
    if (to !== undefined && !pass(to, value)) break;
  }
  return passed;
}

const NONE: Readonly<Record<string, string>> = {};
const RATE_LIMIT = "x-ratelimit-";
const RETRY = new Set(["retry-after", "retry-after-ms"]);

function headersOf(upstreamError: UpstreamError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (upstreamError.retryAfter !== undefined) {
    headers["retry-after"] = String(Math.ceil(upstreamError.retryAfter / 1000));
  }
  if (upstreamError.kind === "quota" || upstreamError.final) headers["x-should-retry"] = "false";
  return headers;
}

/** Runs code that reads a vendor's response. An exception is the vendor's error, not a bug. */
export function readable<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    throw unreadable("The provider's answer could not be read", thrown);
  }
}

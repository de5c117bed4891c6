/** From what a vendor said to what a caller may see. */

import type { Provider } from "./config.ts";
import { redact } from "./credentials.ts";
import { type ErrorKind, GatewayError } from "./errors.ts";
import type { Adapter, VendorHeaders, Verdict } from "./providers/adapter.ts";

/** The longest vendor message that is passed on, in UTF-16 units. */
const MAX_MESSAGE = 4000;

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
 * @param response the vendor's answer, for its headers and status
 */
export function toCallerError(
  verdict: Verdict,
  provider: Provider,
  response?: { readonly status: number; readonly headers: VendorHeaders },
): GatewayError {
  const { kind } = verdict;
  const name = provider.settings.id;
  if (kind === "upstream_auth") {
    return new GatewayError(
      kind,
      `The provider '${name}' refused the gateway's credentials; check them in the configuration`,
    );
  }
  const status = response === undefined ? "" : ` (status ${response.status})`;
  const words = verdict.message ?? `${WORDS[kind] ?? "The provider failed"}${status}`;
  const message = redact(words, provider).slice(0, MAX_MESSAGE);
  return new GatewayError(kind, message + pathHint(verdict, provider, response?.status), {
    ...(verdict.param === undefined
      ? {}
      : { param: verdict.param && redact(verdict.param, provider) }),
    ...(verdict.code === undefined ? {} : { code: verdict.code && redact(verdict.code, provider) }),
    headers: {
      ...(response === undefined ? {} : passedHeaders(response.headers, provider.adapter)),
      ...headersOf(verdict),
    },
  });
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

/** OpenAI's rate-limit headers and `retry-after`, whatever the vendor calls them. */
export function passedHeaders(headers: VendorHeaders, adapter: Adapter): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name.startsWith("x-ratelimit-") || RETRY.has(name)) passed[name] = value;
    const renamed = adapter.rateLimitHeaders?.get(name);
    if (renamed !== undefined) passed[renamed] = value;
  }
  return passed;
}

const RETRY = new Set(["retry-after", "retry-after-ms"]);

function headersOf(verdict: Verdict): Record<string, string> {
  const headers: Record<string, string> = {};
  if (verdict.retryAfter !== undefined) {
    headers["retry-after"] = String(Math.ceil(verdict.retryAfter / 1000));
  }
  if (verdict.kind === "quota") headers["x-should-retry"] = "false";
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

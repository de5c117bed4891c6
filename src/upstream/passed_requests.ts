/**
 * Selects the headers and query parameters that the pass-through forwards, and checks its paths.
 */

import { GatewayError } from "../core/errors.ts";

/** Hop-by-hop headers (RFC 9110, 7.6.1, and RFC 9112). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Request headers that the gateway sets, or that identify the caller. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  "accept-encoding",
  // The gateway's traces set these headers.
  "baggage",
  "content-length",
  "expect",
  "forwarded",
  "host",
  "origin",
  "referer",
  "traceparent",
  "tracestate",
  "via",
]);

/** The prefixes of such names, and of headers that change the method, path or host of a request. */
const NOT_PASSED_BEGINNINGS = new RegExp(
  "^(?:x-(?:sluice-|forwarded|real-ip|amz-|http-(?:method|destination|host)|method|original-|" +
    "rewrite-|host|proxy-|url-scheme|client-ip|cluster-client-ip|remote-|envoy-|accel-|sendfile|" +
    "middleware-)|sec-|cf-|fastly-|client-ip|true-client-ip|front-end-https)",
);

/** Names of headers that contain any vendor's credentials. */
const CREDENTIAL =
  /auth|api[-_]?key|access[-_]?key|subscription[-_]?key|cookie|token|secret|password|credential|signature/;

/** Query parameters that contain credentials, in lower case. */
const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  "access_key",
  "access_token",
  "api-key",
  "api_key",
  "apikey",
  "auth",
  "authorization",
  "client_secret",
  "key",
  "ocp-apim-subscription-key",
  "password",
  "secret",
  "sig",
  "signature",
  "subscription-key",
  "token",
  "x-api-key",
]);
const CREDENTIAL_BEGINNINGS = /^x-(?:amz|goog)-/;

/** Query parameters that change a request's method, in lower case. */
const METHOD_PARAMETERS: ReadonlySet<string> = new Set([
  "_method",
  "$httpmethod",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
]);

/** Response headers that concern the connection or the vendor's site. */
const NOT_RETURNED: ReadonlySet<string> = new Set([
  "alt-svc",
  "clear-site-data",
  "set-cookie",
  "set-cookie2",
  "strict-transport-security",
  "x-request-id",
]);
const NOT_RETURNED_BEGINNINGS = /^(?:x-sluice-|access-control-)/;

type Headers = Iterable<readonly [string, string]>;

/**
 * The request headers that are forwarded.
 *
 * @param headers with names in lower case
 * @param tokens the credentials that the caller presented: no header that contains one of them is
 * forwarded
 */
export function toPassedHeaders(
  headers: Headers,
  tokens: readonly string[],
): Record<string, string> {
  const all = [...headers];
  const ofConnection = connectionOptions(all);
  return Object.fromEntries(
    all.filter(([name, value]) =>
      !HOP_BY_HOP.has(name) && !ofConnection.has(name) && !NOT_PASSED.has(name) &&
      // Some servers treat an underscore as a hyphen.
      !NOT_PASSED_BEGINNINGS.test(name.replaceAll("_", "-")) && !CREDENTIAL.test(name) &&
      !tokens.some((token) => value.includes(token))
    ),
  );
}

/** The response headers that are forwarded. */
export function toReturnedHeaders(headers: Headers): Record<string, string> {
  const all = [...headers];
  const ofConnection = connectionOptions(all);
  return Object.fromEntries(
    all.filter(([name]) =>
      !HOP_BY_HOP.has(name) && !ofConnection.has(name) && !NOT_RETURNED.has(name) &&
      !NOT_RETURNED_BEGINNINGS.test(name)
    ),
  );
}

/** The names listed in a `connection` header. */
function connectionOptions(headers: readonly (readonly [string, string])[]): ReadonlySet<string> {
  const options = headers.filter(([name]) => name === "connection")
    .flatMap(([, value]) => value.split(","));
  return new Set(options.map((option) => option.trim().toLowerCase()));
}

/**
 * The query without credentials: empty, or beginning with `?`.
 *
 * @param query as the caller sent it, without `?`
 */
export function toPassedQuery(query: string, tokens: readonly string[]): string {
  const kept = query.split("&").filter((pair) => {
    const text = decoded(pair) ?? pair;
    if (tokens.some((token) => text.includes(token))) return false;
    const [name = ""] = text.split("=", 1);
    const lower = name.toLowerCase();
    return !CREDENTIAL_PARAMETERS.has(lower) && !METHOD_PARAMETERS.has(lower) &&
      !CREDENTIAL_BEGINNINGS.test(lower);
  });
  const text = kept.join("&");
  return text === "" ? "" : `?${text}`;
}

/**
 * Checks a path that is appended to a provider's base URL.
 *
 * @param path as the caller sent it, without a leading `/`
 * @returns the path without its percent-encoding
 * @throws {GatewayError} `invalid_request` for a path that could leave the base URL, or that a
 * server could interpret as a shorter one.
 */
export function checkPassedPath(path: string): string {
  if (path === "") throw refused("is empty");
  // An upstream server or proxy may decode a path more than once.
  for (let text = path, depth = 0; depth < MAX_DECODED; depth++) {
    if (FORBIDDEN.test(text)) throw refused("has a backslash or a control character");
    // A URL's path ends there, so the rules would check a different path from the one that the
    // vendor sees.
    if (/[?#]/.test(text)) throw refused("has a '?' or '#'");
    if (text.includes("//")) throw refused("has an empty segment");
    if (text.startsWith("/") || /^[a-z][a-z\d+.-]*:\//i.test(text)) {
      throw refused("is an absolute address");
    }
    // Some servers cut a segment at a semicolon.
    const hasDots = text.split("/").some((segment) => /^\.{1,2}(?:;|$)/.test(segment));
    if (hasDots) throw refused("has a dot segment");
    const next = decoded(text);
    if (next === undefined) throw refused("has a faulty percent-encoding");
    if (next === text) return text;
    text = next;
  }
  throw refused("is encoded too often");
}

/** Collections in which a vendor stores answers to model requests. */
const STORED_ANSWERS: ReadonlySet<string> = new Set(["containers", "conversations", "responses"]);

/**
 * Whether a request may reach answers that a vendor stores: OpenAI's responses with their
 * conversations and containers, and chat completions that were stored.
 *
 * @param path that {@linkcode checkPassedPath} has checked
 */
export function reachesStoredAnswers(method: string, path: string): boolean {
  let text = path;
  for (let next = decoded(text); next !== undefined && next !== text; next = decoded(text)) {
    text = next;
  }
  const segments = text.toLowerCase().split("/").map((segment) =>
    segment.split(/[;?#]/, 1)[0] ?? ""
  );
  const at = segments.indexOf("completions");
  const isNewCompletion = method === "POST" && segments.slice(at + 1).join("") === "";
  return segments.some((segment) => STORED_ANSWERS.has(segment)) || at !== -1 && !isNewCompletion;
}

// deno-lint-ignore no-control-regex
const FORBIDDEN = /[\x00-\x1f\x7f\\]/;

/** The maximum number of times that a path may be percent-encoded. */
const MAX_DECODED = 4;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function refused(why: string): GatewayError {
  return new GatewayError("invalid_request", `The path of the pass-through ${why}`);
}

/** Cross-origin resource sharing (CORS) for browsers; `server.cors` enables it. */

import type { RouteResponse } from "./routes/route.ts";

/** Response headers that scripts may always read, or that are for the browser itself. */
const NOT_EXPOSED: ReadonlySet<string> = new Set([
  "cache-control",
  "connection",
  "content-language",
  "content-length",
  "content-type",
  "expires",
  "last-modified",
  "pragma",
  "set-cookie",
  "vary",
  "x-content-type-options",
]);

/**
 * The maximum length of the list of exposed headers, in characters. A longer list becomes `*`,
 * which means the same here: the gateway never allows requests with the browser's credentials.
 * https://fetch.spec.whatwg.org/#http-access-control-expose-headers (2026-11-28)
 */
const MAX_EXPOSED_CHARS = 400;

/**
 * Adds the CORS headers, for a configuration that allows origins: `vary: Origin` in any case, since
 * responses depend on it, and all others if the request's origin is allowed.
 *
 * @param headers all other headers of the response, to expose those that scripts may read
 */
export function addCors(
  headers: Record<string, string>,
  request: Request,
  allowed: readonly string[],
): void {
  headers.vary = headers.vary === undefined ? "Origin" : `${headers.vary}, Origin`;
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const isForAll = allowed.includes("*");
  if (!isForAll && !allowed.includes(origin)) return;
  const exposed = Object.keys(headers).filter((name) => !NOT_EXPOSED.has(name)).join(", ");
  headers["access-control-allow-origin"] = isForAll ? "*" : origin;
  if (exposed === "") return;
  headers["access-control-expose-headers"] = exposed.length > MAX_EXPOSED_CHARS ? "*" : exposed;
}

/** Answers a browser's preflight request. */
export function preflight(request: Request, methods: readonly string[]): RouteResponse {
  // A wildcard does not cover Authorization, so the requested headers are echoed.
  const requested = request.headers.get("access-control-request-headers");
  return {
    status: 204,
    body: null,
    headers: {
      "access-control-allow-methods": [...methods, "OPTIONS"].join(", "),
      "access-control-allow-headers": requested ?? "authorization, content-type",
      "access-control-max-age": "600",
    },
  };
}

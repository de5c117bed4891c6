/** Cross-origin rules for browsers, when `server.cors` switches them on. */

import type { Draft } from "./routes/route.ts";

/** What a browser's script may read of our answers. */
const EXPOSED = [
  "x-request-id",
  "x-sluice-provider",
  "x-sluice-model",
  "x-sluice-attempts",
  "x-sluice-ignored",
  "x-sluice-converted",
  "x-sluice-upstream-request-id",
  "x-sluice-overhead-ms",
  "x-should-retry",
  "retry-after",
  "retry-after-ms",
  "x-ratelimit-limit-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-requests",
  "x-ratelimit-reset-tokens",
].join(", ");

/** Lets this request's origin read the answer, if it may. */
export function addCors(
  headers: Record<string, string>,
  request: Request,
  allowed: readonly string[],
): void {
  if (allowed.length === 0) return;
  const all = allowed.includes("*");
  const origin = all ? "*" : request.headers.get("origin");
  if (!all) headers.vary = "Origin";
  if (origin === null || !allowed.includes(origin)) return;
  headers["access-control-allow-origin"] = origin;
  headers["access-control-expose-headers"] = EXPOSED;
}

/** Answers a browser's question before the real request. */
export function preflight(request: Request, methods: readonly string[]): Draft {
  // A wildcard would not cover Authorization, so what was asked for is echoed.
  const asked = request.headers.get("access-control-request-headers");
  return {
    status: 204,
    body: null,
    headers: {
      "access-control-allow-methods": [...methods, "OPTIONS"].join(", "),
      "access-control-allow-headers": asked ?? "authorization, content-type",
      "access-control-max-age": "600",
    },
  };
}

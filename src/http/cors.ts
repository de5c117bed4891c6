/** Cross-origin resource sharing (CORS) for browsers; `server.cors` enables it. */

import { LIMIT_KINDS } from "../core/limit_kinds.ts";
import { RATE_LIMIT_NAMES } from "../formats/messages/rate_limits.ts";
import { BUDGET_NAMES } from "./budget_headers.ts";
import type { RouteResponse } from "./routes/route.ts";

/** The response headers that a script in a browser may read. */
const EXPOSED = [
  "x-request-id",
  "request-id",
  "x-sluice-provider",
  "x-sluice-model",
  "x-sluice-attempts",
  "x-sluice-ignored",
  "x-sluice-converted",
  "x-sluice-added",
  "x-sluice-cache",
  "x-sluice-saved-usd",
  "age",
  "x-sluice-cost-usd",
  "x-sluice-route",
  "x-sluice-upstream-request-id",
  "x-sluice-estimated",
  "x-sluice-overhead-ms",
  "x-sluice-queued-ms",
  ...BUDGET_NAMES,
  "x-should-retry",
  "retry-after",
  "retry-after-ms",
  ...RATE_LIMIT_NAMES,
  ...LIMIT_KINDS.flatMap((kind) => [kind.limitHeader, kind.remainingHeader, kind.resetHeader]),
].join(", ");

/** Adds the CORS headers if the request's origin is allowed. */
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

/** Answers the preflight request of a browser. */
export function preflight(request: Request, methods: readonly string[]): RouteResponse {
  // A wildcard does not cover Authorization, so the requested headers are echoed.
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

/** Converts a route's answer to the HTTP response: errors, receipt headers, CORS, HEAD. */

import type { Config } from "../config/config.ts";
import type { GatewayError } from "../core/errors.ts";
import type { PathDeps } from "../routing/failover.ts";
import type { RequestRecord } from "../routing/request_record.ts";
import { addBudget } from "./budget_headers.ts";
import { addCors } from "./cors.ts";
import { addReceipt } from "./receipt_headers.ts";
import type { RouteResponse } from "./routes/route.ts";

/** An error in the format that the caller uses. */
export function toErrorResponse(error: GatewayError, { format, id }: RequestRecord): RouteResponse {
  const status = format.statusOf?.(error) ?? error.status;
  const headers = { "content-type": "application/json", ...error.headers };
  return { status, headers, body: format.writeError(error, id) };
}

/** The same response with `connection: close`. */
export function closing(routeResponse: RouteResponse): RouteResponse {
  return { ...routeResponse, headers: { ...routeResponse.headers, connection: "close" } };
}

/**
 * Whether the body of a refused request is unread: it would precede the connection's next request.
 */
export function hasUnreadBody({ method, bodyUsed }: Request): boolean {
  return method !== "GET" && method !== "HEAD" && !bodyUsed;
}

/**
 * A copy of the headers with the state of the key's limits and budget, in place of the vendor's.
 */
function withLimits(
  headers: RouteResponse["headers"],
  { admission, serviceKey, format: { rateLimitHeaders: own } }: RequestRecord,
  { clock, limiter }: Pick<PathDeps, "clock" | "limiter">,
): Record<string, string> {
  let copy = admission?.headers();
  if (copy === undefined || isEmpty(copy)) copy = { ...headers };
  else {
    for (const name in headers) {
      const isLimit = name.startsWith("x-ratelimit-") || own && name.startsWith(own.prefix);
      if (!isLimit) copy[name] = headers[name] as string;
    }
  }
  own?.rename(copy, clock.wallTime());
  if (serviceKey?.budget !== undefined) {
    const budget = limiter.budgetOf(serviceKey, admission);
    if (budget !== undefined) {
      addBudget(copy, budget);
      own?.addBudget?.(copy, budget);
    }
  }
  return copy;
}

function isEmpty(record: Readonly<Record<string, unknown>>): boolean {
  for (const _ in record) return false;
  return true;
}

/** Adds the headers that every response has. */
export function toResponse(
  routeResponse: RouteResponse,
  request: Request,
  record: RequestRecord,
  config: Config,
  deps: Pick<PathDeps, "clock" | "limiter">,
): Response {
  const headers = withLimits(routeResponse.headers, record, deps);
  addReceipt(headers, record);
  headers["x-content-type-options"] ??= "nosniff";
  // Pages and files of the console have their own rules.
  headers["cache-control"] ??= "no-store";
  const { requestIdHeader } = record.format;
  if (requestIdHeader !== undefined) headers[requestIdHeader] = record.id;
  // Admin keys are not for pages in browsers.
  const { cors } = config.server;
  if (cors.length > 0 && !record.route.startsWith("/v1/admin")) addCors(headers, request, cors);
  if (request.method !== "HEAD") {
    return withHeaders(new Response(routeResponse.body, { status: routeResponse.status }), headers);
  }
  const length = typeof routeResponse.body === "string"
    ? new TextEncoder().encode(routeResponse.body).length
    : 0;
  return withHeaders(new Response(null, { status: routeResponse.status }), {
    "content-length": String(length),
    ...headers,
  });
}

/**
 * Sets the headers of a response. The runtime takes 20 % of the CPU time of headers that its
 * constructor is given (Deno 2.9.6, measured 2026-11-26 with 18 headers: 4.5 against 20 μs).
 */
function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const fields = response.headers;
  for (const name in headers) fields.set(name, headers[name] as string);
  return response;
}

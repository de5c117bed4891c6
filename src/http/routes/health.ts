/** `GET /healthz` and `GET /readyz`: for load balancers, so without a key and without names. */

import { type Draft, json, type RouteContext } from "./route.ts";

export function healthz(): Draft {
  return json({ status: "ok" });
}

export function readyz(_: Request, { server: { draining, stale } }: RouteContext): Draft {
  if (draining) return json({ status: "draining" }, {}, 503);
  return json({ status: "ready", ...(stale && { config: "stale", reason: stale }) });
}

/** `GET /healthz` and `GET /readyz`: for load balancers, so without a key and without names. */

import { type Draft, json } from "./route.ts";

export function healthz(): Draft {
  return json({ status: "ok" });
}

/** @param stale why an older configuration is in force than the one in the file */
export function readyz(draining: boolean, stale: string | undefined): Draft {
  if (draining) return json({ status: "draining" }, {}, 503);
  return json({ status: "ready", ...(stale && { config: "stale", reason: stale }) });
}

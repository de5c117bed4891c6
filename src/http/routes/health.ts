/**
 * `GET /healthz` and `GET /readyz` for load balancers, and `/api/hello` for Claude Code, which
 * checks there whether the API is reachable. They need no key and name no provider.
 */

import type { StaleConfig } from "../../config/stale_config.ts";
import { json, type RouteResponse } from "./route.ts";

/** The state of the process or worker. */
export interface ServerStatus {
  /** Whether the process is about to end, so that clients are to use another one. */
  readonly draining: boolean;
  /** Why the current configuration is older than the file, if it is. */
  readonly stale: StaleConfig | undefined;
}

/** Reports that the process runs. */
export function healthz(): RouteResponse {
  return json({ status: "ok" });
}

/** Reports whether the process is to get requests: 200, or 503 from the first signal to end on. */
export function readyz({ draining, stale }: ServerStatus): RouteResponse {
  if (draining) return json({ status: "draining" }, {}, 503);
  return json({ status: "ready", ...(stale && { config: "stale", reason: stale.reason }) });
}

/** Tells Claude Code that the gateway can be reached, as Anthropic's API does. */
export function hello(): RouteResponse {
  return json({ message: "hello" });
}

/** `GET /healthz` and `GET /readyz`: for load balancers, so without a key and without names. */

import { type Draft, json } from "./route.ts";

export function healthz(): Draft {
  return json({ status: "ok" });
}

export function readyz(draining: boolean): Draft {
  return draining ? json({ status: "draining" }, {}, 503) : json({ status: "ready" });
}

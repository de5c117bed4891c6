/** `GET /metrics`: the text that Prometheus reads. */

import type { Reading } from "../metrics.ts";
import type { Draft, RouteContext } from "./route.ts";

export async function printMetrics(
  reading: Pick<Reading, "inFlight" | "stale">,
  { deps }: RouteContext,
): Promise<Draft> {
  const { metrics, state, clock } = deps;
  return {
    status: 200,
    headers: { "content-type": metrics.registry.contentType },
    body: await metrics.print({ ...reading, breakers: state.breakers(clock.now()) }),
  };
}

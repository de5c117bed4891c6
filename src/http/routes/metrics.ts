/** `GET /metrics`: the text that Prometheus reads. */

import type { Draft, RouteContext } from "./route.ts";

/** @param print gives the text */
export async function printMetrics(
  print: () => Promise<string>,
  { deps }: RouteContext,
): Promise<Draft> {
  return {
    status: 200,
    headers: { "content-type": deps.metrics.registry.contentType },
    body: await print(),
  };
}

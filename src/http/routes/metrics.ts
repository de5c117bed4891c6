/** `GET /metrics`: metrics in the text format of Prometheus. */

import { hasNoModels } from "../../config/warnings.ts";
import { GatewayError } from "../../core/errors.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/** Writes the metrics of all workers. */
export type PrintMetrics = () => Promise<{ readonly contentType: string; readonly text: string }>;

/** Answers with the metrics. */
export async function getMetrics(
  { config, key }: RouteContext,
  print: PrintMetrics,
): Promise<RouteResponse> {
  // The values name every model and provider, and count the requests of all keys. A key without any
  // model is meant for reading them.
  if (key.models !== undefined && !hasNoModels(key, config)) {
    throw new GatewayError(
      "route_not_found",
      "The metrics need a key that is not limited to models, or one with 'models: [none]'",
    );
  }
  const { contentType, text } = await print();
  return { status: 200, headers: { "content-type": contentType }, body: text };
}

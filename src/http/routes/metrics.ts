/** `GET /metrics`: metrics in the text format of Prometheus. */

import { hasNoModels } from "../../config/warnings.ts";
import { GatewayError } from "../../core/errors.ts";
import type { BreakerGauge, RejectionGauge } from "../../routing/state.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/** Values that are read when the metrics are scraped. */
export interface GaugeValues {
  /** The number of open requests. */
  readonly inFlight: number;
  readonly breakers: Iterable<BreakerGauge>;
  readonly rejections: Iterable<RejectionGauge>;
  /** Whether the current configuration differs from the file. */
  readonly stale: boolean;
}

/** Writes the metrics, including these gauges. */
export type PrintMetrics = (
  gauges: GaugeValues,
) => Promise<{ readonly contentType: string; readonly text: string }>;

/** Answers with the metrics. */
export async function getMetrics(
  _: Request,
  { config, key, server }: RouteContext,
): Promise<RouteResponse> {
  // The values name every model and provider, and count the requests of all keys. A key that may use
  // no model at all exists to read them.
  if (key.models !== undefined && !hasNoModels(key, config)) {
    throw new GatewayError(
      "route_not_found",
      "The metrics need a key that is not limited to models, or one with 'models: [none]'",
    );
  }
  const { contentType, text } = await server.printMetrics(server.gauges());
  return { status: 200, headers: { "content-type": contentType }, body: text };
}

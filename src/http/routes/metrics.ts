/** `GET /metrics`: the text that Prometheus reads. */

import type { BreakerReading, RejectionReading } from "../../routing/state.ts";
import type { Draft, RouteContext } from "./route.ts";

/** Values that are read when someone asks for the metrics. */
export interface GaugeValues {
  /** Requests that are open. */
  readonly inFlight: number;
  readonly breakers: Iterable<BreakerReading>;
  readonly rejections: Iterable<RejectionReading>;
  /** Whether the configuration in force is not the one in the file. */
  readonly stale: boolean;
}

/** Writes the metrics, with these values of the app. */
export type PrintMetrics = (
  gauges: GaugeValues,
) => Promise<{ readonly contentType: string; readonly text: string }>;

export async function getMetrics(_: Request, { server }: RouteContext): Promise<Draft> {
  const { contentType, text } = await server.printMetrics(server.gauges());
  return { status: 200, headers: { "content-type": contentType }, body: text };
}

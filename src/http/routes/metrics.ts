/** `GET /metrics`: the text that Prometheus reads. */

import type { BreakerReading } from "../../routing/state.ts";
import type { Draft } from "./route.ts";

/** Values that are read when someone asks for the metrics. */
export interface GaugeValues {
  /** Requests that are open. */
  readonly inFlight: number;
  readonly breakers: Iterable<BreakerReading>;
  /** Whether the configuration in force is not the one in the file. */
  readonly stale: boolean;
}

/** Writes the metrics, with these values of the app. */
export type PrintMetrics = (
  gauges: GaugeValues,
) => Promise<{ readonly contentType: string; readonly text: string }>;

export async function getMetrics(print: PrintMetrics, gauges: GaugeValues): Promise<Draft> {
  const { contentType, text } = await print(gauges);
  return { status: 200, headers: { "content-type": contentType }, body: text };
}

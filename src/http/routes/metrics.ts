/** `GET /metrics`: the text that Prometheus reads. */

import type { GaugeValues } from "../app.ts";
import type { Draft } from "./route.ts";

/** Writes the metrics, with these values of the app. */
export type PrintMetrics = (
  gauges: GaugeValues,
) => Promise<{ readonly contentType: string; readonly text: string }>;

export async function getMetrics(print: PrintMetrics, gauges: GaugeValues): Promise<Draft> {
  const { contentType, text } = await print(gauges);
  return { status: 200, headers: { "content-type": contentType }, body: text };
}

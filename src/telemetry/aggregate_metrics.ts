/** Aggregates the metrics of several workers into those of the process. */

import { AggregatorRegistry, type Registry } from "./prom_client.ts";

/** The metrics of one worker as data, which can be sent between workers. */
export type MetricsSnapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** Aggregates snapshots: sum, maximum or minimum, as each metric declares. */
export function sumSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  // An aggregated registry holds metrics with their values, although its type does not say so.
  return AggregatorRegistry.aggregate([...snapshots]).getMetricsAsArray() as MetricsSnapshot;
}

/** The aggregated metrics in the text format of Prometheus. */
export async function printSum(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return await AggregatorRegistry.aggregate([...snapshots]).metrics();
}

/**
 * The counters and histograms of a snapshot. Their sums must not decrease when a worker exits or
 * does not answer in time.
 */
export function countersOf(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ type }) => CUMULATIVE_TYPES.has(String(type)));
}

const CUMULATIVE_TYPES: ReadonlySet<string> = new Set(["counter", "histogram"]);

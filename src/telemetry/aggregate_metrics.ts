/** The figures of several workers as those of one process. */

import { AggregatorRegistry, type Registry } from "prom-client";

/** The metrics of one worker, as data. */
export type Figures = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** Adds up, or takes the largest or the smallest, as each metric says of itself. */
export function addUp(all: readonly Figures[]): Figures {
  // What stands in such a registry has its values beside it.
  return AggregatorRegistry.aggregate([...all]).getMetricsAsArray() as Figures;
}

/** The text that Prometheus reads. */
export async function printSum(all: readonly Figures[]): Promise<string> {
  return await AggregatorRegistry.aggregate([...all]).metrics();
}

/** What only grows: it must not shrink because a worker has ended, or is late. */
export function countersOf(figures: Figures): Figures {
  return figures.filter(({ type }) => GROWING.has(String(type)));
}

const GROWING: ReadonlySet<string> = new Set(["counter", "histogram"]);

/** Process metrics: memory, CPU time and file descriptors. */

import { AggregatorRegistry, type Gauge, type Registry } from "./prom_client.ts";
import type { Counter, Meter } from "./series.ts";

/** One worker's metrics as data, which can be sent between workers. */
export type MetricsSnapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The process's memory, in bytes. */
export interface Memory {
  readonly rss: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** The process's resources. */
export interface ProcessFacts {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly memory: () => Memory;
  /** The CPU time used by all threads, in microseconds. */
  readonly cpu: () => { readonly user: number; readonly system: number };
  /** The lowest free file descriptor; undefined if the system does not report it. */
  readonly freeDescriptor: () => number | undefined;
}

/** Reads the values on each scrape. */
export class ProcessMetrics {
  readonly #facts: ProcessFacts;
  // Every worker reports the same resident memory and CPU time; the heap values are per worker.
  readonly #resident: Gauge;
  readonly #heapTotal: Gauge;
  readonly #heapUsed: Gauge;
  readonly #external: Gauge;
  readonly #descriptors: Gauge;
  readonly #cpu: Counter;
  #cpuSeconds = 0;

  constructor(meter: Meter, facts: ProcessFacts) {
    this.#facts = facts;
    this.#resident = meter.gauge(
      "process_resident_memory_bytes",
      "Resident memory of the process",
      [],
      "max",
    );
    this.#heapTotal = meter.gauge("process_heap_total_bytes", "Size of the JavaScript heap");
    this.#heapUsed = meter.gauge("process_heap_used_bytes", "Used part of the JavaScript heap");
    this.#external = meter.gauge("process_external_memory_bytes", "Buffers outside the heap");
    this.#descriptors = meter.gauge(
      "sluice_lowest_free_descriptor",
      "Lowest file descriptor that is free: at least as many are open",
      [],
      "max",
    );
    this.#cpu = meter.counter(
      "process_cpu_seconds_total",
      "CPU time of all threads, user and system",
      [],
      1,
      "max",
    );
    meter.gauge("process_start_time_seconds", "Start time of the process, Unix time", [], "min")
      .set(facts.startedAt / 1000);
    meter.gauge("sluice_build_info", "1, with the version of the gateway", ["version"], "max").set({
      version: facts.version,
    }, 1);
  }

  /** Reads the current values. */
  update(): void {
    const { rss, heapTotal, heapUsed, external } = this.#facts.memory();
    this.#resident.set(rss);
    this.#heapTotal.set(heapTotal);
    this.#heapUsed.set(heapUsed);
    this.#external.set(external);
    const { user, system } = this.#facts.cpu();
    const seconds = (user + system) / 1e6;
    this.#cpu.add(Math.max(0, seconds - this.#cpuSeconds));
    this.#cpuSeconds = Math.max(seconds, this.#cpuSeconds);
    const free = this.#facts.freeDescriptor();
    if (free !== undefined) this.#descriptors.set(free);
  }
}

/** Aggregates snapshots: sum, maximum or minimum, as each metric declares. */
export function sumSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  // An aggregated registry holds metrics with their values, although its type does not say so.
  return AggregatorRegistry.aggregate([...snapshots]).getMetricsAsArray() as MetricsSnapshot;
}

/** The aggregated metrics in Prometheus's text format. */
export async function printSum(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return await AggregatorRegistry.aggregate([...snapshots]).metrics();
}

/**
 * A snapshot's counters and histograms. Their sums must not decrease when a worker exits or does
 * not answer in time.
 */
export function countersOf(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ type }) => CUMULATIVE_TYPES.has(String(type)));
}

const CUMULATIVE_TYPES: ReadonlySet<string> = new Set(["counter", "histogram"]);

/** The metrics of the process: memory, CPU time and file descriptors. */

import { AggregatorRegistry, Gauge, type Registry } from "./prom_client.ts";
import { Counter } from "./series.ts";

/** The metrics of one worker as data, which can be sent between workers. */
export type MetricsSnapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The memory of the process, in bytes. */
export interface Memory {
  readonly rss: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** The resources of the process. */
export interface ProcessFacts {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly memory: () => Memory;
  /** The CPU time of all threads, in microseconds. */
  readonly cpu: () => { readonly user: number; readonly system: number };
  /** The lowest free file descriptor; undefined if the system does not report it. */
  readonly freeDescriptor: () => number | undefined;
}

/** Reads the values at each scrape. */
export class ProcessMetrics {
  readonly #facts: ProcessFacts;
  readonly #registers: Registry[];
  // Every worker reports the same resident memory and CPU time; the heap values are per worker.
  readonly #resident: Gauge;
  readonly #heapTotal: Gauge;
  readonly #heapUsed: Gauge;
  readonly #external: Gauge;
  readonly #descriptors: Gauge;
  readonly #cpu: Counter;
  #cpuSeconds = 0;

  constructor(registry: Registry, facts: ProcessFacts) {
    this.#facts = facts;
    this.#registers = [registry];
    this.#resident = this.#gauge(
      "process_resident_memory_bytes",
      "Resident memory of the process",
      "max",
    );
    this.#heapTotal = this.#gauge("process_heap_total_bytes", "Size of the JavaScript heap");
    this.#heapUsed = this.#gauge("process_heap_used_bytes", "Used part of the JavaScript heap");
    this.#external = this.#gauge("process_external_memory_bytes", "Buffers outside the heap");
    this.#descriptors = this.#gauge(
      "sluice_lowest_free_descriptor",
      "Lowest file descriptor that is free: at least as many are open",
      "max",
    );
    this.#cpu = new Counter(registry, {
      name: "process_cpu_seconds_total",
      help: "CPU time of all threads, user and system",
      aggregator: "max",
    });
    this.#gauge("process_start_time_seconds", "Start time of the process, Unix time", "min")
      .set(facts.startedAt / 1000);
    new Gauge({
      name: "sluice_build_info",
      help: "1, with the version of the gateway",
      labelNames: ["version"],
      aggregator: "max",
      registers: this.#registers,
    }).set({ version: facts.version }, 1);
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

  #gauge(name: string, help: string, aggregator: "sum" | "max" | "min" = "sum"): Gauge {
    return new Gauge({ name, help, aggregator, registers: this.#registers });
  }
}

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

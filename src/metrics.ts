/** What Prometheus is told: each request is counted once, when it has ended. */

import { type Aggregator, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { BreakerState } from "./breaker.ts";
import type { Usage } from "./chat.ts";
import { ERROR_KINDS } from "./errors.ts";
import type { Exchange, Reached, TryRecord } from "./exchange.ts";
import type { Figures } from "./metrics_sum.ts";

/** What is asked for when somebody looks, rather than counted. */
export interface Reading {
  /** Requests that are open. */
  readonly inFlight: number;
  readonly breakers: Iterable<BreakerReading>;
  readonly rejections: Iterable<RejectionReading>;
  /** Whether the configuration in force is not the one in the file. */
  readonly stale: boolean;
}

/** One breaker that has seen a request. */
export interface BreakerReading {
  readonly provider: string;
  /** What the vendor is told. */
  readonly model: string;
  readonly state: BreakerState;
}

/** One parameter that a target has turned out to reject. */
export interface RejectionReading {
  readonly provider: string;
  /** What the vendor is told. */
  readonly model: string;
  readonly parameter: string;
}

/** What the process takes of the machine, in bytes. */
export interface Memory {
  readonly rss: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** What the metrics need of the process. */
export interface ProcessFacts {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly memory: () => Memory;
}

/** Seconds. A short answer takes less than one, a long thought many minutes. */
const DURATIONS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800];
const FIRST_TOKENS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120, 300];
const GAPS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 5, 30];
const OVERHEADS = [0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];

const BREAKER_LEVELS = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<
  BreakerState,
  number
>;

/** Labels that name a target are those of config.yaml, never what a caller wrote. */
const TARGET = ["provider", "model"] as const;
/** A request that came to no target; an empty label is no label. */
const NO_TARGET = { provider: "", model: "" };

/** The metrics of one process, in a registry of their own. */
export class Metrics {
  /** What holds them all. */
  readonly registry = new Registry();
  readonly #memory: () => Memory;
  readonly #requests = this.#counter("sluice_requests_total", "Requests that have ended", [
    "route",
    ...TARGET,
    "status",
    "error_code",
  ]);
  readonly #durations = this.#histogram(
    "sluice_request_duration_seconds",
    "From a request's arrival to the end of its answer",
    ["route", ...TARGET],
    DURATIONS,
  );
  readonly #firstTokens = this.#histogram(
    "sluice_time_to_first_token_seconds",
    "From a request's arrival to the first event of its stream",
    TARGET,
    FIRST_TOKENS,
  );
  readonly #gaps = this.#histogram(
    "sluice_time_between_events_seconds",
    "Between two writes of a stream, each of which holds the events that came together",
    TARGET,
    GAPS,
  );
  readonly #overheads = this.#histogram(
    "sluice_overhead_seconds",
    "Until an answer begins, less the waiting for vendors",
    ["route"],
    OVERHEADS,
  );
  readonly #tokens = this.#counter(
    "sluice_tokens_total",
    "Tokens as vendors count them; no token is of two kinds",
    [...TARGET, "kind"],
  );
  readonly #retries = this.#counter(
    "sluice_retries_total",
    "Tries of a target after one that failed for this reason",
    [...TARGET, "reason"],
  );
  readonly #fallbacks = this.#counter(
    "sluice_fallbacks_total",
    "Targets that were given up for the next of their chain, for this reason",
    [...TARGET, "reason"],
  );
  readonly #inFlight = this.#gauge("sluice_in_flight_requests", "Requests that are open");
  // Over several workers, the one that is worst off.
  readonly #breakers = this.#gauge(
    "sluice_breaker_state",
    "0 closed, 1 half open, 2 open",
    TARGET,
    "max",
  );
  readonly #rejections = this.#gauge(
    "sluice_learned_rejections",
    "1 for each parameter that a target rejects and that is left out",
    [...TARGET, "parameter"],
    "max",
  );
  readonly #stale = this.#gauge(
    "sluice_config_stale",
    "1 while the file is faulty and an older configuration is in force",
    [],
    "max",
  );
  // Every thread is told the same, but of its own heap.
  readonly #resident = this.#gauge(
    "process_resident_memory_bytes",
    "Resident memory",
    [],
    "max",
  );
  readonly #heapTotal = this.#gauge("process_heap_total_bytes", "The heap of JavaScript");
  readonly #heapUsed = this.#gauge("process_heap_used_bytes", "What of the heap is used");
  readonly #external = this.#gauge("process_external_memory_bytes", "Buffers outside the heap");

  constructor({ version, startedAt, memory }: ProcessFacts) {
    this.#memory = memory;
    this.#gauge("process_start_time_seconds", "Unix time of the start", [], "min")
      .set(startedAt / 1000);
    this.#gauge("sluice_build_info", "The version that runs", ["version"], "max")
      .set({ version }, 1);
    // Added up, it says how many have answered.
    this.#gauge("sluice_workers", "Threads that these figures are of").set(1);
  }

  /** Counts a request that has ended. */
  record(exchange: Exchange, endedAt: number): void {
    const { route, reached, usage, tries } = exchange;
    const target = toTarget(reached);
    const status = String(exchange.status);
    this.#requests.inc({ route, ...target, status, error_code: codeOf(exchange) });
    this.#durations.observe({ route, ...target }, (endedAt - exchange.startedAt) / 1000);
    if (exchange.overhead !== undefined) {
      this.#overheads.observe({ route }, exchange.overhead / 1000);
    }
    if (exchange.firstTokenAt !== undefined) {
      this.#firstTokens.observe(target, (exchange.firstTokenAt - exchange.startedAt) / 1000);
    }
    if (usage !== undefined) this.#countTokens(target, usage);
    this.#countTries(tries);
  }

  /** Takes the milliseconds between the writes of one stream. */
  gapsOf(reached: Reached | undefined): (ms: number) => void {
    const gaps = this.#gaps.labels(toTarget(reached));
    return (ms) => gaps.observe(ms / 1000);
  }

  /** Everything, as text. */
  async print(reading: Reading): Promise<string> {
    this.#take(reading);
    return await this.registry.metrics();
  }

  /** Everything, as data that can be added up with that of others. */
  async read(reading: Reading): Promise<Figures> {
    this.#take(reading);
    return await this.registry.getMetricsAsJSON();
  }

  #take({ inFlight, breakers, rejections, stale }: Reading): void {
    this.#inFlight.set(inFlight);
    this.#stale.set(stale ? 1 : 0);
    // A target that is no longer configured is gone.
    this.#breakers.reset();
    for (const { provider, model, state } of breakers) {
      this.#breakers.set({ provider, model }, BREAKER_LEVELS[state]);
    }
    this.#rejections.reset();
    for (const { provider, model, parameter } of rejections) {
      this.#rejections.set({ provider, model, parameter }, 1);
    }
    const { rss, heapTotal, heapUsed, external } = this.#memory();
    this.#resident.set(rss);
    this.#heapTotal.set(heapTotal);
    this.#heapUsed.set(heapUsed);
    this.#external.set(external);
  }

  #countTokens(target: typeof NO_TARGET, usage: Usage): void {
    const cached = countOf(usage.prompt_tokens_details?.cached_tokens);
    const reasoning = countOf(usage.completion_tokens_details?.reasoning_tokens);
    const kinds = [
      ["input", countOf(usage.prompt_tokens) - cached],
      ["cached_input", cached],
      ["output", countOf(usage.completion_tokens) - reasoning],
      ["reasoning", reasoning],
    ] as const;
    for (const [kind, count] of kinds) {
      if (count > 0) this.#tokens.inc({ ...target, kind }, count);
    }
  }

  #countTries(tries: readonly TryRecord[]): void {
    for (const [index, { provider, upstream, outcome }] of tries.entries()) {
      const next = tries[index + 1];
      if (next === undefined) return;
      const again = next.provider === provider && next.upstream === upstream;
      (again ? this.#retries : this.#fallbacks).inc({ provider, model: upstream, reason: outcome });
    }
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** @param aggregator what becomes of it over several workers */
  #gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    aggregator: Aggregator = "sum",
  ) {
    return new Gauge({ name, help, labelNames, aggregator, registers: [this.registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ) {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}

function toTarget(reached: Reached | undefined): typeof NO_TARGET {
  return reached === undefined
    ? NO_TARGET
    : { provider: reached.provider, model: reached.upstream };
}

/** One of our own codes: a vendor's could be anything. */
function codeOf({ error, outcome }: Exchange): string {
  const kind = outcome === "client_gone" ? outcome : error?.kind;
  return kind === undefined ? "" : ERROR_KINDS[kind].code ?? kind;
}

/** Vendors are read loosely: what is no count is none. */
function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? value : 0;
}

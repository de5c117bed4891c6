/** The Prometheus metrics. Each request is counted once, after it has ended. */

import { type Aggregator, Counter, Gauge, Histogram, Registry } from "./prom_client.ts";
import type { BreakerState } from "../routing/circuit_breaker.ts";
import type { Usage } from "../chat/chat.ts";
import type { GaugeSources } from "./gauges.ts";
import { ERROR_KINDS } from "../core/errors.ts";
import { usedBy } from "../routing/attempt_usage.ts";
import { ModelLabels } from "./model_labels.ts";
import type { AnsweringTarget } from "../routing/attempt_state.ts";
import { hedgeOf, inSequence } from "./hedged_attempts.ts";
import type { RequestRecord } from "../routing/request_record.ts";
import type { AttemptRecord } from "../routing/attempt_records.ts";
import type { MetricsSnapshot } from "./aggregate_metrics.ts";
import { DURATION_BUCKETS, GAP_BUCKETS, OVERHEAD_BUCKETS, TTFT_BUCKETS } from "./buckets.ts";
import { BatchedCounter } from "./batched_counter.ts";
import { CostMetrics } from "./cost_metrics.ts";
import { errorClassOf } from "./error_class.ts";
import { type ProcessFacts, ProcessMetrics } from "./process_metrics.ts";
import { TargetMetrics } from "./target_metrics.ts";
import { SavingMetrics } from "./saving_metrics.ts";
import { ServerMetrics } from "./server_metrics.ts";
import { toCount } from "../core/json/values.ts";
import { UNITS } from "../core/units.ts";

const BREAKER_LEVELS = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<
  BreakerState,
  number
>;

/** Labels of a target. Their values are names of config.yaml, never text of a caller. */
const TARGET_LABELS = ["provider", "model"] as const;
/** The number of gaps between writes that are recorded together, which takes less time. */
const MAX_NEW_GAPS = 256;
/** The labels of a request without a target. Prometheus treats an empty label as absent. */
const NO_TARGET = { provider: "", model: "" };

/** The metrics of one process or worker, in a separate registry. */
export class Metrics {
  /** The registry of all metrics. */
  readonly registry = new Registry();
  #sources: GaugeSources | undefined;
  readonly #requests = this.#batched("sluice_requests_total", "Completed requests", [
    ...["route", "format", "alias"] as const,
    ...TARGET_LABELS,
    ...["status", "error_code", "error_class"] as const,
  ]);
  readonly #durations = this.#histogram(
    "sluice_request_duration_seconds",
    "Seconds from the arrival of a request to the end of its answer",
    ["route", ...TARGET_LABELS],
    DURATION_BUCKETS,
  );
  readonly #firstTokens = this.#histogram(
    "sluice_time_to_first_token_seconds",
    "Seconds from the arrival of a request to the first event of its stream",
    TARGET_LABELS,
    TTFT_BUCKETS,
  );
  readonly #models = new ModelLabels();
  /** Gaps in seconds that the histogram does not have yet, by provider and model. */
  readonly #newGaps = new Map<string, Map<string, number[]>>();
  readonly #gaps = this.#histogram(
    "sluice_time_between_events_seconds",
    "Seconds between two writes of a stream; one write holds all events that arrived together",
    TARGET_LABELS,
    GAP_BUCKETS,
  );
  readonly #overheads = this.#histogram(
    "sluice_overhead_seconds",
    "Seconds that the gateway itself takes until an answer begins, without the wait for vendors",
    ["route"],
    OVERHEAD_BUCKETS,
  );
  readonly #tokens = this.#batched(
    "sluice_tokens_total",
    "Tokens as counted by the vendor; each token has exactly one kind",
    [...TARGET_LABELS, "kind"],
  );
  readonly #units = this.#batched(
    "sluice_units_total",
    "Searches, images, characters and seconds, which vendors bill besides tokens",
    [...TARGET_LABELS, "unit"],
  );
  readonly #cached = this.#counter(
    "sluice_cache_requests_total",
    "Requests that the response cache could answer: hit if it did, else miss",
    ["result"],
  );
  readonly #saving = new SavingMetrics(this.registry, this.#models);
  readonly #retries = this.#counter(
    "sluice_retries_total",
    "Retries of a target after a failure, by the reason of the failure",
    [...TARGET_LABELS, "reason"],
  );
  readonly #fallbacks = this.#counter(
    "sluice_fallbacks_total",
    "Fallbacks from a target to the next one of its chain, by the reason of the failure",
    [...TARGET_LABELS, "reason"],
  );
  readonly #hedges = this.#counter(
    "sluice_hedges_total",
    "Second targets asked at the same time: won if they answered first, lost, or both failed",
    [...TARGET_LABELS, "outcome"],
  );
  readonly #inFlight = this.#gauge("sluice_in_flight_requests", "Open requests");
  readonly #queued = this.#gauge("sluice_queued_requests", "Requests that wait for a limit");
  readonly #queueTimes = this.#histogram(
    "sluice_queue_seconds",
    "Seconds that requests waited for limits, of those that did",
    ["error_code"],
    DURATION_BUCKETS,
  );
  // The maximum is the worst state of all workers.
  readonly #breakers = this.#gauge(
    "sluice_breaker_state",
    "State of a target's circuit breaker: 0 closed, 1 half open, 2 open",
    TARGET_LABELS,
    "max",
  );
  readonly #targets = new TargetMetrics(this.registry);
  readonly #rejections = this.#gauge(
    "sluice_learned_rejections",
    "1 for each parameter that is no longer sent, because the target rejects it",
    [...TARGET_LABELS, "parameter"],
    "max",
  );
  readonly #stale = this.#gauge(
    "sluice_config_stale",
    "1 while the configuration file has errors and the previous configuration is in use",
    [],
    "max",
  );
  readonly #process: ProcessMetrics;
  readonly #costs: CostMetrics;
  /** The metrics of connections and of the log. */
  readonly server = new ServerMetrics(this.registry);

  /**
   * @param facts about the process
   * @param maxKeys the maximum number of service keys with a label
   */
  constructor(facts: ProcessFacts, maxKeys: () => number) {
    this.#process = new ProcessMetrics(this.registry, facts);
    this.#costs = new CostMetrics(this.registry, maxKeys, this.#models);
    // The sum is the number of workers that have reported.
    this.#gauge("sluice_workers", "Workers that these values cover").set(1);
  }

  /** Records a completed request. */
  record(record: RequestRecord, endedAt: number): void {
    const { route, attempt } = record;
    const target = this.#toTarget(attempt);
    const errorClass = errorClassOf(record);
    this.#requests.add(
      1,
      ...[route, formatOf(record), record.columns.alias ?? "", target.provider, target.model],
      ...[String(record.status), codeOf(record), errorClass],
    );
    this.#costs.record(record, errorClass);
    this.#durations.observe({ route, ...target }, (endedAt - record.startedAt) / 1000);
    if (record.overhead !== undefined) {
      this.#overheads.observe({ route }, record.overhead / 1000);
    }
    if (attempt?.firstTokenAt !== undefined) {
      this.#firstTokens.observe(target, (attempt.firstTokenAt - record.startedAt) / 1000);
    }
    const { queuedMs } = record.columns;
    if (queuedMs !== undefined) {
      this.#queueTimes.observe({ error_code: codeOf(record) }, queuedMs / 1000);
    }
    for (const billed of record.billed) {
      const { usage } = usedBy(billed, record);
      if (usage !== undefined) this.#countTokens(this.#toTarget(billed), usage);
    }
    if (record.cache !== undefined) this.#cached.inc({ result: record.cache });
    this.#saving.record(record);
    this.#countRetries(inSequence(record));
    const hedge = hedgeOf(record);
    if (hedge !== undefined) {
      this.#hedges.inc({ ...this.#toTarget(hedge.attempt), outcome: hedge.outcome });
    }
  }

  /** Returns a function that records the milliseconds between two writes of a stream. */
  gapsOf(target: AnsweringTarget | undefined): (ms: number) => void {
    const { provider, model } = this.#toTarget(target);
    let models = this.#newGaps.get(provider);
    if (models === undefined) this.#newGaps.set(provider, models = new Map());
    let gaps = models.get(model);
    if (gaps === undefined) models.set(model, gaps = []);
    return (ms) => {
      if (gaps.push(ms / 1000) === MAX_NEW_GAPS) this.#recordGaps({ provider, model }, gaps);
    };
  }

  #recordGaps(target: typeof NO_TARGET, gaps: number[]): void {
    const histogram = this.#gaps.labels(target);
    for (const gap of gaps) histogram.observe(gap);
    gaps.length = 0;
  }

  /** Sets the source of the gauges, which are read at each scrape. */
  readGaugesFrom(sources: GaugeSources): void {
    this.#sources = sources;
  }

  /** All metrics in the text format of Prometheus. */
  async print(): Promise<string> {
    this.#update();
    return await this.registry.metrics();
  }

  /** All metrics as data, which can be aggregated with those of other workers. */
  async read(): Promise<MetricsSnapshot> {
    this.#update();
    return await this.registry.getMetricsAsJSON();
  }

  #update(): void {
    for (const counter of [this.#requests, this.#tokens, this.#units]) counter.flush();
    this.#costs.flush();
    for (const [provider, models] of this.#newGaps) {
      for (const [model, gaps] of models) this.#recordGaps({ provider, model }, gaps);
    }
    if (this.#sources !== undefined) this.#readGauges(this.#sources);
    this.#process.update();
  }

  #readGauges(sources: GaugeSources): void {
    const { inFlight, queued, breakers, rejections, stale, targets, budgetOf } = sources;
    this.#costs.readBudgets(budgetOf);
    this.#targets.set(targets());
    this.#inFlight.set(inFlight());
    this.#queued.set(queued());
    this.#stale.set(stale() ? 1 : 0);
    // Removes targets that are no longer configured.
    this.#breakers.reset();
    for (const { provider, model, state } of breakers()) {
      this.#breakers.set({ provider, model }, BREAKER_LEVELS[state]);
    }
    this.#rejections.reset();
    for (const { provider, model, parameter } of rejections()) {
      this.#rejections.set({ provider, model, parameter }, 1);
    }
  }

  #countTokens({ provider, model }: typeof NO_TARGET, usage: Usage): void {
    const cached = toCount(usage.prompt_tokens_details?.cached_tokens);
    const written = toCount(usage.prompt_tokens_details?.cache_write_tokens);
    const reasoning = toCount(usage.completion_tokens_details?.reasoning_tokens);
    const kinds = [
      ["input", toCount(usage.prompt_tokens) - cached - written],
      ["cached_input", cached],
      ["cache_write", written],
      ["output", toCount(usage.completion_tokens) - reasoning],
      ["reasoning", reasoning],
    ] as const;
    for (const [kind, count] of kinds) {
      if (count > 0) this.#tokens.add(count, provider, model, kind);
    }
    for (const [unit, count] of Object.entries(usage[UNITS] ?? {})) {
      if (count > 0) this.#units.add(count, provider, model, unit);
    }
  }

  #countRetries(attemptRecords: readonly AttemptRecord[]): void {
    for (const [index, { provider, upstream, outcome }] of attemptRecords.entries()) {
      const next = attemptRecords[index + 1];
      if (next === undefined) return;
      const isRetry = next.provider === provider && next.upstream === upstream;
      const labels = { ...this.#toTarget({ provider, upstream }), reason: outcome };
      (isRetry ? this.#retries : this.#fallbacks).inc(labels);
    }
  }

  #toTarget(target: Pick<AnsweringTarget, "provider" | "upstream"> | undefined): typeof NO_TARGET {
    if (target === undefined) return NO_TARGET;
    const { provider, upstream } = target;
    return { provider, model: this.#models.of(provider, upstream) };
  }

  #batched<Label extends string>(name: string, help: string, labels: readonly Label[]) {
    return new BatchedCounter(this.registry, name, help, labels);
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** @param aggregator how the values of several workers are combined */
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

/** The format of the caller; empty for a request that does not go to a model. */
function formatOf({ format, isModelRequest, passed }: RequestRecord): string {
  if (passed !== undefined) return "passthrough";
  return isModelRequest ? format.name : "";
}

/** A code of the gateway. A vendor's code has no bounded set of values. */
function codeOf({ error, outcome }: RequestRecord): string {
  const kind = outcome === "client_gone" ? outcome : error?.kind;
  return kind === undefined ? "" : ERROR_KINDS[kind].code ?? kind;
}

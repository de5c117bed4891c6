/** The Prometheus metrics. Counts each request once, after it has ended. */

import { Registry } from "./prom_client.ts";
import type { BreakerState } from "../gateway/circuit_breaker.ts";
import {
  DURATION_BUCKETS,
  errorClassOf,
  GAP_BUCKETS,
  type GaugeSources,
  hedgeOf,
  inSequence,
  ModelLabels,
  OVERHEAD_BUCKETS,
  TTFT_BUCKETS,
} from "./metric_values.ts";
import { ERROR_KINDS, type ErrorKind } from "../core/errors.ts";
import type { ModelPlan } from "../gateway/plan.ts";
import type { AnsweringTarget, AttemptRecord } from "../gateway/attempt_state.ts";
import type { RequestRecord } from "../gateway/request_record.ts";
import { CostMetrics, SavingMetrics, TargetMetrics } from "./cost_metrics.ts";
import { type MetricsSnapshot, type ProcessFacts, ProcessMetrics } from "./process_metrics.ts";
import { type CounterSeries, type HistogramSeries, Meter } from "./series.ts";
import { ServerMetrics } from "./server_metrics.ts";
import { TARGET_LABELS, type TargetSeries, TargetsSeries } from "./target_series.ts";

const BREAKER_LEVELS = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<
  BreakerState,
  number
>;

/** The maximum number of cached series. Others are looked up again. */
const MAX_SERIES = 1000;

/** All inputs for a request's labels, except for its service key. */
interface RequestLabels extends Pick<RequestRecord, "outcome" | "route" | "status"> {
  readonly format: string;
  readonly alias: string | undefined;
  readonly errorKind: ErrorKind | undefined;
  readonly provider: string | undefined;
  readonly upstream: string | undefined;
}

/** The counters and histograms for requests with the same labels. */
interface RequestSeries extends RequestLabels {
  readonly errorClass: string;
  readonly requests: CounterSeries;
  readonly durations: HistogramSeries;
  readonly target: TargetSeries;
  overheads: HistogramSeries | undefined;
}

/** One process's or worker's metrics, in a separate registry. */
export class Metrics {
  /** The registry with all metrics. */
  readonly registry = new Registry();
  readonly meter = new Meter(this.registry);
  #sources: GaugeSources | undefined;
  readonly #requests = this.meter.counter("sluice_requests_total", "Completed requests", [
    ...["route", "format", "alias"] as const,
    ...TARGET_LABELS,
    ...["status", "error_code", "error_class"] as const,
  ]);
  readonly #durations = this.meter.histogram(
    "sluice_request_duration_seconds",
    "Seconds from the arrival of a request to the end of its answer",
    DURATION_BUCKETS,
    ["route", ...TARGET_LABELS],
  );
  readonly #firstTokens = this.meter.histogram(
    "sluice_time_to_first_token_seconds",
    "Seconds from the arrival of a request to the first event of its stream",
    TTFT_BUCKETS,
    TARGET_LABELS,
  );
  readonly #models = new ModelLabels();
  readonly #gaps = this.meter.histogram(
    "sluice_time_between_events_seconds",
    "Seconds between two writes of a stream; one write holds all events that arrived together",
    GAP_BUCKETS,
    TARGET_LABELS,
    1000,
  );
  readonly #overheads = this.meter.histogram(
    "sluice_overhead_seconds",
    "Seconds that the gateway itself takes until an answer begins, without the wait for vendors",
    OVERHEAD_BUCKETS,
    ["route"],
  );
  readonly #tokens = this.meter.counter(
    "sluice_tokens_total",
    "Tokens as counted by the vendor; each token has exactly one kind",
    [...TARGET_LABELS, "kind"],
  );
  readonly #units = this.meter.counter(
    "sluice_units_total",
    "Searches, images, characters and seconds, which vendors bill besides tokens",
    [...TARGET_LABELS, "unit"],
  );
  readonly #cached = this.meter.counter(
    "sluice_cache_requests_total",
    "Requests that the response cache could answer: hit if it did, else miss",
    ["result"],
  );
  readonly #saving = new SavingMetrics(this.meter);
  readonly #retries = this.meter.counter(
    "sluice_retries_total",
    "Retries of a target after a failure, by the reason of the failure",
    [...TARGET_LABELS, "reason"],
  );
  readonly #fallbacks = this.meter.counter(
    "sluice_fallbacks_total",
    "Fallbacks from a target to the next one of its chain, by the reason of the failure",
    [...TARGET_LABELS, "reason"],
  );
  readonly #hedges = this.meter.counter(
    "sluice_hedges_total",
    "Second targets called in parallel: won if they answered first, lost, or both failed",
    [...TARGET_LABELS, "outcome"],
  );
  readonly #inFlight = this.meter.gauge("sluice_in_flight_requests", "Open requests");
  readonly #queued = this.meter.gauge("sluice_queued_requests", "Requests that wait for a limit");
  readonly #queueTimes = this.meter.histogram(
    "sluice_queue_seconds",
    "Seconds that requests waited for limits, of those that did",
    DURATION_BUCKETS,
    ["error_code"],
  );
  // The maximum is the worst state among all workers.
  readonly #breakers = this.meter.gauge(
    "sluice_breaker_state",
    "State of a target's circuit breaker: 0 closed, 1 half open, 2 open",
    TARGET_LABELS,
    "max",
  );
  readonly #targets = new TargetMetrics(this.meter);
  readonly #rejections = this.meter.gauge(
    "sluice_learned_rejections",
    "1 for each parameter that is no longer sent, because the target rejects it",
    [...TARGET_LABELS, "parameter"],
    "max",
  );
  readonly #stale = this.meter.gauge(
    "sluice_config_stale",
    "1 while the configuration file has errors and the previous configuration is in use",
    [],
    "max",
  );
  readonly #process: ProcessMetrics;
  readonly #costs: CostMetrics;
  readonly #targetSeries: TargetsSeries;
  readonly #series = new Map<string, RequestSeries>();
  /** Caches the last request's series, which nearly always match the next request. */
  readonly #ofPlans = new WeakMap<ModelPlan, RequestSeries>();
  /** The metrics for connections and the log. */
  readonly server = new ServerMetrics(this.meter);

  /**
   * @param facts facts about the process
   * @param maxKeys the maximum number of service keys with a label
   */
  constructor(facts: ProcessFacts, maxKeys: () => number) {
    this.#process = new ProcessMetrics(this.meter, facts);
    this.#costs = new CostMetrics(this.meter, maxKeys);
    const { cost, unpriced } = this.#costs;
    const { lost, marks, saved } = this.#saving;
    this.#targetSeries = new TargetsSeries({
      ...{ firstTokens: this.#firstTokens, gaps: this.#gaps, tokens: this.#tokens },
      ...{ units: this.#units, cost, unpriced, marks, saved, lost },
    }, this.#models);
    // The sum over all workers is the number of workers that have reported.
    this.meter.gauge("sluice_workers", "Workers that these values cover").set(1);
  }

  /** Records a completed request. */
  record(record: RequestRecord): void {
    const series = this.#seriesOf(record);
    const { attempt, attemptRecords, columns, overhead, route, serviceKey, startedAt } = record;
    const { ledgerFormat, settled: billed = [] } = record;
    series.requests.sum++;
    series.durations.observe((record.endedAt - startedAt) / 1000);
    if (overhead !== undefined) {
      (series.overheads ??= this.#overheads.of(route)).observe(overhead / 1000);
    }
    if (attempt?.firstTokenAt !== undefined) {
      series.target.began((attempt.firstTokenAt - startedAt) / 1000);
    }
    if (ledgerFormat !== "") {
      this.#costs.seriesOf(serviceKey).count(series.errorClass, billed);
    }
    for (const one of billed) {
      (one === attempt ? series.target : this.#targetSeries.of(one)).count(one);
    }
    if (columns.queuedMs !== undefined) {
      this.#queueTimes.of(codeOf(record)).observe(columns.queuedMs / 1000);
    }
    if (record.cache !== undefined) this.#cached.add(1, record.cache);
    if (columns.affinity !== undefined || columns.savedUsd !== undefined) {
      this.#saving.record(record);
    }
    if (attemptRecords.length > 1) this.#countRetries(inSequence(record));
    const hedge = record.hedge && hedgeOf(record);
    if (hedge === undefined) return;
    const { model, provider } = this.#targetSeries.of(hedge.attempt);
    this.#hedges.add(1, provider, model, hedge.outcome);
  }

  /** A request's series, by the inputs for its labels. */
  #seriesOf(record: RequestRecord): RequestSeries {
    const { attempt, columns: { alias }, ledgerFormat: format, outcome, plan, route, status } =
      record;
    const errorKind = record.error?.kind;
    const provider = attempt?.provider;
    const upstream = attempt?.upstream;
    const last = plan && this.#ofPlans.get(plan);
    const isSame = last !== undefined && last.status === status && last.outcome === outcome &&
      last.errorKind === errorKind && last.upstream === upstream && last.provider === provider &&
      last.route === route && last.format === format && last.alias === alias;
    if (isSame) return last;
    const labels = { outcome, route, status, format, alias, errorKind, provider, upstream };
    const series = this.#find(labels, record);
    if (plan !== undefined) this.#ofPlans.set(plan, series);
    return series;
  }

  #find(labels: RequestLabels, record: RequestRecord): RequestSeries {
    const { alias = "", errorKind, format, outcome, provider, route, status, upstream } = labels;
    // The client may choose the model name, so it comes last.
    const id = `${status}\0${outcome}\0${errorKind}\0${route}\0${format}\0${alias}\0` +
      `${provider}\0${upstream}`;
    const known = this.#series.get(id);
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES) this.#series.clear();
    const target = this.#targetSeries.of(record.attempt);
    const errorClass = errorClassOf(record);
    const names = [route, format, alias, target.provider, target.model, String(status)];
    const found: RequestSeries = {
      ...labels,
      errorClass,
      requests: this.#requests.of(...names, codeOf(record), errorClass),
      durations: this.#durations.of(route, target.provider, target.model),
      target,
      overheads: undefined,
    };
    this.#series.set(id, found);
    return found;
  }

  /** Returns a function that records the milliseconds between two writes of a stream. */
  gapsOf(target: AnsweringTarget | undefined): (ms: number) => void {
    return this.#targetSeries.of(target).gaps.observe;
  }

  /** Sets the source for the gauges, which are read on each scrape. */
  readGaugesFrom(sources: GaugeSources): void {
    this.#sources = sources;
  }

  /** All metrics in Prometheus's text format. */
  async print(): Promise<string> {
    this.#update();
    return await this.registry.metrics();
  }

  /** All metrics as data, which can be aggregated with other workers' metrics. */
  async read(): Promise<MetricsSnapshot> {
    this.#update();
    return await this.registry.getMetricsAsJSON();
  }

  #update(): void {
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

  #countRetries(attemptRecords: readonly AttemptRecord[]): void {
    for (const [index, attempt] of attemptRecords.entries()) {
      const next = attemptRecords[index + 1];
      if (next === undefined) return;
      const isRetry = next.provider === attempt.provider && next.upstream === attempt.upstream;
      const { model, provider } = this.#targetSeries.of(attempt);
      (isRetry ? this.#retries : this.#fallbacks).add(1, provider, model, attempt.outcome);
    }
  }
}

/** The gateway's error code; vendors' codes are not a bounded set. */
function codeOf({ error, outcome }: RequestRecord): string {
  const kind = outcome === "client_gone" ? outcome : error?.kind;
  return kind === undefined ? "" : ERROR_KINDS[kind].code ?? kind;
}

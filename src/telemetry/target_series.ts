/** The series for requests to a target. */

import { savedByCache, toUsd } from "../governance/cost.ts";
import type { AttemptState } from "../gateway/attempt_state.ts";
import { NOT_USED, toBilled } from "../gateway/attempt_usage.ts";
import { UNITS } from "../core/units.ts";
import type { ModelLabels } from "./metric_values.ts";
import type { Counter, CounterSeries, Histogram, HistogramSeries } from "./series.ts";

/** A target's labels. Their values are names from config.yaml, never text from a caller. */
export const TARGET_LABELS = ["provider", "model"] as const;
export type TargetLabel = (typeof TARGET_LABELS)[number];

/** The metrics by target. */
export interface MetricsByTarget {
  readonly firstTokens: Histogram<TargetLabel>;
  readonly gaps: Histogram<TargetLabel>;
  readonly tokens: Counter<TargetLabel | "kind">;
  readonly units: Counter<TargetLabel | "unit">;
  readonly cost: Counter<TargetLabel>;
  readonly unpriced: Counter<TargetLabel>;
  readonly marks: Counter<TargetLabel | "marks">;
  readonly saved: Counter<TargetLabel | "cache">;
  readonly lost: Counter<TargetLabel>;
}

/** The names that identify a target in requests. */
type TargetName = Pick<AttemptState, "provider" | "upstream">;

/** The maximum number of targets with cached series. Others are looked up again. */
const MAX_TARGETS = 1000;

/** The series for all targets. */
export class TargetsSeries {
  readonly #metrics: MetricsByTarget;
  readonly #models: ModelLabels;
  readonly #targets = new Map<string, TargetSeries>();

  constructor(metrics: MetricsByTarget, models: ModelLabels) {
    this.#metrics = metrics;
    this.#models = models;
  }

  /** @param target undefined for a request without a target */
  of(target: TargetName | undefined): TargetSeries {
    const { provider, upstream } = target ?? NO_TARGET;
    const id = `${provider}\0${upstream}`;
    let series = this.#targets.get(id);
    if (series === undefined) {
      if (this.#targets.size >= MAX_TARGETS) this.#targets.clear();
      // Prometheus treats an empty label as absent.
      const model = target === undefined ? "" : this.#models.of(provider, upstream);
      this.#targets.set(id, series = new TargetSeries(this.#metrics, provider, model));
    }
    return series;
  }
}

const NO_TARGET: TargetName = { provider: "", upstream: "" };

/** One target's series. A series exists once it has a value, as in any Prometheus client. */
export class TargetSeries {
  readonly provider: string;
  /** The model's label. */
  readonly model: string;
  readonly #metrics: MetricsByTarget;
  #firstTokens: HistogramSeries | undefined;
  #gaps: HistogramSeries | undefined;
  #cost: CounterSeries | undefined;
  #input: CounterSeries | undefined;
  #cached: CounterSeries | undefined;
  #written: CounterSeries | undefined;
  #output: CounterSeries | undefined;
  #reasoning: CounterSeries | undefined;

  constructor(metrics: MetricsByTarget, provider: string, model: string) {
    this.#metrics = metrics;
    this.provider = provider;
    this.model = model;
  }

  /** Records the seconds from a request to the start of its stream. */
  began(seconds: number): void {
    this.#firstTokens ??= this.#metrics.firstTokens.of(this.provider, this.model);
    this.#firstTokens.observe(seconds);
  }

  /** The milliseconds between two writes of its streams. */
  get gaps(): HistogramSeries {
    return this.#gaps ??= this.#metrics.gaps.of(this.provider, this.model);
  }

  /** Counts an attempt whose usage is final. */
  count(attempt: AttemptState): void {
    const { changes: { promptMarks }, used = NOT_USED } = attempt;
    const { model, provider } = this;
    const { cost, marks, tokens, units, unpriced } = this.#metrics;
    if (promptMarks !== undefined) marks.add(1, provider, model, promptMarks);
    if (used.usage === undefined) return;
    const { cached, reasoning, written } = used.counts;
    // Each token has exactly one kind.
    const input = used.counts.input - cached - written;
    const output = used.counts.output - reasoning;
    if (input > 0) (this.#input ??= tokens.of(provider, model, "input")).sum += input;
    if (cached > 0) (this.#cached ??= tokens.of(provider, model, "cached_input")).sum += cached;
    if (written > 0) (this.#written ??= tokens.of(provider, model, "cache_write")).sum += written;
    if (output > 0) (this.#output ??= tokens.of(provider, model, "output")).sum += output;
    if (reasoning > 0) {
      (this.#reasoning ??= tokens.of(provider, model, "reasoning")).sum += reasoning;
    }
    if (used.microUsd === undefined) unpriced.add(1, provider, model);
    // A correction that lowers an earlier cost cannot be subtracted from a counter.
    else if (used.microUsd > 0) (this.#cost ??= cost.of(provider, model)).sum += used.microUsd;
    if (cached + written > 0) this.#countSavings(attempt);
    const others = used.usage[UNITS];
    if (others === undefined) return;
    for (const [unit, count] of Object.entries(others)) {
      if (count > 0) units.add(count, provider, model, unit);
    }
  }

  /** Counts the savings and costs from the vendor's cache. */
  #countSavings(attempt: AttemptState): void {
    const usage = attempt.used?.usage;
    const saved = toUsd(usage && savedByCache(toBilled(attempt, usage))) ?? 0;
    if (saved > 0) this.#metrics.saved.add(saved, this.provider, this.model, "prompt");
    if (saved < 0) this.#metrics.lost.add(-saved, this.provider, this.model);
  }
}

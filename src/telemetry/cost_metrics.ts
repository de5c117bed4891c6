/** Cost metrics: the cost by target, and the spent share of service keys' budgets. */

import type { Gauge } from "./prom_client.ts";
import type { ServiceKey } from "../config/keys.ts";
import { MICRO_USD } from "../governance/cost.ts";
import type { AttemptState } from "../gateway/attempt_state.ts";
import { NOT_USED } from "../gateway/attempt_usage.ts";
import type { Counter, CounterSeries, Meter } from "./series.ts";
import { TARGET_LABELS, type TargetLabel } from "./target_series.ts";
import type { RequestRecord } from "../gateway/request_record.ts";
import type { TargetGauge } from "../gateway/state.ts";
import type { BudgetSource } from "./metric_values.ts";

/** The label shared by keys without their own label. No key has this name by accident. */
const OTHER_KEYS = "_other";

/** The metrics by service key, and the cost by target. */
export class CostMetrics {
  readonly #maxKeys: () => number;
  /** The keys with a label, as last seen. */
  readonly #keys = new Map<string, ServiceKey>();
  /** A configuration reload creates new key objects. */
  readonly #series = new WeakMap<ServiceKey, KeySeries>();
  #seriesWithoutKey: KeySeries | undefined;
  readonly cost: Counter<TargetLabel>;
  readonly unpriced: Counter<TargetLabel>;
  readonly #requests: Counter<"key" | "error_class">;
  readonly #tokens: Counter<"key" | "kind">;
  readonly #keyCost: Counter<"key">;
  readonly #budgets: Gauge<"key" | "per">;
  readonly #spent: Gauge<"key" | "per">;

  /** @param maxKeys the maximum number of keys with a label: the first ones that are used */
  constructor(meter: Meter, maxKeys: () => number) {
    this.#maxKeys = maxKeys;
    // Summed in millionths of a dollar, so that sums stay exact for longer.
    this.cost = meter.counter(
      "sluice_cost_usd_total",
      "Cost in US dollars, of requests whose price is known",
      TARGET_LABELS,
      MICRO_USD,
    );
    this.unpriced = meter.counter(
      "sluice_unpriced_attempts_total",
      "Attempts that used something without a known price; they are missing in the cost",
      TARGET_LABELS,
    );
    this.#requests = meter.counter(
      "sluice_key_requests_total",
      "Requests to models by service key, and by class of failure",
      ["key", "error_class"],
    );
    this.#tokens = meter.counter(
      "sluice_key_tokens_total",
      "Tokens by service key",
      ["key", "kind"],
    );
    this.#keyCost = meter.counter(
      "sluice_key_cost_usd_total",
      "Cost in US dollars by service key",
      ["key"],
      MICRO_USD,
    );
    // The workers share the sums.
    const perKey = ["key", "per"] as const;
    this.#budgets = meter.gauge(
      "sluice_budget_usd",
      "Budget of a service key in US dollars",
      perKey,
      "max",
    );
    this.#spent = meter.gauge(
      "sluice_budget_spent_usd",
      "US dollars of the budget that are spent or reserved in this period",
      perKey,
      "max",
    );
  }

  /** The series for requests with a key. */
  seriesOf(key: ServiceKey | undefined): KeySeries {
    if (key === undefined) return this.#seriesWithoutKey ??= this.#createSeries("");
    let series = this.#series.get(key);
    if (series === undefined) {
      this.#series.set(key, series = this.#createSeries(this.#labelOf(key)));
    }
    return series;
  }

  #createSeries(label: string): KeySeries {
    return new KeySeries(label, this.#requests, this.#tokens, this.#keyCost);
  }

  /** Reads the spent shares of labeled keys' budgets. */
  readBudgets(budgetOf: BudgetSource): void {
    this.#budgets.reset();
    this.#spent.reset();
    for (const [name, key] of this.#keys) {
      const state = key.budget && budgetOf(key);
      if (state === undefined) continue;
      this.#budgets.set({ key: name, per: state.per }, state.usd);
      this.#spent.set({ key: name, per: state.per }, state.spent);
    }
  }

  /** The label for a key that is being used. */
  #labelOf(key: ServiceKey): string {
    if (!this.#keys.has(key.name) && this.#keys.size >= this.#maxKeys()) return OTHER_KEYS;
    this.#keys.set(key.name, key);
    return key.name;
  }
}

/** The series for requests with a service key. */
class KeySeries {
  readonly #label: string;
  readonly #requests: Counter<"key" | "error_class">;
  readonly #tokens: Counter<"key" | "kind">;
  readonly #costs: Counter<"key">;
  #answered: CounterSeries | undefined;
  #input: CounterSeries | undefined;
  #output: CounterSeries | undefined;
  #cost: CounterSeries | undefined;

  constructor(
    label: string,
    requests: Counter<"key" | "error_class">,
    tokens: Counter<"key" | "kind">,
    costs: Counter<"key">,
  ) {
    this.#label = label;
    this.#requests = requests;
    this.#tokens = tokens;
    this.#costs = costs;
  }

  /**
   * Counts a request and the usage of its attempts. Corrections that lower an earlier usage are
   * ignored.
   *
   * @param errorClass empty for a request that was answered
   */
  count(errorClass: string, billed: readonly AttemptState[]): void {
    const label = this.#label;
    if (errorClass === "") (this.#answered ??= this.#requests.of(label, "")).sum++;
    else this.#requests.add(1, label, errorClass);
    for (const { used = NOT_USED } of billed) {
      const { counts: { input, output }, microUsd = 0 } = used;
      if (input > 0) (this.#input ??= this.#tokens.of(label, "input")).sum += input;
      if (output > 0) (this.#output ??= this.#tokens.of(label, "output")).sum += output;
      if (microUsd > 0) (this.#cost ??= this.#costs.of(label)).sum += microUsd;
    }
  }
}

/** Counts each request once, after it has ended. */
export class SavingMetrics {
  readonly #affinity: Counter<"result" | "reason">;
  readonly marks: Counter<TargetLabel | "marks">;
  readonly saved: Counter<TargetLabel | "cache">;
  readonly lost: Counter<TargetLabel>;

  constructor(meter: Meter) {
    this.#affinity = meter.counter(
      "sluice_affinity_requests_total",
      "Answered requests of sessions: new, hit where the session was, or moved for a reason",
      ["result", "reason"],
    );
    this.marks = meter.counter(
      "sluice_prompt_marks_total",
      "Requests that the gateway could mark for a prompt cache: all, prefix or stopped",
      [...TARGET_LABELS, "marks"],
    );
    this.saved = meter.counter(
      "sluice_saved_usd_total",
      "US dollars that caches have saved, by requests that saved some: prompt or response",
      [...TARGET_LABELS, "cache"],
    );
    this.lost = meter.counter(
      "sluice_prompt_cache_loss_usd_total",
      "US dollars that writes to prompt caches cost, by requests that read less than that",
      TARGET_LABELS,
    );
  }

  /** Counts the values that do not depend on the attempts of a request. */
  record({ features, columns }: RequestRecord): void {
    if (columns.affinity !== undefined) {
      const isMoved = columns.affinity === "moved";
      this.#affinity.add(1, columns.affinity, isMoved ? features.session?.moveReason ?? "" : "");
    }
    // The avoided cost of an answer from the response cache.
    if (columns.savedUsd !== undefined && columns.savedUsd > 0) {
      this.saved.add(columns.savedUsd, "", "", "response");
    }
  }
}

const LABELS = ["provider", "model"] as const;

/** The gauges for targets. */
export class TargetMetrics {
  readonly #inFlight: Gauge<(typeof LABELS)[number]>;
  readonly #firstContent: Gauge<(typeof LABELS)[number]>;
  readonly #failures: Gauge<(typeof LABELS)[number]>;

  constructor(meter: Meter) {
    this.#inFlight = meter.gauge(
      "sluice_target_in_flight",
      "Open attempts at a target",
      LABELS,
    );
    this.#firstContent = meter.gauge(
      "sluice_target_first_content_seconds",
      "Recent mean time to a stream's first content",
      LABELS,
      "average",
    );
    this.#failures = meter.gauge(
      "sluice_target_failure_share",
      "Recent share of a target's streams that failed, from 0 to 1",
      LABELS,
      "average",
    );
  }

  /** Replaces all values. */
  set(targets: Iterable<TargetGauge>): void {
    // Removes targets that are no longer configured.
    for (const gauge of [this.#inFlight, this.#firstContent, this.#failures]) gauge.reset();
    for (const { provider, model, inFlight, firstContentMs, failureShare } of targets) {
      const target = { provider, model };
      this.#inFlight.set(target, inFlight);
      if (firstContentMs !== undefined) this.#firstContent.set(target, firstContentMs / 1000);
      if (failureShare !== undefined) this.#failures.set(target, failureShare);
    }
  }
}

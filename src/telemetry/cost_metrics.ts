/** The metrics of money: the cost of targets, and what service keys use of their budgets. */

import { Gauge, type Registry } from "./prom_client.ts";
import { BatchedCounter } from "./batched_counter.ts";
import type { ServiceKey } from "../config/keys.ts";
import type { BudgetState } from "../core/budget_period.ts";
import { MICRO_USD } from "../governance/cost.ts";
import { microUsdOfAttempt, usedBy } from "../routing/attempt_usage.ts";
import type { RequestRecord } from "../routing/request_record.ts";
import type { ModelLabels } from "./model_labels.ts";
import { toCount } from "../core/json/values.ts";

const TARGET_LABELS = ["provider", "model"] as const;

/** The label of the keys that have none of their own. No key has this name by accident. */
const OTHER_KEYS = "_other";

/** Returns how much of its budget a key has spent; undefined if that is not known. */
export type BudgetSource = (key: ServiceKey) => BudgetState | undefined;

/** Counts each request once, after it has ended. */
export class CostMetrics {
  readonly #maxKeys: () => number;
  readonly #models: ModelLabels;
  /** The keys with a label, as they were last used. */
  readonly #keys = new Map<string, ServiceKey>();
  readonly #cost: BatchedCounter<(typeof TARGET_LABELS)[number]>;
  readonly #unpriced: BatchedCounter<(typeof TARGET_LABELS)[number]>;
  readonly #keyRequests: BatchedCounter<"key" | "error_class">;
  readonly #keyTokens: BatchedCounter<"key" | "kind">;
  readonly #keyCost: BatchedCounter<"key">;
  readonly #budgets: Gauge<"key" | "per">;
  readonly #spent: Gauge<"key" | "per">;

  /** @param maxKeys the maximum number of keys with a label: the first ones that are used */
  constructor(registry: Registry, maxKeys: () => number, models: ModelLabels) {
    this.#maxKeys = maxKeys;
    this.#models = models;
    const counter = <Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[],
      unit = 1,
    ) => new BatchedCounter(registry, name, help, labelNames, unit);
    // Added up in millionths, which are exact for longer.
    this.#cost = counter(
      "sluice_cost_usd_total",
      "Cost in US dollars, of requests whose price is known",
      TARGET_LABELS,
      MICRO_USD,
    );
    this.#unpriced = counter(
      "sluice_unpriced_attempts_total",
      "Attempts that used something without a known price; they are missing in the cost",
      TARGET_LABELS,
    );
    this.#keyRequests = counter(
      "sluice_key_requests_total",
      "Requests to models by service key, and by class of failure",
      ["key", "error_class"],
    );
    this.#keyTokens = counter("sluice_key_tokens_total", "Tokens by service key", ["key", "kind"]);
    this.#keyCost = counter(
      "sluice_key_cost_usd_total",
      "Cost in US dollars by service key",
      ["key"],
      MICRO_USD,
    );
    const gauge = (name: string, help: string) =>
      new Gauge({
        ...{ name, help, labelNames: ["key", "per"] as const, registers: [registry] },
        // The workers share the sums.
        aggregator: "max",
      });
    this.#budgets = gauge("sluice_budget_usd", "Budget of a service key in US dollars");
    this.#spent = gauge(
      "sluice_budget_spent_usd",
      "US dollars of the budget that are spent or reserved in this period",
    );
  }

  /** @param errorClass empty for a request without a failure */
  record(record: RequestRecord, errorClass: string): void {
    if (!record.isModelRequest && record.passed === undefined) return;
    const key = this.#labelOf(record.serviceKey);
    this.#keyRequests.add(1, key, errorClass);
    let microUsd = 0;
    for (const attempt of record.billed) {
      const used = usedBy(attempt, record);
      if (used.usage === undefined) continue;
      const { provider } = attempt;
      const model = this.#models.of(provider, attempt.upstream);
      const cost = microUsdOfAttempt(attempt, used);
      if (cost === undefined) this.#unpriced.add(1, provider, model);
      // A correction that lowers an earlier cost cannot be taken from a counter.
      else if (cost > 0) {
        this.#cost.add(cost, provider, model);
        microUsd += cost;
      }
      const { prompt_tokens: input, completion_tokens: output } = used.usage;
      this.#keyTokens.add(toCount(input), key, "input");
      this.#keyTokens.add(toCount(output), key, "output");
    }
    if (microUsd > 0) this.#keyCost.add(microUsd, key);
  }

  /** Moves what was counted to the registry. */
  flush(): void {
    this.#cost.flush();
    this.#unpriced.flush();
    this.#keyRequests.flush();
    this.#keyTokens.flush();
    this.#keyCost.flush();
  }

  /** Reads what the keys with a label have spent of their budgets. */
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

  #labelOf(key: ServiceKey | undefined): string {
    if (key === undefined) return "";
    if (!this.#keys.has(key.name) && this.#keys.size >= this.#maxKeys()) return OTHER_KEYS;
    this.#keys.set(key.name, key);
    return key.name;
  }
}

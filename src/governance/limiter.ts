/**
 * Admits requests within the limits and the budget of their key and the limits of their model.
 * Tokens and money are reserved as an estimate, and settled when the request has ended.
 */

import type { ServiceKey } from "../config/keys.ts";
import { type Budget, type LimitRules, limitsOf, type RateLimits } from "../config/limits.ts";
import { periodNumber } from "../core/budget_period.ts";
import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { ModelPrices } from "../providers/contract/model_facts.ts";
import {
  type Admission,
  type AppliedLimits,
  type Bucket,
  type BudgetCounter,
  LocalAdmission,
  type Places,
  type Reservation,
} from "./admission.ts";
import { microUsdOf } from "./cost.ts";
import { budgetCounter } from "./counter_names.ts";
import type { LimitsStore } from "./limits_store/limits_store.ts";
import type { Counters } from "./counters.ts";

/** What is known of a request before it is sent. */
export interface AdmissionInput {
  readonly key: ServiceKey;
  /** The ID of the requested model. */
  readonly model: string;
  readonly prices: ModelPrices | undefined;
  /** Estimates the tokens. Called only if a limit needs them. */
  readonly estimate: () => { readonly input: number; readonly maxOutput: number | undefined };
}

const MINUTE_US = 60_000_000;
/** Output tokens that a model is expected to write before it has answered once. */
const INITIAL_OUTPUT_TOKENS = 500;
/** The weight of a new answer in the moving average of output tokens. */
const NEW_ANSWER_WEIGHT = 0.1;

const NOTHING: Reservation = { inputTokens: 0, tokens: 0, microUsd: 0 };

/** Whose limits they are. */
interface Owner {
  /** The name in counters. */
  readonly id: string;
  /** The name in messages. */
  readonly text: string;
  /** Whether callers see the state of the limits. */
  readonly visible: boolean;
}

export class Limiter {
  readonly #counters: Counters;
  readonly #clock: Clock;
  readonly #store: LimitsStore | undefined;
  /** By model ID: the moving average of output tokens. Bounded by the configured models. */
  readonly #usualOutput = new Map<string, number>();
  /** The rules that {@linkcode #applied} was made with. */
  #rules: LimitRules | undefined;
  /** The limits by key and model ID; a reload of the configuration replaces them. */
  #applied = new WeakMap<ServiceKey, Map<string, AppliedLimits | undefined>>();

  /** @param store where replicas share the limits; undefined if they do not */
  constructor(counters: Counters, clock: Clock, store?: LimitsStore) {
    this.#counters = counters;
    this.#clock = clock;
    this.#store = store;
  }

  /**
   * Admits a request before anything is sent.
   *
   * @returns undefined if no limit applies; a promise only where replicas share the limits
   * @throws {GatewayError} `limit_exceeded`, `budget_exceeded`, `limits_unavailable`, or
   * `too_many_tokens` for a request that exceeds a limit by itself.
   */
  admit(input: AdmissionInput, rules: LimitRules): Admission | Promise<Admission> | undefined {
    const limits = this.#limitsFor(input, rules);
    if (limits === undefined) return undefined;
    const reserved = this.#estimate(input, limits);
    return this.#store?.admit(limits, reserved) ??
      new LocalAdmission(this.#counters, this.#clock, limits, reserved);
  }

  /** Records the output tokens of an answer, for the estimates of later requests. */
  learnOutput(model: string, tokens: number): void {
    const usual = this.#usualOutput.get(model) ?? tokens;
    this.#usualOutput.set(model, usual + NEW_ANSWER_WEIGHT * (tokens - usual));
  }

  /** Removes what is known of models that are no longer configured. */
  prune(models: ReadonlySet<string>): void {
    for (const model of this.#usualOutput.keys()) {
      if (!models.has(model)) this.#usualOutput.delete(model);
    }
  }

  #limitsFor({ key, model }: AdmissionInput, rules: LimitRules): AppliedLimits | undefined {
    if (rules !== this.#rules) {
      this.#rules = rules;
      this.#applied = new WeakMap();
    }
    let byModel = this.#applied.get(key);
    if (byModel === undefined) this.#applied.set(key, byModel = new Map());
    const known = byModel.get(model);
    if (known === undefined ? byModel.has(model) : this.#isCurrent(known)) return known;
    const limits = this.#toLimits(key, model, rules);
    byModel.set(model, limits);
    return limits;
  }

  /** Whether the period of the budget is still the same. */
  #isCurrent({ budget }: AppliedLimits): boolean {
    return budget === undefined || budget.period === periodNumber(budget.per, this.#wallTime());
  }

  #wallTime(): number {
    return (this.#store ?? this.#clock).wallTime();
  }

  #toLimits(key: ServiceKey, model: string, rules: LimitRules): AppliedLimits | undefined {
    const own = limitsOf(key.limits, rules);
    const shared = rules.models.get(model);
    const { budget } = key;
    if (shared === undefined && budget === undefined && isUnlimited(own)) return undefined;
    const keyOwner: Owner = { id: `key:${key.name}`, text: `key '${key.name}'`, visible: true };
    const modelOwner: Owner = { id: `model:${model}`, text: `model '${model}'`, visible: false };
    const buckets = this.#bucketsOf(keyOwner, own);
    const places = this.#placesOf(keyOwner, own);
    if (shared !== undefined) {
      buckets.push(...this.#bucketsOf(modelOwner, shared));
      places.push(...this.#placesOf(modelOwner, shared));
    }
    if (budget === undefined && buckets.length + places.length === 0) return undefined;
    return { buckets, places, budget: budget && this.#budgetOf(key.name, budget) };
  }

  #budgetOf(key: string, budget: Budget): BudgetCounter {
    const name = budgetCounter(budget.per, key);
    const slot = this.#counters.slotOf(name);
    const period = periodNumber(budget.per, this.#wallTime());
    return { ...budget, name, slot, period, owner: `key '${key}'` };
  }

  #bucketsOf(owner: Owner, { requestsPerMinute, tokensPerMinute }: RateLimits): Bucket[] {
    const buckets: Bucket[] = [];
    const add = (kind: Bucket["kind"], limit: number | undefined) => {
      if (limit === undefined) return;
      const name = `${kind}:${owner.id}`;
      buckets.push({
        name,
        slot: this.#counters.slotOf(name),
        kind,
        limit,
        limitText: String(limit),
        rate: { perUnit: MINUTE_US / limit, burst: MINUTE_US },
        owner: owner.text,
        visible: owner.visible,
      });
    };
    add("requests", requestsPerMinute);
    add("tokens", tokensPerMinute);
    return buckets;
  }

  #placesOf({ id, text }: Owner, { concurrent }: RateLimits): Places[] {
    if (concurrent === undefined) return [];
    const name = `concurrent:${id}`;
    return [{ name, slot: this.#counters.slotOf(name), limit: concurrent, owner: text }];
  }

  /** @throws {GatewayError} `too_many_tokens` when the input alone exceeds a limit. */
  #estimate(input: AdmissionInput, { buckets, budget }: AppliedLimits): Reservation {
    if (budget === undefined && !buckets.some(({ kind }) => kind === "tokens")) return NOTHING;
    const { model, prices } = input;
    const { input: inputTokens, maxOutput } = input.estimate();
    const usual = this.#usualOutput.get(model) ?? INITIAL_OUTPUT_TOKENS;
    const outputTokens = Math.ceil(Math.min(maxOutput ?? usual, usual));
    for (const { kind, limit, owner } of buckets) {
      if (kind === "requests" || inputTokens <= limit) continue;
      throw new GatewayError(
        "too_many_tokens",
        `The request has about ${inputTokens} tokens, but the limit of the ${owner} is ` +
          `${limit} tokens per minute`,
      );
    }
    const usage = {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    };
    return {
      inputTokens,
      tokens: usage.total_tokens,
      microUsd: microUsdOf({ usage, prices }) ?? 0,
    };
  }
}

function isUnlimited({ requestsPerMinute, tokensPerMinute, concurrent }: RateLimits): boolean {
  return requestsPerMinute === undefined && tokensPerMinute === undefined &&
    concurrent === undefined;
}

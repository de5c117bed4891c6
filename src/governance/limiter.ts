/**
 * Admits requests within their key's limits and budget, and within the model limits of each target
 * that they are sent to. It reserves estimated tokens and the request's maximum cost. Both are
 * settled when the request ends.
 */

import type { ServiceKey } from "../config/keys.ts";
import { type Budget, type LimitRules, limitsOf, type RateLimits } from "../config/limits.ts";
import { type BudgetState, periodNumber } from "../core/budget_period.ts";
import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import { LIMIT_KINDS } from "../core/limit_kinds.ts";
import { type Admission, budgetState, LocalAdmission } from "./admission.ts";
import {
  type AppliedLimits,
  type Bucket,
  type BudgetCounter,
  type ConcurrencyLimit,
  type Counters,
  NoCounterError,
  NOTHING_USED,
  ownersBudget,
  type Reservation,
  type Slot,
} from "./counters.ts";
import { EndUsers, type Owner, toOwner } from "./end_users.ts";
import { SpendingLimits } from "./spending_limit.ts";
import { priceUnknown } from "./refusals.ts";
import type { SharedLimits } from "./shared_limits/shared_limits.ts";
import {
  type AdmissionInput,
  isBilled,
  isCostKnown,
  type TargetInput,
  toReservation,
  UsualOutput,
} from "./reservation.ts";

/** Marks a key or a model without limits. */
const UNLIMITED = Symbol("unlimited");

export class Limiter {
  readonly #counters: Counters;
  readonly #clock: Clock;
  readonly #store: SharedLimits | undefined;
  /** The cost limits for hedges. */
  readonly spending: SpendingLimits;
  readonly endUsers: EndUsers;
  /** The models' typical output tokens. */
  readonly usualOutput = new UsualOutput();
  /** The rules from which the limits below were created. */
  #rules: LimitRules | undefined;
  /** The limits by key; a configuration reload replaces them. */
  #ofKeys = new WeakMap<ServiceKey, AppliedLimits | typeof UNLIMITED>();
  /** The limits by model ID. */
  readonly #ofModels = new Map<string, AppliedLimits | typeof UNLIMITED>();
  /** Releases the counters for limits that no key and no open request uses. */
  readonly #collected = new FinalizationRegistry<readonly string[]>((names) =>
    this.#release(names)
  );

  /** @param store the store for shared limits; undefined without one */
  constructor(counters: Counters, clock: Clock, store?: SharedLimits) {
    this.#counters = counters;
    this.#clock = clock;
    this.#store = store;
    this.spending = new SpendingLimits(counters, clock);
    this.endUsers = new EndUsers(clock);
  }

  /** Whether a key has neither limits nor a budget, so that admission can be skipped. */
  isUnlimited(key: ServiceKey, rules: LimitRules): boolean {
    return this.#limitsOfKey(key, rules) === UNLIMITED;
  }

  /**
   * Admits a request to its key's limits and budget, before anything is sent.
   *
   * @returns undefined if no limit applies; a promise only if replicas share the limits
   * @throws {GatewayError} `limit_exceeded`, `budget_exceeded`, `limits_unavailable`, or
   * `too_many_tokens` for a request that exceeds a limit by itself.
   */
  admit(input: AdmissionInput, rules: LimitRules): Admission | Promise<Admission> | undefined {
    const { key, targets, estimate, isFree } = input;
    const limits = this.#limitsOfKey(key, rules);
    if (limits === UNLIMITED) return undefined;
    const reserved = toReservation(limits, targets, estimate, this.usualOutput);
    return isFree ? this.#admitFree(limits, reserved) : this.#admit(limits, reserved);
  }

  /**
   * Admits a request whose answer is cached. It is not charged tokens or money.
   *
   * @throws {GatewayError} `limit_exceeded` or `limits_unavailable`.
   */
  admitAnswered(key: ServiceKey, rules: LimitRules): Admission | Promise<Admission> | undefined {
    const limits = this.#limitsOfKey(key, rules);
    if (limits === UNLIMITED) return undefined;
    const buckets = limits.buckets.filter(({ kind }) => !kind.unit.isEstimated);
    if (buckets.length + limits.concurrency.length === 0) return undefined;
    return this.#admit({ ...limits, buckets, budget: undefined, whole: limits }, NOTHING_USED);
  }

  /**
   * Reserves tokens and money for a second target that an admitted request calls in parallel. The
   * reservation is canceled when the request has been settled for both targets.
   *
   * @returns and throws as {@linkcode admit}
   */
  admitBeside(
    { key, targets, estimate }: AdmissionInput,
    rules: LimitRules,
  ): Admission | Promise<Admission> | undefined {
    const whole = this.#limitsOfKey(key, rules);
    if (whole === UNLIMITED) return undefined;
    const buckets = whole.buckets.filter(({ kind }) => kind.unit.isEstimated);
    if (buckets.length === 0 && whole.budget === undefined) return undefined;
    const limits = { ...whole, buckets, concurrency: [], whole };
    return this.#admit(limits, toReservation(limits, targets, estimate, this.usualOutput));
  }

  /**
   * Admits a request to the limits of a target's model, before it is sent to the target.
   *
   * @returns as {@linkcode admit}
   * @throws {GatewayError} `model_limit_exceeded`, `limits_unavailable`, `too_many_tokens`, or
   * `price_unknown` for a model without a price, if the key has a budget.
   */
  enter(
    { key, user, target, estimate }: TargetInput,
    rules: LimitRules,
  ): Admission | Promise<Admission> | undefined {
    for (const budget of [key.budget, user?.budget]) {
      if (budget !== undefined && !isCostKnown(budget, target) && isBilled(estimate())) {
        throw priceUnknown(target.model.id, key.name);
      }
    }
    if (rules.models.size === 0) return undefined;
    const limits = this.#limitsOfModel(target.model.id, rules);
    if (limits === UNLIMITED) return undefined;
    return this.#admit(limits, toReservation(limits, [target], estimate, this.usualOutput));
  }

  /**
   * The spent amount of a key's budget; undefined without a budget, and before its first request in
   * a period. With a shared store, other open requests' reservations count as spent.
   *
   * @param admission the admission of an open request, whose reservation is not counted
   */
  budgetOf(key: ServiceKey, admission: Admission | undefined): BudgetState | undefined {
    const limits = this.#ofKeys.get(key);
    if (limits === undefined || limits === UNLIMITED || !this.#isCurrent(limits)) return undefined;
    const held = admission?.heldElsewhere ?? 0;
    return limits.budget && budgetState(limits.budget, this.#counters, held, this.#wallTime());
  }

  #admit(limits: AppliedLimits, reserved: Reservation): Admission | Promise<Admission> {
    return this.#store?.admit(limits, reserved) ??
      new LocalAdmission(this.#counters, this.#clock, limits, reserved);
  }

  /**
   * Free requests are admitted even if the budget is exhausted, such as those that fetch a result
   * that was already paid for.
   */
  async #admitFree(limits: AppliedLimits, reserved: Reservation): Promise<Admission> {
    try {
      return await this.#admit(limits, reserved);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.kind !== "budget_exceeded") throw thrown;
      return await this.#admit({ ...limits, budget: undefined, whole: limits }, reserved);
    }
  }

  #limitsOfKey(key: ServiceKey, rules: LimitRules): AppliedLimits | typeof UNLIMITED {
    if (rules !== this.#rules) this.#use(rules);
    const known = this.#ofKeys.get(key);
    if (known === UNLIMITED) return known;
    if (known !== undefined && this.#isCurrent(known)) return known;
    const { endUser } = key;
    const own = endUser === undefined ? limitsOf(key.limits, rules) : key.limits ?? {};
    const limits = this.#toLimits(toOwner(key), own, key.budget);
    this.#ofKeys.set(key, limits);
    return limits;
  }

  #limitsOfModel(model: string, rules: LimitRules): AppliedLimits | typeof UNLIMITED {
    if (rules !== this.#rules) this.#use(rules);
    let limits = this.#ofModels.get(model);
    if (limits === undefined) {
      const owner: Owner = { id: `model:${model}`, text: `model '${model}'`, isModel: true };
      limits = this.#toLimits(owner, rules.models.get(model) ?? {});
      this.#ofModels.set(model, limits);
    }
    return limits;
  }

  /** Removes a replaced configuration's limits. */
  #use(rules: LimitRules): void {
    this.#rules = rules;
    this.#ofKeys = new WeakMap();
    this.#ofModels.clear();
  }

  /** Whether the budget's period is still the same. */
  #isCurrent({ budget }: AppliedLimits): boolean {
    return budget === undefined || budget.period === periodNumber(budget.per, this.#wallTime());
  }

  #wallTime(): number {
    return (this.#store ?? this.#clock).wallTime();
  }

  #toLimits(
    owner: Owner,
    limits: RateLimits,
    ownBudget?: Budget,
  ): AppliedLimits | typeof UNLIMITED {
    const names: string[] = [];
    try {
      const buckets = this.#bucketsOf(owner, limits, names);
      const concurrency = this.#concurrencyOf(owner, limits, names);
      const budget = ownBudget && this.#budgetOf(owner, ownBudget, names);
      if (names.length === 0) return UNLIMITED;
      const applied = { id: owner.id, buckets, concurrency, budget };
      this.#collected.register(applied, names);
      return applied;
    } catch (thrown) {
      this.#release(names);
      if (!(thrown instanceof NoCounterError)) throw thrown;
      throw new GatewayError(
        "overloaded",
        `The gateway has no free counter for the limits of the ${owner.text} now`,
        { headers: { "retry-after": "60" } },
      );
    }
  }

  #release(names: readonly string[]): void {
    for (const name of names) this.#counters.release(name);
  }

  /** @param names receives the counter's name, which must be released once */
  #slotOf(name: string, names: string[]): Slot {
    const slot = this.#counters.slotOf(name);
    names.push(name);
    return slot;
  }

  #budgetOf({ id, text }: Owner, budget: Budget, names: string[]): BudgetCounter {
    const name = ownersBudget(budget.per, id);
    const slot = this.#slotOf(name, names);
    const period = periodNumber(budget.per, this.#wallTime());
    return { ...budget, name, slot, period, owner: text };
  }

  #bucketsOf(owner: Owner, limits: RateLimits, names: string[]): Bucket[] {
    const buckets: Bucket[] = [];
    for (const kind of LIMIT_KINDS) {
      const limit = limits[kind.name];
      if (limit === undefined) continue;
      const name = `${kind.counter}:${owner.id}`;
      buckets.push({
        name,
        slot: this.#slotOf(name, names),
        kind,
        limit,
        limitText: String(limit),
        rate: { perUnit: kind.windowUs / limit, burst: kind.windowUs },
        owner: owner.text,
        isOfModel: owner.isModel,
      });
    }
    return buckets;
  }

  #concurrencyOf(
    { id, text, isModel }: Owner,
    { concurrent }: RateLimits,
    names: string[],
  ): ConcurrencyLimit[] {
    if (concurrent === undefined) return [];
    const name = `concurrent:${id}`;
    return [{
      name,
      slot: this.#slotOf(name, names),
      limit: concurrent,
      owner: text,
      isOfModel: isModel,
    }];
  }
}

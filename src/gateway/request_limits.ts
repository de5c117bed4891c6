/**
 * The limits and budgets that apply to one request: those of its key, and those of the models to
 * which it is sent.
 */

import type { ServiceKey } from "../config/keys.ts";
import type { LimitRules } from "../config/limits.ts";
import type { FallbackTarget, Target } from "../config/config.ts";
import type { Usage } from "../contract/chat.ts";
import { type ErrorKind, GatewayError } from "../core/errors.ts";
import { UNITS, type Units } from "../core/units.ts";
import { type Admission, admitOwners } from "../governance/admission.ts";
import { microUsdOf } from "../governance/cost.ts";
import type { RequestLimitsBeside, Reserved } from "./feature_attempts.ts";
import type { SpendingLimit } from "../governance/spending_limit.ts";
import type { Limiter } from "../governance/limiter.ts";
import type { LimitedTarget } from "../governance/reservation.ts";
import type { TokenEstimate } from "../core/units.ts";
import { tokensOfChars } from "../apis/chat/token_estimate.ts";
import type { TokenFamily } from "../core/tokens/token_counter.ts";
import { tokenFamilyOf } from "../apis/token_families.ts";
import type { AttemptTarget } from "./attempt_state.ts";
import type { Forecast } from "./attempt_usage.ts";
import type { Operation } from "./operation.ts";
import type { RequestRecord } from "./request_record.ts";
import { NOTHING_USED } from "../governance/counters.ts";

export class RequestLimits implements Forecast, RequestLimitsBeside {
  readonly #operation: Operation;
  readonly #record: RequestRecord;
  readonly #rules: LimitRules;
  readonly #limiter: Limiter;
  #estimates: Map<TokenFamily, TokenEstimate> | undefined;

  /** Whether the request has been admitted to its key's limits. */
  isAdmitted = false;

  constructor(
    operation: Operation,
    record: RequestRecord,
    rules: LimitRules,
    limiter: Limiter,
  ) {
    this.#operation = operation;
    this.#record = record;
    this.#rules = rules;
    this.#limiter = limiter;
    record.forecast = this;
  }

  input(target: AttemptTarget): number {
    return this.estimateFor(target).input;
  }

  output(target: AttemptTarget): number {
    return this.#limiter.usualOutput.of(target, this.estimateFor(target));
  }

  units(target: AttemptTarget): Units | undefined {
    return this.estimateFor(target).units;
  }

  /**
   * Admits the request to the limits and the budget of its key, synchronously unless they are
   * shared.
   *
   * @throws {GatewayError} the errors of {@linkcode Limiter.admit}.
   */
  admit(chain: readonly FallbackTarget[]): Promise<void> | undefined {
    const key = this.#record.serviceKey;
    this.isAdmitted = key === undefined;
    if (key === undefined) return undefined;
    const user = key.endUsers && this.#userOf(key);
    if (user === undefined && this.#limiter.isUnlimited(key, this.#rules)) {
      this.isAdmitted = true;
      return undefined;
    }
    const isFree = this.#operation.callsNoModel ?? false;
    const targets = chain.map(({ target }) => target);
    const input = { targets, estimate: () => this.estimateFor(targets[0]), isFree };
    const admission = admitOwners(
      key,
      user,
      (owner) => this.#limiter.admit({ ...input, key: owner }, this.#rules),
    );
    if (admission instanceof Promise) return admission.then((late) => this.#reserve(late));
    this.#reserve(admission);
    return undefined;
  }

  #reserve(admission: Admission | undefined): void {
    this.#record.reserve(admission);
    this.isAdmitted = true;
  }

  /**
   * Admits the request to request limits only, since no target is used.
   *
   * @throws {GatewayError} the errors of {@linkcode Limiter.admitAnswered}.
   */
  async admitAnswered(): Promise<void> {
    const key = this.#record.serviceKey;
    if (key === undefined) return;
    const admission = admitOwners(
      key,
      this.#userOf(key),
      (owner) => this.#limiter.admitAnswered(owner, this.#rules),
    );
    this.#record.reserve(admission instanceof Promise ? await admission : admission);
  }

  /**
   * Admits the request to the next target's limits.
   *
   * @throws {GatewayError} the errors of {@linkcode Limiter.enter}.
   */
  enter(target: Target): Admission | undefined | Promise<Admission | undefined> {
    const key = this.#record.serviceKey;
    if (key === undefined || this.#operation.callsNoModel) return undefined;
    const user = key.endUsers && this.#userOf(key);
    const isBudgeted = key.budget !== undefined || user?.budget !== undefined;
    if (!isBudgeted && this.#rules.models.size === 0) return undefined;
    const estimate = () => this.estimateFor(target);
    const input = { key, user, target, estimate };
    const admission = this.#limiter.enter(input, this.#rules);
    return admission instanceof Promise ? admission.then((late) => this.#entered(late)) : admission;
  }

  /**
   * Reserves a target that is called in parallel with another one.
   *
   * @returns undefined if a limit does not allow it
   */
  async enterBeside(target: Target): Promise<Reserved | undefined> {
    const key = this.#record.serviceKey;
    if (key === undefined) return {};
    const input = { targets: [target], estimate: () => this.estimateFor(target) };
    let beside: Admission | undefined;
    try {
      beside = await admitOwners(
        key,
        this.#userOf(key),
        (owner) => this.#limiter.admitBeside({ ...input, key: owner }, this.#rules),
      );
      return { beside, admission: await this.enter(target) };
    } catch (thrown) {
      beside?.cancel();
      if (thrown instanceof GatewayError) return undefined;
      throw thrown;
    }
  }

  /**
   * The typical cost at a target, in millionths of a US dollar; undefined if prices are unknown.
   */
  expectedMicroUsd(target: Target): number | undefined {
    const estimate = this.estimateFor(target);
    const output = this.#limiter.usualOutput.of(target, estimate);
    const usage = {
      prompt_tokens: estimate.input,
      completion_tokens: output,
      total_tokens: estimate.input + output,
      [UNITS]: estimate.units,
    };
    return microUsdOf({ usage, prices: target.model.facts.prices });
  }

  spendingOf(rule: object, name: string, usd: number): SpendingLimit {
    return this.#limiter.spending.of(rule, name, usd);
  }

  /** The request's end user, as the owner of limits. */
  #userOf(key: ServiceKey): ServiceKey | undefined {
    return this.#limiter.endUsers.of(key, this.#record.columns.endUser);
  }

  /** If the client has disconnected, the target is settled at zero. */
  #entered(admission: Admission | undefined): Admission | undefined {
    if (this.#record.ended) admission?.settle(NOTHING_USED);
    return admission;
  }

  /**
   * Called when the request has failed. A request that was refused only by model limits is not
   * charged to its key.
   */
  failed({ kind }: GatewayError): void {
    if (!REFUSALS.has(kind) || this.#record.attempts > 0) return;
    this.#record.admission?.cancel();
    this.isAdmitted = false;
  }

  /** Called when a target has answered, since later requests are expected to have similar usage. */
  answered(target: LimitedTarget, usage: Usage | undefined): void {
    if (this.#operation.callsNoModel) return;
    const tokens = usage?.completion_tokens ?? 0;
    if (tokens > 0) {
      this.#limiter.usualOutput.learn(target, tokens / (this.#operation.chat?.n ?? 1));
    }
  }

  /** The estimated usage at a target. */
  estimateFor(target: Pick<AttemptTarget, "model"> | undefined): TokenEstimate {
    const family = tokenFamilyOf(target?.model.base ?? "");
    const estimates = this.#estimates ??= new Map();
    let estimate = estimates.get(family);
    if (estimate === undefined) {
      estimate = estimateOf(this.#operation, family, this.#record.bodyBytes);
      estimates.set(family, estimate);
    }
    return estimate;
  }
}

/** The errors of model and target limits. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set([
  "model_limit_exceeded",
  "price_unknown",
  "too_many_tokens",
]);

/**
 * An operation's estimated usage for a model family, derived from its size in bytes if it has no
 * estimate.
 */
export function estimateOf(
  operation: Operation,
  family: TokenFamily,
  bytes: number,
): TokenEstimate {
  return operation.estimate?.(family) ?? { input: tokensOfChars(bytes), maxOutput: undefined };
}

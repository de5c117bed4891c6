/** A request's reservation before it is sent: an estimate of its tokens, and its maximum cost. */

import type { ServiceKey } from "../config/keys.ts";
import type { Budget } from "../config/limits.ts";
import type { Target } from "../config/providers.ts";
import { GatewayError } from "../core/errors.ts";
import { hasUnits, type TokenEstimate, UNITS } from "../core/units.ts";
import { MICRO_USD, microUsdOf } from "./cost.ts";
import { type AppliedLimits, NOTHING_USED, type Reservation } from "./counters.ts";

/** The parts of a target that limits and budgets depend on. */
export interface LimitedTarget extends Pick<Target, "params"> {
  readonly model: Pick<Target["model"], "id" | "facts">;
}

/** The known facts about a request before it is sent. */
export interface AdmissionInput {
  readonly key: ServiceKey;
  /** The targets that may answer, in order. */
  readonly targets: readonly LimitedTarget[];
  /** Estimates the tokens. Called only if a limit needs them. */
  readonly estimate: () => TokenEstimate;
  /** Whether the request is not sent to a model and needs no budget. */
  readonly isFree?: boolean;
}

/** A request that is about to be sent to a target. */
export interface TargetInput extends Pick<AdmissionInput, "key" | "estimate"> {
  /** The key's end user, as the owner of limits. */
  readonly user: ServiceKey | undefined;
  readonly target: LimitedTarget;
}

/** The expected output tokens for a model that has not answered yet. */
const INITIAL_OUTPUT_TOKENS = 500;
/** The weight of a new answer in the moving average of output tokens. */
const NEW_ANSWER_WEIGHT = 0.1;
/** The assumed maximum output of an unknown model: that of the largest common models. */
const MAX_OUTPUT_TOKENS = 128_000;

/** The models' typical output tokens. A new configuration resets them. */
export class UsualOutput {
  /** The moving averages. */
  readonly #averages = new WeakMap<LimitedTarget["model"], number>();

  /** Records an answer's output tokens. */
  learn({ model }: LimitedTarget, tokens: number): void {
    const typical = this.#averages.get(model) ?? tokens;
    this.#averages.set(model, typical + NEW_ANSWER_WEIGHT * (tokens - typical));
  }

  /** A target's expected output tokens for a request. */
  of(target: LimitedTarget, { maxOutput, choices = 1 }: TokenEstimate): number {
    const typical = this.#averages.get(target.model) ?? INITIAL_OUTPUT_TOKENS;
    return Math.ceil(choices * Math.min(maxOutput ?? typical, typical));
  }
}

/** A target's maximum number of output tokens for a request. */
export function maxOutputOf(
  { model: { facts }, params }: LimitedTarget,
  { maxOutput, choices = 1 }: TokenEstimate,
): number {
  const byDefault = [params?.max_completion_tokens, params?.max_tokens]
    .find((limit) => typeof limit === "number");
  const most = facts.max_output_tokens ?? facts.context_window ?? MAX_OUTPUT_TOKENS;
  const limit = maxOutput ?? byDefault ?? most;
  return choices * (facts.max_output_tokens === undefined ? limit : Math.min(limit, most));
}

/**
 * A request's maximum cost at any of its targets, in millionths of a US dollar: with the output
 * that the caller allows, or the model's maximum output. Targets without a price are counted as
 * free.
 */
function maxCostOf(targets: readonly LimitedTarget[], estimate: TokenEstimate): number {
  return targets.reduce((most, target) => {
    const output = maxOutputOf(target, estimate);
    const usage = {
      prompt_tokens: estimate.input,
      completion_tokens: output,
      total_tokens: estimate.input + output,
      [UNITS]: estimate.units,
    };
    return Math.max(most, microUsdOf({ usage, prices: target.model.facts.prices }) ?? 0);
  }, 0);
}

/**
 * Whether a budget may be used for a target: its prices are known, or the budget allows unknown
 * prices.
 */
export function isCostKnown(
  { unknown_prices }: Budget,
  { model }: LimitedTarget,
): boolean {
  return unknown_prices === "allow" || model.facts.prices !== undefined;
}

/** Whether a vendor bills tokens or other units for a request. */
export function isBilled({ input, maxOutput, units }: TokenEstimate): boolean {
  return input > 0 || maxOutput !== 0 || hasUnits(units);
}

/**
 * Returns a request's reservation for some limits.
 *
 * @throws {GatewayError} `too_many_tokens` when the input alone exceeds a limit.
 */
export function toReservation(
  { buckets, budget }: AppliedLimits,
  targets: readonly LimitedTarget[],
  estimate: () => TokenEstimate,
  usualOutput: UsualOutput,
): Reservation {
  if (budget === undefined && !buckets.some(({ kind }) => kind.unit.isEstimated)) {
    return NOTHING_USED;
  }
  const estimated = estimate();
  const { input, units } = estimated;
  for (const { kind, limit, owner } of buckets) {
    const { isEstimated, name } = kind.unit;
    const least = isEstimated ? kind.unit.of({ tokens: input, units }, 1) : 0;
    if (least <= limit) continue;
    throw new GatewayError(
      "too_many_tokens",
      `The request has about ${Math.ceil(least)} ${name}, but the limit of the ${owner} is ` +
        `${limit} ${name} per ${kind.window}`,
    );
  }
  const [first] = targets;
  const output = first === undefined ? 0 : usualOutput.of(first, estimated);
  // A request that may cost more than the whole budget reserves the whole budget.
  const most = budget === undefined
    ? 0
    : Math.min(maxCostOf(targets, estimated), budget.usd * MICRO_USD);
  return { tokens: input + output, units, microUsd: most };
}

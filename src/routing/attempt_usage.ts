/** The usage and the cost of attempts: the vendor's counts, else estimates. */

import type { Usage } from "../chat/chat.ts";
import { addUsage } from "../chat/usage_sum.ts";
import { type Amount, NOTHING_USED } from "../governance/admission.ts";
import { type Billed, microUsdOf } from "../governance/cost.ts";
import type { UsageSource } from "../governance/ledger/usage_source.ts";
import { tokensOfChars } from "../chat/token_estimate.ts";
import { addUnits, hasUnits, UNITS, type Units } from "../core/units.ts";
import type { AttemptState, AttemptTarget } from "./attempt_state.ts";
import { isPossible, type Settlement } from "./settlement.ts";

/** Usage, and where it comes from. */
export interface Used {
  readonly usage: Usage | undefined;
  readonly source: UsageSource;
  /** For an answer that an earlier request was charged for: all of its usage, and that charge. */
  readonly settled?: Settlement["settled"];
}

/** Estimates of what a request uses, for an attempt without the vendor's own counts. */
export interface Forecast {
  /** The input tokens, as the target's model counts. */
  readonly input: (target: AttemptTarget) => number;
  /** The tokens that a target usually writes for such a request. */
  readonly output: (target: AttemptTarget) => number;
  /** What it uses besides tokens; nothing if omitted. */
  readonly units?: ((target: AttemptTarget) => Units | undefined) | undefined;
}

/** The inputs of estimates. */
export interface EstimateInput {
  /** Undefined for a request that is not sent to a model. */
  readonly forecast: Forecast | undefined;
  /** Bytes of the caller's body. */
  readonly bodyBytes: number;
}

/** Tokens that a model writes in a second, for the estimate of an answer that was cut. */
const TOKENS_PER_SECOND = 100;

/** The usage of requests that were refused or not sent. */
export const NOT_USED: Used = { usage: undefined, source: "none" };

/**
 * The vendor's usage, or an estimate for an answer without one, for the part of a stream that was
 * received before it was cut, and for a request that was cut after it had been sent.
 */
export function usedBy(attempt: AttemptState, input: EstimateInput): Used {
  if (attempt.used !== undefined) return attempt.used;
  const { cutMs, firstTokenAt, hasAnswered, outputChars, usage } = attempt;
  if (attempt.isAboutAnswer) return attempt.settlement ?? NOT_USED;
  if (attempt.isPending) return toUnfinished(attempt, input);
  // An impossible count would lock the budget of the key.
  if (usage !== undefined && isPossible(usage)) {
    if (!attempt.isPartial) return { usage, source: "vendor" };
    return { usage: toPartial(usage, attempt, input), source: "estimated" };
  }
  const hasAnswer = hasAnswered || firstTokenAt !== undefined;
  if (!hasAnswer && cutMs === undefined) return NOT_USED;
  const received = tokensOfChars(outputChars);
  const output = hasAnswer || cutMs === undefined || input.forecast === undefined
    ? received
    : Math.max(received, outputWithin(cutMs, input.forecast.output(attempt.target)));
  const prompt = estimateInput(attempt, input);
  const units = input.forecast?.units?.(attempt.target);
  return prompt === 0 && !hasUnits(units) ? NOT_USED : toEstimate(prompt, output, units);
}

/** The tokens that a model can write in a time, at most its usual output. */
function outputWithin(ms: number, usual: number): number {
  return Math.min(usual, Math.ceil(ms / 1000 * TOKENS_PER_SECOND));
}

/**
 * An answer that the vendor continues after the request: the model's usual output, or what was
 * received.
 */
function toUnfinished(attempt: AttemptState, input: EstimateInput): Used {
  const usual = input.forecast?.output(attempt.target) ?? 0;
  const received = attempt.firstTokenAt === undefined ? 0 : tokensOfChars(attempt.outputChars);
  return toEstimate(estimateInput(attempt, input), Math.max(usual, received));
}

function toEstimate(input: number, output: number, units?: Units): Used {
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  };
  return {
    usage: units === undefined ? usage : { ...usage, [UNITS]: units },
    source: "estimated",
  };
}

/** The counts so far of a stream that was cut, with at least the output that was received. */
function toPartial(usage: Usage, attempt: AttemptState, input: EstimateInput): Usage {
  const prompt = usage.prompt_tokens || estimateInput(attempt, input);
  const output = Math.max(usage.completion_tokens, tokensOfChars(attempt.outputChars));
  return {
    ...usage,
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
  };
}

function estimateInput(
  { target }: AttemptState,
  { bodyBytes, forecast }: EstimateInput,
): number {
  return forecast === undefined ? tokensOfChars(bodyBytes) : forecast.input(target);
}

/** The inputs of the cost of an attempt. */
export function toBilled({ facts, serviceTier: tier }: AttemptState, usage: Usage): Billed {
  return { usage, prices: facts.prices, tier };
}

/** The cost of an attempt in millionths of a US dollar; undefined if the prices are unknown. */
export function microUsdOfAttempt(attempt: AttemptState, used: Used): number | undefined {
  const { usage, settled } = used;
  if (usage === undefined) return 0;
  const cost = microUsdOf(toBilled(attempt, settled?.usage ?? usage));
  return cost === undefined ? undefined : cost - (settled?.chargedMicroUsd ?? 0);
}

/** The usage of attempts that limits count. Tokens with an unknown price cost nothing. */
export function amountOf(attempts: Iterable<AttemptState>, input: EstimateInput): Amount {
  let tokens = 0;
  let microUsd = 0;
  let units: Units | undefined;
  for (const attempt of attempts) {
    const used = usedBy(attempt, input);
    if (used.usage === undefined) continue;
    tokens += used.usage.prompt_tokens + used.usage.completion_tokens;
    microUsd += microUsdOfAttempt(attempt, used) ?? 0;
    units = addUnits(units, used.usage[UNITS]);
  }
  if (units !== undefined) return { tokens, units, microUsd };
  return tokens === 0 && microUsd === 0 ? NOTHING_USED : { tokens, microUsd };
}

/** The usage of several attempts together: an estimate if any of them is. */
export function sumOf(attempts: Iterable<AttemptState>, input: EstimateInput): Used {
  let sum: Used | undefined;
  for (const attempt of attempts) {
    const used = usedBy(attempt, input);
    if (used.usage === undefined) continue;
    sum = sum === undefined ? used : addUsed(sum, used);
  }
  return sum ?? NOT_USED;
}

/** What both have used: an estimate if one of them is. */
export function addUsed(sum: Used, { usage, source }: Used): Used {
  const isEstimated = sum.source === "estimated" || source === "estimated";
  return {
    usage: addUsage(sum.usage, usage),
    source: isEstimated ? "estimated" : "vendor",
  };
}

/**
 * The usage and cost of attempts, from the vendor's counts or estimates. For a background answer,
 * the difference is billed to a later request.
 */

import type { Usage } from "../contract/chat.ts";
import { addUsage, NO_TOKENS, readCounts } from "../apis/chat/token_counts.ts";
import { type Billed, costAt, pricesOf, toUsd } from "../governance/cost.ts";
import type { UsageSource } from "../governance/ledger/attempt_row.ts";
import { tokensOfChars } from "../apis/chat/token_estimate.ts";
import { addUnits, hasUnits, UNITS, type Units } from "../core/units.ts";
import type { AttemptState, AttemptTarget, Settlement, Used } from "./attempt_state.ts";
import { type Amount, NOTHING_USED } from "../governance/counters.ts";

/** Estimates of a request's usage, for an attempt without the vendor's counts. */
export interface Forecast {
  /** The input tokens, as counted by the target's model. */
  input(target: AttemptTarget): number;
  /** The target's typical number of output tokens for such a request. */
  output(target: AttemptTarget): number;
  /** Units other than tokens; none if omitted. */
  units?(target: AttemptTarget): Units | undefined;
}

/** The inputs for estimates. */
export interface EstimateInput {
  /** Undefined for a request that is not sent to a model. */
  readonly forecast: Forecast | undefined;
  /** The size of the caller's body in bytes. */
  readonly bodyBytes: number;
}

/** A model's output tokens per second, for estimating an interrupted answer. */
const TOKENS_PER_SECOND = 100;

/** The usage of requests that were rejected or not sent. */
export const NOT_USED: Used = {
  usage: undefined,
  source: "none",
  counts: NO_TOKENS,
  prices: undefined,
  microUsd: 0,
  usd: 0,
};

/**
 * The vendor's usage; or an estimate for an answer without usage, for the received part of an
 * interrupted stream, or for a request that was aborted after it was sent.
 */
export function usedBy(attempt: AttemptState, input: EstimateInput): Used {
  if (attempt.used !== undefined) return attempt.used;
  const { cutMs, firstTokenAt, hasAnswered, outputChars, usage } = attempt;
  if (attempt.isAboutAnswer) {
    return attempt.settlement === undefined ? NOT_USED : toSettled(attempt, attempt.settlement);
  }
  if (attempt.isPending) return toUnfinished(attempt, input);
  // An impossible count would exhaust the key's budget.
  if (usage !== undefined && isPossible(usage)) {
    return attempt.isPartial
      ? toUsed(attempt, "estimated", toPartial(usage, attempt, input))
      : toUsed(attempt, "vendor", usage, attempt.counts);
  }
  const hasAnswer = hasAnswered || firstTokenAt !== undefined;
  if (!hasAnswer && cutMs === undefined) return NOT_USED;
  const received = tokensOfChars(outputChars);
  const output = hasAnswer || cutMs === undefined || input.forecast === undefined
    ? received
    : Math.max(received, outputWithin(cutMs, input.forecast.output(attempt.target)));
  const prompt = estimateInput(attempt, input);
  const units = input.forecast?.units?.(attempt.target);
  return prompt === 0 && !hasUnits(units) ? NOT_USED : toEstimate(attempt, prompt, output, units);
}

function toUsed(
  attempt: AttemptState,
  source: UsageSource,
  usage: Usage,
  counts = readCounts(usage),
): Used {
  const { facts, serviceTier: tier } = attempt;
  const prices = pricesOf({ usage, prices: facts.prices, tier });
  const microUsd = prices && costAt(prices, counts, usage[UNITS]);
  return { usage, source, counts, prices, microUsd, usd: toUsd(microUsd) };
}

/**
 * For an answer that was charged to an earlier request, returns the difference from that charge.
 */
function toSettled(attempt: AttemptState, { usage, source, settled }: Settlement): Used {
  const { microUsd: whole, prices } = toUsed(attempt, source, settled.usage);
  const microUsd = whole === undefined ? undefined : whole - settled.chargedMicroUsd;
  return { usage, source, counts: readCounts(usage), prices, microUsd, usd: toUsd(microUsd) };
}

/** The tokens that a model can generate in a given time, at most its typical output. */
function outputWithin(ms: number, typical: number): number {
  return Math.min(typical, Math.ceil(ms / 1000 * TOKENS_PER_SECOND));
}

/**
 * For an answer that the vendor continues after the request, returns the larger of the model's
 * typical output and the received output.
 */
function toUnfinished(attempt: AttemptState, input: EstimateInput): Used {
  const typical = input.forecast?.output(attempt.target) ?? 0;
  const received = attempt.firstTokenAt === undefined ? 0 : tokensOfChars(attempt.outputChars);
  return toEstimate(attempt, estimateInput(attempt, input), Math.max(typical, received));
}

function toEstimate(
  attempt: AttemptState,
  input: number,
  output: number,
  units?: Units,
): Used {
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  };
  const used = units === undefined ? usage : { ...usage, [UNITS]: units };
  return toUsed(attempt, "estimated", used);
}

/** An interrupted stream's counts so far, with at least the received output. */
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

/** The inputs for calculating an attempt's cost. */
export function toBilled({ facts, serviceTier: tier }: AttemptState, usage: Usage): Billed {
  return { usage, prices: facts.prices, tier };
}

/** The usage of attempts that counts toward limits. Tokens with an unknown price cost nothing. */
export function amountOf(attempts: Iterable<AttemptState>, input: EstimateInput): Amount {
  let tokens = 0;
  let microUsd = 0;
  let units: Units | undefined;
  for (const attempt of attempts) {
    const used = usedBy(attempt, input);
    tokens += used.counts.input + used.counts.output;
    microUsd += used.microUsd ?? 0;
    units = addUnits(units, used.usage?.[UNITS]);
  }
  if (units !== undefined) return { tokens, units, microUsd };
  return tokens === 0 && microUsd === 0 ? NOTHING_USED : { tokens, microUsd };
}

/** The combined usage, which is an estimate if either part is one. */
export function addUsed(sum: Used, used: Used): Used {
  if (sum.usage === undefined || used.usage === undefined) {
    return sum.usage === undefined ? used : sum;
  }
  const usage = addUsage(sum.usage, used.usage) as Usage;
  const isEstimated = sum.source === "estimated" || used.source === "estimated";
  const isPriced = sum.microUsd !== undefined && used.microUsd !== undefined;
  const microUsd = isPriced ? sum.microUsd + used.microUsd : undefined;
  return {
    ...{ usage, source: isEstimated ? "estimated" : "vendor", counts: readCounts(usage) },
    ...{ prices: undefined, microUsd, usd: toUsd(microUsd) },
  };
}

/** The charge for an answer before it was finished. */
export interface Charge {
  readonly input: number;
  readonly output: number;
  /** Undefined if the prices were unknown. */
  readonly microUsd: number | undefined;
}

/** Settles an answer with its final usage. */
export function toSettlement(usage: Usage, { input, output, microUsd = 0 }: Charge): Settlement {
  const prompt = usage.prompt_tokens - input;
  const completion = usage.completion_tokens - output;
  return {
    usage: {
      ...usage,
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    },
    source: "vendor",
    settled: { usage, chargedMicroUsd: microUsd },
  };
}

/** More tokens than any model supports; the largest contexts have about ten million. */
const MAX_TOKENS = 2 ** 27;

/** Whether all of a vendor's counts are plausible. Members that are not numbers are ignored. */
export function isPossible(usage: Usage): boolean {
  const { prompt_tokens: input, completion_tokens: output } = usage;
  if (!(Math.abs(input) <= MAX_TOKENS && Math.abs(output) <= MAX_TOKENS)) return false;
  const parts = [usage.prompt_tokens_details, usage.completion_tokens_details, usage[UNITS]];
  for (let index = 0; index < parts.length; index++) {
    const counts = parts[index] as Readonly<Record<string, unknown>> | undefined;
    for (const name in counts) {
      const count = counts[name];
      if (typeof count === "number" && !(Math.abs(count) <= MAX_TOKENS)) return false;
    }
  }
  return true;
}

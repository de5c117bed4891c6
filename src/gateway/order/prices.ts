/** Prices of targets, for price caps and for ordering by price. */

import type { Target } from "../../config/config.ts";
import type { MaxPrice } from "../../config/routing_schema.ts";
import { microUsdOf } from "../../governance/cost.ts";
import type { TypicalUsage } from "../timed_figures.ts";

/** Whether a target's prices are known and within a cap. */
export function isWithin(target: Target, { input, output }: MaxPrice): boolean {
  const { prices } = target.model.facts;
  return prices !== undefined && prices.input <= (input ?? Infinity) &&
    prices.output <= (output ?? Infinity);
}

/** The lower of two caps for each price. */
export function lowerCap(one: MaxPrice | undefined, other: MaxPrice | undefined) {
  if (one === undefined || other === undefined) return one ?? other;
  return { input: lower(one.input, other.input), output: lower(one.output, other.output) };
}

function lower(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? one ?? other : Math.min(one, other);
}

/**
 * The cost of a request with such usage in millionths of a US dollar, at the prices for its length;
 * undefined if they are unknown.
 */
export function costOf(
  target: Pick<Target, "model">,
  { input, cached, written, writtenHour, output }: TypicalUsage,
): number | undefined {
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cached,
      cache_write_tokens: written,
      cache_write_1h_tokens: writtenHour,
    },
  };
  return microUsdOf({ usage, prices: target.model.facts.prices });
}

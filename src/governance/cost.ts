/** The cost of a request from its usage and the prices of its model. */

import type { Usage } from "../chat/chat.ts";
import type { ModelFacts } from "../providers/contract/adapter.ts";

/** Costs are counted in millionths of a US dollar. */
export const MICRO_USD = 1_000_000;

/**
 * The cost in millionths of a US dollar; undefined if the prices are unknown. Cached input is
 * counted at its own price, and at the full price if that is unknown.
 */
export function microUsdOf(usage: Usage, prices: ModelFacts["prices"]): number | undefined {
  if (prices === undefined) return undefined;
  const cached = Number(usage.prompt_tokens_details?.cached_tokens ?? 0) || 0;
  const fresh = Math.max(0, usage.prompt_tokens - cached);
  // Prices are US dollars per million tokens, which is millionths of a dollar per token.
  return fresh * prices.input + cached * (prices.cached_input ?? prices.input) +
    usage.completion_tokens * prices.output;
}

/** The cost in US dollars, rounded to a billionth. */
export function usdOf(usage: Usage, prices: ModelFacts["prices"]): number | undefined {
  const micros = microUsdOf(usage, prices);
  return micros === undefined ? undefined : Math.round(micros * 1000) / 1e9;
}

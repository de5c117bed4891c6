/** What the gateway saved and what that cost, from an entry of the report of usage. */

import { costOf } from "../usage/figures.js";

/** The entry of no request. */
export const NOTHING = Object.fromEntries(
  [
    ...["requests", "input_tokens", "cached_input_tokens", "cache_write_tokens", "cost_usd"],
    ...["unpriced_requests", "saved_usd", "cache_write_usd", "unpriced_cached_requests"],
    ...["response_cache_hits", "response_cache_misses", "response_cache_saved_usd"],
    ...["unpriced_response_cache_hits", "queued_requests", "queued_ms", "hedged_requests"],
    ...["hedge_usd", "unpriced_hedges", "price_ordered_requests", "price_order_saved_usd"],
    ...["unpriced_price_orders", "affinity_hits", "affinity_moves", "affinity_starts"],
    ...["affinity_input_tokens", "affinity_cached_input_tokens", "affinity_saved_usd"],
  ].map((name) => [name, 0]),
);

/**
 * The amounts of an entry in US dollars. What a hedge costs is positive here, and subtracted in
 * `net`. Unknown amounts are not in them: `unknown` is the number of requests that have one.
 */
export function savingsOf(entry) {
  const { saved_usd, cache_write_usd, response_cache_saved_usd, hedge_usd } = entry;
  const { price_order_saved_usd: order } = entry;
  const prompt = saved_usd - response_cache_saved_usd;
  return {
    prompt,
    reads: prompt + cache_write_usd,
    writes: cache_write_usd,
    response: response_cache_saved_usd,
    order,
    hedges: hedge_usd,
    net: saved_usd + order - hedge_usd,
    unknown: entry.unpriced_cached_requests + entry.unpriced_response_cache_hits +
      entry.unpriced_hedges + entry.unpriced_price_orders,
  };
}

/**
 * The share of what all requests would have cost; null if the price of some is unknown, or if they
 * cost nothing.
 */
export function savedShare(entry) {
  const cost = costOf(entry);
  const { net, unknown } = savingsOf(entry);
  if (cost === null || unknown > 0 || entry.unpriced_requests > 0) return null;
  return cost + net > 0 ? net / (cost + net) : null;
}

/** Input and cached input of the requests whose session did not stay with its target. */
export function otherInput(entry) {
  return {
    input: entry.input_tokens - entry.affinity_input_tokens,
    cached: entry.cached_input_tokens - entry.affinity_cached_input_tokens,
  };
}

/** Whether a session was recognized in any request. */
export function sessionRequests(entry) {
  return entry.affinity_hits + entry.affinity_moves + entry.affinity_starts;
}

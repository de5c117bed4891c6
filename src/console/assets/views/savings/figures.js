/** The savings and their cost, from an entry of the usage report. */

import { usd } from "../../lib/format.js";
import { costOf } from "../usage/figures.js";

/** The entry without requests. */
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
 * The amounts of an entry in US dollars. The cost of hedges is positive here, and subtracted in
 * `net`. Unknown amounts are excluded: `unknown` is the number of requests with one.
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

/** The savings as a share of the full cost; null if a price is unknown or the cost is zero. */
export function savedShare(entry) {
  const cost = costOf(entry);
  const { net, unknown } = savingsOf(entry);
  if (cost === null || unknown > 0 || entry.unpriced_requests > 0) return null;
  return cost + net > 0 ? net / (cost + net) : null;
}

/** Input and cached input of requests whose session moved to another target. */
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

/** How the net amount of an entry is computed, in a sentence. */
export function sumText(entry) {
  const { hedges, net, order, prompt, response } = savingsOf(entry);
  return `${usd(net)} is ${usd(prompt)} of prompt caching, ${
    usd(response)
  } of the response cache ` +
    `and ${usd(order)} of the cheapest target first, less ${
      usd(hedges)
    } for hedges. Sessions that ` +
    "stay are a part of prompt caching.";
}

/**
 * The columns for savings and costs from caches, sessions, hedges, queues and ordering by price.
 */

import {
  AMOUNT,
  type Column,
  FLAG,
  OPTIONAL_INTEGER,
  type SummedRow,
  TEXT,
} from "./column_types.ts";

/** 1 for a row that matches a condition, 0 otherwise. */
function countIf(condition: (row: SummedRow) => boolean): (row: SummedRow) => number {
  return (row) => condition(row) ? 1 : 0;
}

/** Whether the response cache returned the answer. */
function isHit({ responseCache }: SummedRow): boolean {
  return responseCache === "hit";
}

/** Whether a session stayed with its target. */
function hasStayed({ affinity }: SummedRow): boolean {
  return affinity === "hit";
}

export const SAVINGS_COLUMNS = {
  /** The surcharge for writes to the vendor's cache, in US dollars. */
  cacheWriteUsd: {
    ...{ type: AMOUNT, name: "cache_write_usd", report: "cache_write_usd", counted: true },
    sums: {
      cacheWriteUsd: { name: "cache_write_usd", report: "cache_write_usd", isReal: true },
      /** Requests that used the vendor's cache and whose price is unknown. */
      unpricedCached: {
        ...{ name: "unpriced_cached", report: "unpriced_cached_requests" },
        of: countIf(({ cachedInput, cacheWrite, savedUsd }) =>
          savedUsd === undefined && cachedInput + cacheWrite > 0
        ),
      },
    },
  },
  /** The result of the response cache: `hit` or `miss`. */
  responseCache: {
    ...{ type: TEXT, name: "response_cache", report: "response_cache", counted: true },
    sums: {
      cacheHits: { name: "cache_hits", report: "response_cache_hits", of: countIf(isHit) },
      cacheMisses: {
        ...{ name: "cache_misses", report: "response_cache_misses" },
        of: countIf(({ responseCache }) => responseCache === "miss"),
      },
      /** The part of `savedUsd` that the response cache saved. */
      cacheHitUsd: {
        ...{ name: "cache_hit_usd", report: "response_cache_saved_usd", isReal: true },
        of: (row) => isHit(row) ? row.savedUsd ?? 0 : 0,
      },
      unpricedHits: {
        ...{ name: "unpriced_hits", report: "unpriced_response_cache_hits" },
        of: countIf((row) => isHit(row) && row.savedUsd === undefined),
      },
    },
  },
  /** Milliseconds for which the request waited in a queue. */
  queuedMs: {
    ...{ type: OPTIONAL_INTEGER, name: "queued_ms", report: "queued_ms" },
    ...{ counted: true, recorded: true },
    sums: {
      queued: {
        ...{ name: "queued", report: "queued_requests" },
        of: countIf(({ queuedMs = 0 }) => Math.round(queuedMs) > 0),
      },
      queuedMs: {
        ...{ name: "queued_ms", report: "queued_ms" },
        of: ({ queuedMs = 0 }) => Math.round(queuedMs),
      },
    },
  },
  /** Whether a second target was called before the first one answered. */
  hedged: {
    ...{ type: FLAG, name: "hedged", report: "hedged", counted: true, recorded: true },
    sums: {
      hedged: { name: "hedged", report: "hedged_requests", of: countIf(({ hedged }) => !!hedged) },
    },
  },
  /**
   * The cost of the target whose answer was not used, in US dollars; undefined if the price is
   * unknown.
   */
  hedgeUsd: {
    ...{ type: AMOUNT, name: "hedge_usd", report: "hedge_usd", counted: true },
    sums: {
      hedgeUsd: { name: "hedge_usd", report: "hedge_usd", isReal: true },
      unpricedHedges: {
        ...{ name: "unpriced_hedges", report: "unpriced_hedges" },
        of: countIf(({ hedged, hedgeUsd }) => hedged === true && hedgeUsd === undefined),
      },
    },
  },
  /** Whether the answering target was chosen by price. */
  priceOrdered: {
    ...{ type: FLAG, name: "price_ordered", report: "price_ordered", counted: true },
    sums: {
      priceOrdered: {
        ...{ name: "price_ordered", report: "price_ordered_requests" },
        of: countIf(({ priceOrdered }) => priceOrdered === true),
      },
    },
  },
  /**
   * The additional cost of the same tokens at the first target in config.yaml order, in US dollars;
   * undefined if a price is unknown.
   */
  priceOrderUsd: {
    ...{ type: AMOUNT, name: "price_order_usd", report: "price_order_saved_usd", counted: true },
    sums: {
      priceOrderUsd: { name: "price_order_usd", report: "price_order_saved_usd", isReal: true },
      unpricedOrders: {
        ...{ name: "unpriced_orders", report: "unpriced_price_orders" },
        of: countIf((row) => row.priceOrdered === true && row.priceOrderUsd === undefined),
      },
    },
  },
  /** Whether the session stayed with its target: `hit`, `moved` or `new`. */
  affinity: {
    ...{ type: TEXT, name: "affinity", report: "affinity", counted: true, recorded: true },
    sums: {
      sessionHits: { name: "session_hits", report: "affinity_hits", of: countIf(hasStayed) },
      sessionMoves: {
        ...{ name: "session_moves", report: "affinity_moves" },
        of: countIf(({ affinity }) => affinity === "moved"),
      },
      sessionStarts: {
        ...{ name: "session_starts", report: "affinity_starts" },
        of: countIf(({ affinity }) => affinity === "new"),
      },
      /** Input tokens in requests whose session stayed with its target. */
      sessionInput: {
        ...{ name: "session_input", report: "affinity_input_tokens" },
        of: (row) => hasStayed(row) ? row.input : 0,
      },
      sessionCached: {
        ...{ name: "session_cached", report: "affinity_cached_input_tokens" },
        of: (row) => hasStayed(row) ? row.cachedInput : 0,
      },
      /** The part of `savedUsd` from requests whose session stayed with its target. */
      sessionUsd: {
        ...{ name: "session_usd", report: "affinity_saved_usd", isReal: true },
        of: (row) => hasStayed(row) && !isHit(row) ? row.savedUsd ?? 0 : 0,
      },
    },
  },
} as const satisfies Readonly<Record<string, Column>>;

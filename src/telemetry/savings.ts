/** What caches and the order by price saved for a request, and what its hedge cost. */

import { costOfWrites, microUsdOf, savedByCache, toUsd } from "../governance/cost.ts";
import type { LedgerRow } from "../governance/ledger/row.ts";
import { toBilled, usedBy } from "../gateway/attempt_usage.ts";
import { lostToHedge } from "../features/hedging/hedge_reserve.ts";
import { pricesOf } from "../gateway/order/prices.ts";
import type { RequestRecord } from "../gateway/request_record.ts";

/** The columns with amounts that a request saved or cost. */
type Savings = Pick<
  LedgerRow,
  | "savedUsd"
  | "cacheWriteUsd"
  | "responseCache"
  | "hedgeUsd"
  | "priceOrdered"
  | "priceOrderUsd"
>;

/** The savings of a request that has ended. Undefined amounts are unknown, or there is nothing. */
export function savingsOf(record: RequestRecord): Savings {
  const { attempt, cache: responseCache, columns } = record;
  const usage = attempt?.used?.usage;
  const billed = attempt && usage && toBilled(attempt, usage);
  const saved = billed && savedByCache(billed);
  return {
    savedUsd: saved === undefined
      ? columns.savedUsd
      : (columns.savedUsd ?? 0) + (toUsd(saved) ?? 0),
    cacheWriteUsd: toUsd(billed && costOfWrites(billed)),
    responseCache,
    hedgeUsd: columns.hedged === true ? toUsd(costOfHedge(record)) : undefined,
    ...priceOrderOf(record),
  };
}

/** Millionths of a US dollar; undefined if a price is unknown. */
function costOfHedge(record: RequestRecord): number | undefined {
  let sum = 0;
  for (const attempt of lostToHedge(record)) {
    const { microUsd } = usedBy(attempt, record);
    if (microUsd === undefined) return undefined;
    sum += microUsd;
  }
  return sum;
}

/** Compares the target that answered with the one that would be asked without an order by price. */
function priceOrderOf(
  record: RequestRecord,
): Pick<Savings, "priceOrdered" | "priceOrderUsd"> | undefined {
  const { attempt, routeNotes } = record;
  const priceOrders = routeNotes?.priceOrders;
  if (priceOrders === undefined || !attempt?.hasAnswered) return undefined;
  const group = priceOrders.find((targets) =>
    targets.some(({ target }) => target === attempt.target)
  );
  const first = group?.[0];
  if (first === undefined) return undefined;
  const { usage } = usedBy(attempt, record);
  if (usage === undefined) return { priceOrdered: true, priceOrderUsd: 0 };
  const billed = toBilled(attempt, usage);
  const cost = microUsdOf(billed);
  const usual = first.target === attempt.target
    ? cost
    : microUsdOf({ ...billed, prices: pricesOf(first.target) });
  const saved = cost === undefined || usual === undefined ? undefined : usual - cost;
  return { priceOrdered: true, priceOrderUsd: toUsd(saved) };
}

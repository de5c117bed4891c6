/** The order of sorted lists of requests. */

import type { LedgerRow } from "./row.ts";
import type { RequestSort } from "./usage_store.ts";

/** The first rows of two lists that have a value to sort by; of equal ones, the newest first. */
export function mergeSorted(
  one: readonly LedgerRow[],
  other: readonly LedgerRow[],
  { by, isRising }: RequestSort,
  limit: number,
): LedgerRow[] {
  const sign = isRising ? 1 : -1;
  const rank = (row: LedgerRow) => sign * Number(row[by]);
  return [...one, ...other]
    .filter((row) => row[by] !== undefined)
    .sort((first, second) => rank(first) - rank(second) || second.time - first.time)
    .slice(0, limit);
}

/** Adds up requests' attempts by target. */

import { attemptsOf, unusedUsd } from "./attempts.ts";
import type { CountedRow, SumName } from "./row.ts";
import { GroupSums, toName } from "./summary.ts";
import { toStored } from "./column_types.ts";

/** Adds the attempts of a row to the sums of its targets: by the stored model and provider. */
export function addAttempts(row: CountedRow, targets: Map<string, GroupSums>): void {
  const hasSucceeded = row.status < 400 && row.error === undefined;
  for (const attempt of attemptsOf(row)) {
    const { upstream, provider } = attempt;
    const id = `${toStored(toName(upstream))}\0${toStored(toName(provider))}`;
    let sums = targets.get(id);
    if (sums === undefined) targets.set(id, sums = new GroupSums());
    sums.addAttempt(attempt, hasSucceeded);
  }
}

/** A provider's charges for attempts at a request that another provider answered. */
export interface BilledElsewhere {
  readonly provider: string;
  /** This provider's sums, instead of those of the provider that answered. */
  readonly amounts: Readonly<Partial<Record<SumName, number>>>;
}

/** The sums for an attempt that its provider bills. */
const BILLED = ["input", "cachedInput", "cacheWrite", "output", "reasoning", "usd"] as const;

/**
 * Other providers' charges for a request, from its stored attempts: those that failed, and hedge
 * targets whose answer was not used. Each vendor's sums then match its invoice.
 */
export function billedElsewhere(
  { attemptRows, provider = "", usd }: CountedRow,
): BilledElsewhere[] {
  const found: BilledElsewhere[] = [];
  for (const attempt of attemptRows ?? []) {
    if (attempt.source === undefined || toName(attempt.provider) === toName(provider)) continue;
    const amounts: Partial<Record<SumName, number>> = {};
    for (const name of BILLED) {
      // If the price of any attempt is unknown, the cost of the request does not include any.
      const amount = name === "usd" && usd === undefined ? 0 : attempt[name] ?? 0;
      if (amount !== 0) amounts[name] = amount;
    }
    const unused = unusedUsd(attempt, usd);
    if (unused !== 0) amounts.unusedUsd = unused;
    if (Object.keys(amounts).length > 0) found.push({ provider: attempt.provider, amounts });
  }
  return found;
}

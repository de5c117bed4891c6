/**
 * Rows as a text, for another thread: to copy a text takes a fraction of the time that it takes to
 * copy objects.
 */

import type { PricesUsed } from "../cost.ts";
import type { LedgerRow } from "./row.ts";

/** The values of the rows, one row after the other. Prices are positions in the list of prices. */
interface Packed {
  readonly prices: readonly PricesUsed[];
  readonly values: readonly unknown[];
}

/** Converts rows to a text. Undefined values stay undefined. */
export function packRows(rows: readonly LedgerRow[]): string {
  const prices = new Map<PricesUsed, number>();
  const positionOf = (used: PricesUsed) => {
    let position = prices.get(used);
    if (position === undefined) prices.set(used, position = prices.size);
    return position;
  };
  const values: unknown[] = [];
  for (const row of rows) {
    values.push(row.time, row.id, row.key, row.tags, row.model, row.provider, row.upstream);
    values.push(row.format, row.status, row.error, row.attempts, row.attemptRows, row.input);
    values.push(row.cachedInput, row.cacheWrite, row.output, row.reasoning, row.source, row.usd);
    values.push(row.prices && positionOf(row.prices), row.ms, row.firstTokenMs);
  }
  return JSON.stringify({ prices: [...prices.keys()], values } satisfies Packed);
}

/** The rows of a text of {@linkcode packRows}. Rows with the same prices have the same object. */
export function unpackRows(text: string): LedgerRow[] {
  const { prices, values } = JSON.parse(text) as Packed;
  const rows: LedgerRow[] = [];
  let at = 0;
  // The text is this program's own, so each value has the type of its member.
  const next = <Value>() => (values[at++] ?? undefined) as Value;
  const pricesAt = (position: number | undefined) =>
    position === undefined ? undefined : prices[position];
  while (at < values.length) {
    rows.push({
      time: next(),
      id: next(),
      key: next(),
      tags: next(),
      model: next(),
      provider: next(),
      upstream: next(),
      format: next(),
      status: next(),
      error: next(),
      attempts: next(),
      attemptRows: next(),
      input: next(),
      cachedInput: next(),
      cacheWrite: next(),
      output: next(),
      reasoning: next(),
      source: next(),
      usd: next(),
      prices: pricesAt(next()),
      ms: next(),
      firstTokenMs: next(),
    });
  }
  return rows;
}

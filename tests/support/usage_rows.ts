/** Rows of the ledger, for tests. */

import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import type { UsageStore } from "../../src/governance/ledger/usage_store.ts";

/** When {@linkcode usageRow} ended. */
export const ROW_TIME = Date.parse("2026-11-22T10:30:00Z");

/** A request of the key `a`. */
export function usageRow(members: Partial<LedgerRow> = {}): LedgerRow {
  return {
    time: ROW_TIME,
    id: "req_1",
    key: "a",
    tags: [],
    model: "m",
    provider: "p",
    upstream: "m-1",
    format: "chat_completions",
    status: 200,
    error: undefined,
    attempts: 1,
    input: 10,
    cachedInput: 2,
    cacheWrite: 0,
    output: 5,
    reasoning: 1,
    source: "vendor",
    usd: 0.001,
    prices: { input: 1, cachedInput: null, cacheWrite: null, cacheWriteHour: null, output: 2 },
    ms: 100,
    firstTokenMs: undefined,
    ...members,
  };
}

/** Writes rows in batches of 100, as the ledger does. */
export async function writeRows(store: UsageStore, rows: readonly LedgerRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 100) {
    await store.write(rows.slice(at, at + 100), `batch_${crypto.randomUUID()}`);
  }
}

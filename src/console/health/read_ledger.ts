/** Reads the attempts of the last day from the ledger at the start, the oldest first. */

import { type Clock, TimeSlice } from "../../core/clock.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import type { ReadableUsage, RowPosition } from "../../governance/ledger/usage_store.ts";
import type { HealthBoard } from "./health_board.ts";
import { CELL_MS, CELLS } from "./target_health.ts";

/** The number of rows per read: reading and adding them takes a few milliseconds. */
const PAGE_ROWS = 500;
/** The maximum number of rows per cell; the latest ones are used. */
const MAX_CELL_ROWS = 50_000;
/** Milliseconds between two pages, in which requests are answered. */
const PAUSE_MS = 2;

/**
 * Reads the last day, cell by cell, because stores list the newest rows first.
 *
 * @throws {StoreError} when the store fails: the history then begins at the start of the process.
 */
export async function readLedger(
  board: HealthBoard,
  usage: Pick<ReadableUsage, "list">,
  clock: Clock,
): Promise<void> {
  const end = clock.wallTime();
  const begin = end - CELL_MS * CELLS;
  await board.addEarlier(begin, async (add) => {
    for (let from = begin; from < end; from += CELL_MS) {
      const rows = await rowsOf(usage, from, Math.min(end, from + CELL_MS), clock);
      const slice = new TimeSlice();
      for (const row of rows.reverse()) {
        if (slice.isOver) await slice.next();
        add(row);
      }
    }
  });
}

/** The rows of a period, the newest first. */
async function rowsOf(
  usage: Pick<ReadableUsage, "list">,
  from: number,
  to: number,
  clock: Clock,
): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  let before: RowPosition | undefined;
  do {
    const page = await usage.list({ from, to, before, limit: PAGE_ROWS });
    rows.push(...page.rows);
    before = page.next;
    if (before !== undefined) await new Promise<void>((next) => clock.after(PAUSE_MS, next));
  } while (before !== undefined && rows.length < MAX_CELL_ROWS);
  return rows;
}

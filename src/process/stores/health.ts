/** The health of the targets of this process; absent without the console and alerts. */

import { isConsoleOn } from "../../config/server_settings.ts";
import type { Config } from "../../config/config.ts";
import { HealthBoard } from "../../console/health/health_board.ts";
import { type Clock, TimeSlice } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { isLoopback } from "../../core/loopback.ts";
import type {
  ReadableUsage,
  RowPosition,
  UsageStore,
} from "../../governance/ledger/usage_store.ts";
import { logMessage } from "../system/stdio.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import { CELL_MS, CELLS } from "../../console/health/target_health.ts";

/** The inputs of the health. */
interface HealthSources {
  readonly first: Config;
  /** The host name or IP address of the main listener. */
  readonly hostname: string;
  readonly config: () => Config;
  readonly store: UsageStore;
  readonly clock: Clock;
}

/** Creates the board, which then reads the last day from the ledger; undefined if nothing uses it. */
export function createHealth(
  { first, hostname, config, store, clock }: HealthSources,
): HealthBoard | undefined {
  const isShown = mayShowConsole(first, hostname);
  if (!isShown && first.alerts === undefined) return undefined;
  const keepsTexts = () => isShown && config().server.console_vendor_errors === "on";
  const providers = () => config().providers.keys();
  const board = new HealthBoard({ clock, keepsTexts, providers });
  // Done at once, since attempts that end from now on are not among the ledger rows being read.
  if (first.store !== undefined) void read(board, store, clock);
  return board;
}

async function read(board: HealthBoard, store: UsageStore, clock: Clock): Promise<void> {
  try {
    await readLedger(board, store, clock);
  } catch (thrown) {
    logMessage(
      `target health before startup is unknown: the store ${store.name} ` +
        `cannot be read: ${messageOf(thrown)}`,
      "warn",
    );
  }
}

/** Whether a listener can show the console, as determined at startup. */
export function mayShowConsole({ server }: Config, hostname: string): boolean {
  const isShown = (isLocal: boolean) => isConsoleOn(server, isLocal);
  return (server.serves.has("console") && isShown(isLoopback(hostname))) ||
    server.listeners.some(({ rules }) => rules.serves.has("console") && isShown(rules.isLocal));
}

/** The number of rows per read; reading and adding them takes a few milliseconds. */
const PAGE_ROWS = 500;
/** The maximum number of rows per cell; the latest ones are used. */
const MAX_CELL_ROWS = 50_000;
/** Milliseconds between two pages, during which requests are served. */
const PAUSE_MS = 2;

/**
 * Reads the last day, cell by cell, because stores list the newest rows first.
 * Exported for tests.
 *
 * @throws {StoreError} when the store fails; the history then begins when the process started.
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

/** The rows of a period, newest first. */
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

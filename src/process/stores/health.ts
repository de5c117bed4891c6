/** The health of targets of this process: none without the console and alerts. */

import type { Config } from "../../config/config.ts";
import { HealthBoard } from "../../console/health/health_board.ts";
import { readLedger } from "../../console/health/read_ledger.ts";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { isLoopback } from "../../core/loopback.ts";
import type { UsageStore } from "../../governance/ledger/usage_store.ts";
import { logMessage } from "../system/stdio.ts";

/** What the health is made from. */
export interface HealthSources {
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
  const keepsTexts = () => isShown && config().server.consoleVendorErrors;
  const board = new HealthBoard({ clock, keepsTexts });
  // At once: what ends from now on is not in what is read.
  if (first.store !== undefined) void read(board, store, clock);
  return board;
}

async function read(board: HealthBoard, store: UsageStore, clock: Clock): Promise<void> {
  try {
    await readLedger(board, store, clock);
  } catch (thrown) {
    logMessage(
      `the health of targets is known only since startup: the store ${store.name} ` +
        `cannot be read: ${messageOf(thrown)}`,
      "warn",
    );
  }
}

/** Whether a listener can show the console: decided at the start. */
export function mayShowConsole({ server }: Config, hostname: string): boolean {
  const isShown = (isLocal: boolean) => server.console ?? isLocal;
  return (server.serves.has("console") && isShown(isLoopback(hostname))) ||
    server.listeners.some(({ rules }) => rules.serves.has("console") && isShown(rules.isLocal));
}

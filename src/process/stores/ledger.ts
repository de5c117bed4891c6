/** The ledger of the process: its store, and the queue of each worker. */

import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { Ledger } from "../../governance/ledger/ledger.ts";
import { MemoryUsageStore } from "../../governance/ledger/memory_store.ts";
import { StoreError, type UsageStore } from "../../governance/ledger/usage_store.ts";
import { toStoreName } from "../../config/shared_store.ts";
import type { PostgresUsageStore } from "../../governance/ledger/postgres_store.ts";
import type { ServerMetrics } from "../../telemetry/server_metrics.ts";
import { reasonOf } from "../system/files.ts";
import { logMessage, StartError } from "../system/stdio.ts";
import { claimFile } from "./sqlite_file.ts";
import { openInThread } from "./store_thread.ts";

const HOUR_MS = 3_600_000;
/** How long quarter-hour sums are kept: this month and the previous one. */
const KEEP_QUARTERS_MS = 40 * 24 * HOUR_MS;
/** Milliseconds between two steps of removing old rows. */
const PRUNE_PAUSE_MS = 20;
/** If the clock changes by more milliseconds than this between two steps, it was set. */
const MAX_CORRECTION_MS = HOUR_MS;
/** How long nothing is removed after the clock was set, since it may be wrong. */
const HOLD_MS = 24 * HOUR_MS;

/**
 * Opens the configured store; without one, the last requests are kept in memory. An unreachable
 * server does not prevent startup; rows are buffered until it is reachable.
 *
 * @throws {StartError} when the configured store can never work.
 */
export async function openStore({ store }: Pick<Config, "store">): Promise<UsageStore> {
  if (store === undefined) return new MemoryUsageStore();
  try {
    if (store.kind === "sqlite") {
      // Released when the process ends.
      claimFile(store.path);
      return await openInThread(store.path);
    }
    // Loaded only when used, because it takes time and memory.
    const { PostgresUsageStore } = await import("../../governance/ledger/postgres_store.ts");
    const { rootCertificate: path } = store;
    const certificate = path === undefined ? undefined : Deno.readTextFileSync(path);
    const opened = new PostgresUsageStore(store, certificate);
    await checkServer(opened);
    return opened;
  } catch (thrown) {
    const name = store.kind === "sqlite" ? store.path : toStoreName(store);
    throw new StartError(`Cannot open the store ${name}: ${messageOf(thrown)}`);
  }
}

/** @throws {StoreError} when the server refuses the login or the schema. */
async function checkServer(store: PostgresUsageStore): Promise<void> {
  try {
    await store.open();
  } catch (thrown) {
    if (thrown instanceof StoreError && thrown.failure === "setup") {
      await store.close();
      throw thrown;
    }
    logMessage(
      `the store ${store.name} is unavailable, and rows are queued in memory: ${messageOf(thrown)}`,
      "error",
    );
  }
}

/**
 * Drops the permission to write files unless the store, a Unix socket, or an admin who may edit the
 * configuration needs it.
 */
export async function giveUpWriting(
  { store, server: { listeners }, hasConfigEditor }: Pick<
    Config,
    "store" | "server" | "hasConfigEditor"
  >,
): Promise<void> {
  const hasSocket = listeners.some(({ address }) => "path" in address);
  if (store?.kind !== "sqlite" && !hasSocket && !hasConfigEditor) {
    await Deno.permissions.revoke({ name: "write" });
  }
}

/**
 * Removes old rows now and every hour, in small steps. Nothing is removed for a day after the
 * machine's clock was set by more than an hour. Returns a function that stops it.
 */
export function pruneHourly(
  store: UsageStore,
  keepMs: () => number,
  clock: Clock,
  onError: (thrown: unknown) => void,
): () => void {
  let cancel = () => {};
  let isStopped = false;
  let correction = clock.wallTime() - clock.now();
  let heldUntil = -Infinity;
  /** Whether the clock was set within the last day. */
  const isHeld = () => {
    const change = clock.wallTime() - clock.now() - correction;
    if (Math.abs(change) > MAX_CORRECTION_MS) {
      correction += change;
      heldUntil = clock.now() + HOLD_MS;
      logMessage(
        `the system clock changed by ${Math.round(change / HOUR_MS)} h: ` +
          `no rows will be removed from store ${store.name} for a day`,
        "warn",
      );
    }
    return clock.now() < heldUntil;
  };
  const prune = async () => {
    let hasMore = false;
    try {
      const now = clock.wallTime();
      hasMore = !isHeld() && await store.prune(now - keepMs(), now - KEEP_QUARTERS_MS);
    } catch (thrown) {
      onError(thrown);
    }
    if (!isStopped) cancel = clock.after(hasMore ? PRUNE_PAUSE_MS : HOUR_MS, () => void prune());
  };
  void prune();
  return () => {
    isStopped = true;
    cancel();
  };
}

/** The queue between the requests and the store of the ledger. */
export function createLedger(store: UsageStore, clock: Clock, metrics: ServerMetrics): Ledger {
  const { name, maxBatchRows } = store;
  /** Rows dropped since the store started failing. */
  let dropped = 0;
  return new Ledger({
    write: (rows, batch) => store.write(rows, batch),
    maxBatchRows,
    clock,
    newId,
    onDrop(count) {
      if (dropped === 0) logMessage(`the store ${name} is too slow: rows are dropped`, "error");
      dropped += count;
      metrics.droppedRows.add(count);
    },
    onState(failure) {
      logMessage(
        failure === undefined
          ? `the store ${name} is available again: the queued rows were written, ${dropped} were lost`
          : `the store ${name} is unavailable, and rows are queued in memory: ${reasonOf(failure)}`,
        failure === undefined ? "info" : "error",
      );
      dropped = 0;
    },
    onRefusal: (failure) =>
      logMessage(`the store ${name} rejected a row: ${reasonOf(failure)}`, "error"),
  });
}

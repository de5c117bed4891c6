/** The ledger of the process: which store it has, and how workers reach it. */

import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { LedgerRow } from "../governance/ledger/row.ts";
import { MemoryUsageStore } from "../governance/ledger/memory_store.ts";
import { SqliteUsageStore } from "../governance/ledger/sqlite_store.ts";
import type { UsageQuery, UsageStore, UsageSummary } from "../governance/ledger/usage_store.ts";
import { StartError } from "./startup_error.ts";

const HOUR_MS = 3_600_000;

/**
 * Opens the store that the configuration names; without one, the last requests stay in memory.
 *
 * @throws {StartError} when it cannot be opened.
 */
export function openStore({ store }: Pick<Config, "store">): UsageStore {
  if (store === undefined) return new MemoryUsageStore();
  try {
    return new SqliteUsageStore(store.path);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new StartError(`Cannot open the store ${store.path}: ${reason}`);
  }
}

/**
 * Gives up the permission to write unless the store needs it: nothing else writes files.
 */
export async function giveUpWriting({ store }: Pick<Config, "store">): Promise<void> {
  if (store === undefined) await Deno.permissions.revoke({ name: "write" });
}

/** Removes old rows now and every hour. Returns the function that stops it. */
export function pruneHourly(
  store: UsageStore,
  keepMs: () => number,
  clock: Clock,
  onError: (thrown: unknown) => void,
): () => void {
  let cancel = () => {};
  const prune = () => {
    store.prune(clock.wallTime() - keepMs()).catch(onError);
    cancel = clock.after(HOUR_MS, prune);
  };
  prune();
  return () => cancel();
}

/** A worker's call of the store in the main thread. */
export type StoreCall =
  | { readonly type: "write"; readonly rows: readonly LedgerRow[] }
  | { readonly type: "summarize"; readonly query: UsageQuery };

/** The answer to a {@linkcode StoreCall}. */
export type StoreResult =
  | { readonly type: "done"; readonly summaries: readonly UsageSummary[] }
  | { readonly type: "failed"; readonly reason: string };

/** Runs a worker's call. */
export async function runStoreCall(store: UsageStore, call: StoreCall): Promise<StoreResult> {
  try {
    if (call.type === "summarize") {
      return { type: "done", summaries: await store.summarize(call.query) };
    }
    await store.write(call.rows);
    return { type: "done", summaries: [] };
  } catch (thrown) {
    return { type: "failed", reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The store as a worker sees it: every call goes to the main thread. */
export class RemoteStore implements UsageStore {
  readonly name = "main thread";
  readonly #send: (id: number, call: StoreCall) => void;
  /** The calls without an answer, by number. */
  readonly #calls = new Map<number, PromiseWithResolvers<StoreResult>>();
  #lastId = 0;

  /** @param send posts a call to the main thread */
  constructor(send: (id: number, call: StoreCall) => void) {
    this.#send = send;
  }

  /** The main thread has answered a call. */
  answered(id: number, result: StoreResult): void {
    this.#calls.get(id)?.resolve(result);
    this.#calls.delete(id);
  }

  async write(rows: readonly LedgerRow[]): Promise<void> {
    await this.#call({ type: "write", rows });
  }

  summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    return this.#call({ type: "summarize", query });
  }

  /** The main thread removes old rows. */
  prune(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #call(call: StoreCall): Promise<readonly UsageSummary[]> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<StoreResult>();
    this.#calls.set(id, answer);
    this.#send(id, call);
    const result = await answer.promise;
    if (result.type === "failed") throw new Error(result.reason);
    return result.summaries;
  }
}

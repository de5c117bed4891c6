/** The ledger of the process: which store it has, and how workers reach it. */

import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { LedgerRow } from "../governance/ledger/row.ts";
import { MemoryUsageStore } from "../governance/ledger/memory_store.ts";
import { SqliteUsageStore } from "../governance/ledger/sqlite_store.ts";
import {
  type RequestPage,
  type RequestQuery,
  StoreError,
  type StoreFailure,
  type UsageQuery,
  type UsageStore,
  type UsageSummary,
} from "../governance/ledger/usage_store.ts";
import { toStoreName } from "../config/store_url.ts";
import type { PostgresUsageStore } from "../governance/ledger/postgres_store.ts";
import { StartError } from "./startup_error.ts";
import { logMessage } from "./stdio.ts";

const HOUR_MS = 3_600_000;
/** Milliseconds between two steps of removing old rows. */
const PRUNE_PAUSE_MS = 20;

/**
 * Opens the store that the configuration names; without one, the last requests stay in memory. A
 * server that cannot be reached does not end the start: rows wait until it can.
 *
 * @throws {StartError} when the store can never work as it is configured.
 */
export async function openStore({ store }: Pick<Config, "store">): Promise<UsageStore> {
  if (store === undefined) return new MemoryUsageStore();
  try {
    if (store.kind === "sqlite") return new SqliteUsageStore(store.path);
    // Loaded only where it is used, because it takes time and memory.
    const { PostgresUsageStore } = await import("../governance/ledger/postgres_store.ts");
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
    logMessage(`the store ${store.name} fails, and rows wait in memory: ${messageOf(thrown)}`);
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Gives up the permission to write unless the store needs it: nothing else writes files.
 */
export async function giveUpWriting({ store }: Pick<Config, "store">): Promise<void> {
  if (store?.kind !== "sqlite") await Deno.permissions.revoke({ name: "write" });
}

/**
 * Removes old rows now and every hour, in small steps. Returns the function that stops it.
 */
export function pruneHourly(
  store: UsageStore,
  keepMs: () => number,
  clock: Clock,
  onError: (thrown: unknown) => void,
): () => void {
  let cancel = () => {};
  let isStopped = false;
  const prune = async () => {
    let hasMore = false;
    try {
      hasMore = await store.prune(clock.wallTime() - keepMs());
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

/** A worker's call of the store in the main thread. */
export type StoreCall =
  | { readonly type: "write"; readonly rows: readonly LedgerRow[]; readonly batch: string }
  | { readonly type: "summarize"; readonly query: UsageQuery }
  | { readonly type: "list"; readonly query: RequestQuery };

/** What the store returns for each call. */
interface StoreValues {
  readonly write: undefined;
  readonly summarize: readonly UsageSummary[];
  readonly list: RequestPage;
}

/** The answer to a {@linkcode StoreCall}. */
export type StoreResult =
  | { readonly type: "done"; readonly value: StoreValues[StoreCall["type"]] }
  | { readonly type: "failed"; readonly reason: string; readonly failure: StoreFailure };

/** Runs a worker's call. */
export async function runStoreCall(store: UsageStore, call: StoreCall): Promise<StoreResult> {
  try {
    return { type: "done", value: await runCall(store, call) };
  } catch (thrown) {
    const failure = thrown instanceof StoreError ? thrown.failure : "unavailable";
    return { type: "failed", reason: messageOf(thrown), failure };
  }
}

async function runCall(
  store: UsageStore,
  call: StoreCall,
): Promise<StoreValues[StoreCall["type"]]> {
  switch (call.type) {
    case "write":
      await store.write(call.rows, call.batch);
      return undefined;
    case "summarize":
      return await store.summarize(call.query);
    case "list":
      return await store.list(call.query);
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

  async write(rows: readonly LedgerRow[], batch: string): Promise<void> {
    await this.#call({ type: "write", rows, batch });
  }

  summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    return this.#call({ type: "summarize", query });
  }

  list(query: RequestQuery): Promise<RequestPage> {
    return this.#call({ type: "list", query });
  }

  /** The main thread removes old rows. */
  prune(): Promise<boolean> {
    return Promise.resolve(false);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #call<Type extends StoreCall["type"]>(
    call: Extract<StoreCall, { readonly type: Type }>,
  ): Promise<StoreValues[Type]> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<StoreResult>();
    this.#calls.set(id, answer);
    this.#send(id, call);
    const result = await answer.promise;
    if (result.type === "failed") throw new StoreError(result.reason, result.failure);
    return result.value as StoreValues[Type];
  }
}

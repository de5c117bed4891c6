/** Calls of the ledger's store from other threads, as messages. */

import { messageOf } from "../../core/errors.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import {
  type RequestPage,
  type RequestQuery,
  StoreError,
  type StoreFailure,
  type UsageQuery,
  type UsageStore,
  type UsageSummary,
} from "../../governance/ledger/usage_store.ts";

/** A call of a store in another thread. */
export type StoreCall =
  /** The rows as JSON: to copy a text takes a fraction of the time that it takes to copy objects. */
  | { readonly type: "write"; readonly rows: string; readonly batch: string }
  | { readonly type: "summarize"; readonly query: UsageQuery }
  | { readonly type: "list"; readonly query: RequestQuery }
  | { readonly type: "prune"; readonly before: number }
  | { readonly type: "close" };

/** What the store returns for each call. */
interface StoreValues {
  readonly write: undefined;
  readonly summarize: readonly UsageSummary[];
  readonly list: RequestPage;
  readonly prune: boolean;
  readonly close: undefined;
}

/** The answer to a {@linkcode StoreCall}. */
export type StoreResult =
  | { readonly type: "done"; readonly value: StoreValues[StoreCall["type"]] }
  | { readonly type: "failed"; readonly reason: string; readonly failure: StoreFailure };

/** Runs a call of another thread. */
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
      await store.write(JSON.parse(call.rows) as LedgerRow[], call.batch);
      return undefined;
    case "summarize":
      return await store.summarize(call.query);
    case "list":
      return await store.list(call.query);
    case "prune":
      return await store.prune(call.before);
    case "close":
      await store.close();
      return undefined;
  }
}

/** Another thread writes these batches: the transaction and the messages cost more than the rows. */
const REMOTE_BATCH_ROWS = 500;

/** A store in another thread: every call is a message. */
export class RemoteStore implements UsageStore {
  readonly name: string;
  readonly maxBatchRows = REMOTE_BATCH_ROWS;
  readonly #send: (id: number, call: StoreCall) => void;
  /** The calls without an answer, by number. */
  readonly #calls = new Map<number, PromiseWithResolvers<StoreResult>>();
  #lastId = 0;

  /** @param send posts a call to the thread of the store */
  constructor(name: string, send: (id: number, call: StoreCall) => void) {
    this.name = name;
    this.#send = send;
  }

  /** The other thread has answered a call. */
  answered(id: number, result: StoreResult): void {
    this.#calls.get(id)?.resolve(result);
    this.#calls.delete(id);
  }

  /** The other thread has exited: every open call fails. */
  failAll(reason: string): void {
    const result = { type: "failed", reason, failure: "unavailable" } as const;
    for (const id of this.#calls.keys()) this.answered(id, result);
  }

  async write(rows: readonly LedgerRow[], batch: string): Promise<void> {
    await this.#call({ type: "write", rows: JSON.stringify(rows), batch });
  }

  summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    return this.#call({ type: "summarize", query });
  }

  list(query: RequestQuery): Promise<RequestPage> {
    return this.#call({ type: "list", query });
  }

  prune(before: number): Promise<boolean> {
    return this.#call({ type: "prune", before });
  }

  async close(): Promise<void> {
    await this.#call({ type: "close" });
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

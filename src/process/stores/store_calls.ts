/** Messages for calling the ledger's store from other threads. */

import { TimeSlice } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { CallError } from "../../core/open_calls.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import {
  type RequestCountQuery,
  type RequestCounts,
  type RequestPage,
  type RequestQuery,
  StoreError,
  type StoreFailure,
  type UsageQuery,
  type UsageStore,
  type UsageSummary,
} from "../../governance/ledger/usage_store.ts";

/** A call to a store in another thread. */
export type StoreCall =
  /** The rows as JSON, since copying text is several times faster than copying objects. */
  | { readonly type: "write"; readonly rows: string; readonly batch: string }
  | { readonly type: "summarize"; readonly query: UsageQuery }
  | { readonly type: "list"; readonly query: RequestQuery }
  | { readonly type: "count"; readonly query: RequestCountQuery }
  | {
    readonly type: "prune";
    readonly before: number;
    readonly quartersBefore?: number | undefined;
  }
  | { readonly type: "close" };

/** The result of each call. */
interface StoreValues {
  readonly write: undefined;
  /** JSON arrays of at most {@linkcode PART_SUMMARIES}, since copying objects takes longer. */
  readonly summarize: readonly string[];
  readonly list: RequestPage;
  readonly count: RequestCounts;
  readonly prune: boolean;
  readonly close: undefined;
}

/** The result of a {@linkcode StoreCall}. */
export type StoreResult =
  | { readonly type: "done"; readonly value: StoreValues[StoreCall["type"]] }
  | { readonly type: "failed"; readonly reason: string; readonly failure: StoreFailure };

/** The number of summaries that are parsed at once, which takes about a millisecond. */
const PART_SUMMARIES = 250;

/** Runs a call from another thread. */
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
      return await toParts(await store.summarize(call.query));
    case "list":
      return await store.list(call.query);
    case "count":
      return await store.count(call.query);
    case "prune":
      return await store.prune(call.before, call.quartersBefore);
    case "close":
      await store.close();
      return undefined;
  }
}

async function toParts(summaries: readonly UsageSummary[]): Promise<readonly string[]> {
  const slice = new TimeSlice();
  const parts: string[] = [];
  for (let at = 0; at < summaries.length; at += PART_SUMMARIES) {
    if (slice.isOver) await slice.next();
    parts.push(JSON.stringify(summaries.slice(at, at + PART_SUMMARIES)));
  }
  return parts;
}

/**
 * The maximum number of rows in a batch that another thread writes. The transaction and the
 * messages cost more than the rows.
 */
const REMOTE_BATCH_ROWS = 500;

/** The time limit of a call, in milliseconds. A long report delays later calls. */
const CALL_TIMEOUT_MS = 300_000;

/** A store in another thread; every call is a message. */
export class RemoteStore implements UsageStore {
  readonly name: string;
  readonly maxBatchRows = REMOTE_BATCH_ROWS;
  readonly #run: (call: StoreCall, timeoutMs: number) => Promise<StoreResult>;

  /** @param run calls the thread of the store; rejects with a {@linkcode CallError} without a reply */
  constructor(name: string, run: (call: StoreCall, timeoutMs: number) => Promise<StoreResult>) {
    this.name = name;
    this.#run = run;
  }

  async write(rows: readonly LedgerRow[], batch: string): Promise<void> {
    await this.#call({ type: "write", rows: JSON.stringify(rows), batch });
  }

  /** Parses a long report in slices, so that its thread serves requests in between. */
  async summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    const parts = await this.#call({ type: "summarize", query });
    const slice = new TimeSlice();
    const summaries: UsageSummary[] = [];
    for (const part of parts) {
      if (slice.isOver) await slice.next();
      summaries.push(...JSON.parse(part) as UsageSummary[]);
    }
    return summaries;
  }

  list(query: RequestQuery): Promise<RequestPage> {
    return this.#call({ type: "list", query });
  }

  count(query: RequestCountQuery): Promise<RequestCounts> {
    return this.#call({ type: "count", query });
  }

  prune(before: number, quartersBefore?: number): Promise<boolean> {
    return this.#call({ type: "prune", before, quartersBefore });
  }

  async close(): Promise<void> {
    await this.#call({ type: "close" });
  }

  /** @throws {StoreError} when the store fails, or its thread does not reply. */
  async #call<Type extends StoreCall["type"]>(
    call: Extract<StoreCall, { readonly type: Type }>,
  ): Promise<StoreValues[Type]> {
    let result: StoreResult;
    try {
      result = await this.#run(call, CALL_TIMEOUT_MS);
    } catch (thrown) {
      throw thrown instanceof CallError ? new StoreError(thrown.message) : thrown;
    }
    if (result.type === "failed") throw new StoreError(result.reason, result.failure);
    return result.value as StoreValues[Type];
  }
}

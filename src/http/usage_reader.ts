/** Reads the ledger's store for callers, with errors that are safe to show. */

import { GatewayError } from "../core/errors.ts";
import {
  type ReadableUsage,
  type RequestCountQuery,
  type RequestCounts,
  type RequestPage,
  type RequestQuery,
  StoreError,
  type UsageQuery,
  type UsageSummary,
} from "../governance/ledger/usage_store.ts";

/** All workers' usage. */
export class UsageReader {
  readonly #usage: ReadableUsage;
  readonly #onError: ((error: StoreError) => void) | undefined;

  /** @param onError called when the store cannot be read */
  constructor(usage: ReadableUsage, onError: ((error: StoreError) => void) | undefined) {
    this.#usage = usage;
    this.#onError = onError;
  }

  /** Summarizes usage. @throws {GatewayError} `overloaded` when the store fails. */
  summarize(query: UsageQuery): Promise<readonly UsageSummary[]> {
    return this.#read((usage) => usage.summarize(query));
  }

  /** Lists individual requests. @throws {GatewayError} `overloaded` when the store fails. */
  list(query: RequestQuery): Promise<RequestPage> {
    return this.#read((usage) => usage.list(query));
  }

  /** Counts requests. @throws {GatewayError} `overloaded` when the store fails. */
  count(query: RequestCountQuery): Promise<RequestCounts> {
    return this.#read((usage) => usage.count(query));
  }

  async #read<Result>(run: (usage: ReadableUsage) => Promise<Result>): Promise<Result> {
    try {
      return await run(this.#usage);
    } catch (thrown) {
      if (!(thrown instanceof StoreError)) throw thrown;
      this.#onError?.(thrown);
      throw new GatewayError("overloaded", "The ledger's store cannot be read now", {
        code: "store_unavailable",
        headers: { "retry-after": "5" },
      });
    }
  }
}

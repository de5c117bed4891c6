/** Failures of SQLite as those of a store. */

import { StoreError } from "./usage_store.ts";

/** The result codes for values that it refuses (https://sqlite.org/rescode.html). */
const REFUSALS = new Set([18, 19, 20]);

/** SQLite's messages name tables and columns, never values. */
export function toStoreError(thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const { message, errcode } = thrown as { readonly message?: string; readonly errcode?: number };
  const isRefusal = REFUSALS.has((errcode ?? 0) & 0xff);
  return new StoreError(message ?? "unknown error", isRefusal ? "values" : "unavailable");
}

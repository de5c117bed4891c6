/** One row of the ledger: a request without its content. */

import type { PricesUsed } from "../cost.ts";

/** Where the token counts of a row come from. */
export type UsageSource =
  /** The vendor reported them. */
  | "vendor"
  /** The vendor reported none; they are estimated from the text. */
  | "estimated"
  /** There was no answer, so nothing was used. */
  | "none";

/** One attempt of a request. Names are those of config.yaml and of the gateway's errors. */
export interface AttemptRow {
  readonly provider: string;
  /** The model's name at the vendor. */
  readonly upstream: string;
  /** Milliseconds from the arrival of the request. */
  readonly startedMs: number;
  /** Milliseconds that it took; for a stream, until its first event. */
  readonly ms: number;
  /** The kind of the error; undefined for an attempt that answered. */
  readonly error?: string | undefined;
  /** The status that the error has for callers. */
  readonly status: number;
  /** Host, port and cause, if the vendor was not reached. */
  readonly cause?: string | undefined;
  /** What followed a failure. */
  readonly next?: string | undefined;
  /** Why the target was not retried, if it could have been. */
  readonly reason?: string | undefined;
  /** Milliseconds that the gateway waited before the next attempt, or was asked to wait. */
  readonly waitMs?: number | undefined;
  /** The bytes of both bodies, of a request of the pass-through. */
  readonly sentBytes?: number | undefined;
  readonly receivedBytes?: number | undefined;
}

/** A request that has ended. Undefined values are unknown. */
export interface LedgerRow {
  /** When it ended, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly id: string;
  /** The name of the service key. */
  readonly key: string | undefined;
  readonly tags: readonly string[];
  /** The model as the caller wrote it. */
  readonly model: string | undefined;
  readonly provider: string | undefined;
  /** The model's name at the vendor. */
  readonly upstream: string | undefined;
  /** The caller format. */
  readonly format: string;
  readonly status: number;
  /** The error code, for a request that failed. */
  readonly error: string | undefined;
  readonly attempts: number;
  /** The attempts of a request that needed several, or failed; at most a fixed number of them. */
  readonly attemptRows?: readonly AttemptRow[] | undefined;
  /** Tokens. Input includes cached input, and output includes reasoning. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  readonly source: UsageSource;
  /** US dollars; undefined if the price is unknown. */
  readonly usd: number | undefined;
  readonly prices: PricesUsed | undefined;
  /** Milliseconds from the arrival to the end. */
  readonly ms: number;
  /** Milliseconds until the first event of a stream. */
  readonly firstTokenMs: number | undefined;
}

/** The members of a row that sums are made of. */
export type CountedRow = Omit<
  LedgerRow,
  "id" | "upstream" | "format" | "attempts" | "attemptRows" | "prices"
>;

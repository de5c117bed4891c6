/** The contract of a store for the ledger. */

import type { LedgerRow } from "./row.ts";

/** What usage can be grouped by. */
export const USAGE_GROUPS = ["key", "model", "provider", "tag", "hour", "day"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Which usage is reported. */
export interface UsageQuery {
  /** Milliseconds since the Unix epoch; the first one that is included. */
  readonly from: number;
  /** The first one that is not included. */
  readonly to: number;
  readonly groupBy: readonly UsageGroup[];
  /** Only the requests of this service key. */
  readonly key?: string | undefined;
}

/** The usage of one group. */
export interface UsageSummary {
  /** The values of the group, in the order of the query; null where a request has none. */
  readonly group: readonly (string | null)[];
  readonly requests: number;
  readonly errors: number;
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** Requests whose tokens are estimated. */
  readonly estimated: number;
  /** US dollars of the requests whose price is known. */
  readonly usd: number;
  /** Requests that used tokens and whose price is unknown. */
  readonly unpriced: number;
  /** Milliseconds: the median and the 95th percentile, within about 5 %. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The median of the time to the first event of streams; null without streams. */
  readonly firstTokenP50Ms: number | null;
}

/** Keeps rows. All methods may fail; the ledger handles that. */
export interface UsageStore {
  /** The store's name in messages. */
  readonly name: string;
  /** Writes a batch of rows, all or none. */
  write(rows: readonly LedgerRow[]): Promise<void>;
  summarize(query: UsageQuery): Promise<readonly UsageSummary[]>;
  /** Removes single rows that ended before this time. Summaries remain. */
  prune(before: number): Promise<void>;
  close(): Promise<void>;
}

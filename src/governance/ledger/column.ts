/** The contract of a column of the ledger. */

import type { AttemptRow } from "./attempt_row.ts";
import type { ColumnType } from "./column_types.ts";
import type { UsageSource } from "./usage_source.ts";

/** One column of the ledger. */
export interface Column<Value = unknown> {
  readonly type: ColumnType<Value>;
  /** The name in databases. */
  readonly name: string;
  /** The name in reports and exports; absent for a column that neither has. */
  readonly report?: string;
  /** Whether lists of requests leave it out: it describes one request in detail. */
  readonly isDetail?: true;
  /** Whether sums depend on it. */
  readonly counted?: true;
  /** The sums of a group of requests that this column adds. */
  readonly sums?: Readonly<Record<string, Sum>>;
  /** Set by the capability that knows it, in `RequestRecord.columns`. */
  readonly recorded?: true;
}

/** One sum of a group of requests. */
export interface Sum {
  /** The name in databases. */
  readonly name: string;
  /** The member of a group in reports. */
  readonly report: string;
  /** Whether it is a sum of real numbers; else of integers. */
  readonly isReal?: true;
  /** What a row adds. Default: the value of the column, 0 for undefined. */
  readonly of?: (row: SummedRow) => number;
  /** The value in reports. Default: the sum. */
  readonly show?: (sum: number, sums: Readonly<Record<string, number>>) => number | null;
}

/** The members of a row that computed sums read. */
export interface SummedRow {
  readonly status: number;
  readonly error?: string | undefined;
  readonly input: number;
  readonly output: number;
  readonly searches?: number | undefined;
  readonly images?: number | undefined;
  readonly characters?: number | undefined;
  readonly seconds?: number | undefined;
  readonly source: UsageSource;
  readonly usd?: number | undefined;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly savedUsd?: number | undefined;
  readonly responseCache?: string | undefined;
  readonly affinity?: string | undefined;
  readonly hedged?: boolean | undefined;
  readonly hedgeUsd?: number | undefined;
  readonly priceOrdered?: boolean | undefined;
  readonly priceOrderUsd?: number | undefined;
  readonly queuedMs?: number | undefined;
  readonly attemptRows?: readonly AttemptRow[] | undefined;
}

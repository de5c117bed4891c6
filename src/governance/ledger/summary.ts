/** Adds rows up into summaries. */

import { bucketOf, percentile } from "./durations.ts";
import type { LedgerRow } from "./row.ts";
import type { UsageGroup, UsageSummary } from "./usage_store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The sums of a group of requests. */
export interface Sums {
  requests: number;
  errors: number;
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
  estimated: number;
  usd: number;
  unpriced: number;
}

/** One group while it is added up. */
export class GroupSums implements Sums {
  requests = 0;
  errors = 0;
  input = 0;
  cachedInput = 0;
  cacheWrite = 0;
  output = 0;
  reasoning = 0;
  estimated = 0;
  usd = 0;
  unpriced = 0;
  /** The number of requests by bucket of their duration, and by that of their first event. */
  readonly durations = new Map<number, number>();
  readonly firstTokens = new Map<number, number>();

  addRow(row: LedgerRow): void {
    this.addSums(sumsOf(row));
    count(this.durations, bucketOf(row.ms), 1);
    if (row.firstTokenMs !== undefined) count(this.firstTokens, bucketOf(row.firstTokenMs), 1);
  }

  addSums(sums: Sums): void {
    for (const name of SUM_NAMES) this[name] += sums[name];
  }

  addDuration(kind: "total" | "first", bucket: number, requests: number): void {
    count(kind === "total" ? this.durations : this.firstTokens, bucket, requests);
  }

  toSummary(group: readonly (string | null)[]): UsageSummary {
    const { requests, errors, input, cachedInput, cacheWrite, output, reasoning } = this;
    return {
      group,
      ...{ requests, errors, input, cachedInput, cacheWrite, output, reasoning },
      estimated: this.estimated,
      usd: Math.round(this.usd * 1e9) / 1e9,
      unpriced: this.unpriced,
      p50Ms: rounded(percentile(this.durations, 0.5)) ?? 0,
      p95Ms: rounded(percentile(this.durations, 0.95)) ?? 0,
      firstTokenP50Ms: rounded(percentile(this.firstTokens, 0.5)) ?? null,
    };
  }
}

/** The members of {@linkcode Sums}. */
export const SUM_NAMES = [
  "requests",
  "errors",
  "input",
  "cachedInput",
  "cacheWrite",
  "output",
  "reasoning",
  "estimated",
  "usd",
  "unpriced",
] as const satisfies readonly (keyof Sums)[];

/** The sums of one row. */
export function sumsOf(row: LedgerRow): Sums {
  const { input, cachedInput, cacheWrite, output, reasoning, source, status, usd } = row;
  return {
    requests: 1,
    errors: status >= 400 || row.error !== undefined ? 1 : 0,
    ...{ input, cachedInput, cacheWrite, output, reasoning },
    estimated: source === "estimated" ? 1 : 0,
    usd: usd ?? 0,
    unpriced: usd === undefined && input + output > 0 ? 1 : 0,
  };
}

/** The start of the hour that a time lies in, in milliseconds since the Unix epoch. */
export function hourOf(time: number): number {
  return time - time % HOUR_MS;
}

/** The text of a group of time: the start of the hour or of the day in UTC. */
export function timeGroup(group: "hour" | "day", time: number): string {
  const iso = new Date(time - time % (group === "hour" ? HOUR_MS : DAY_MS)).toISOString();
  return group === "hour" ? `${iso.slice(0, 16)}Z` : iso.slice(0, 10);
}

/** The value of a row in a group that has one value for each row. */
export function groupValue(
  group: Exclude<UsageGroup, "tag">,
  row: Pick<LedgerRow, "time" | "key" | "model" | "provider">,
): string | null {
  if (group === "hour" || group === "day") return timeGroup(group, row.time);
  return row[group] ?? null;
}

function count(counts: Map<number, number>, bucket: number, requests: number): void {
  counts.set(bucket, (counts.get(bucket) ?? 0) + requests);
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

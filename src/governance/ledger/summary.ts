/** Adds rows up into summaries. */

import { bucketOf, Distribution } from "./durations.ts";
import type { CountedRow, LedgerRow } from "./row.ts";
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
  readonly durations = new Distribution();
  /** The times to the first events of streams. */
  readonly firstTokens = new Distribution();

  addRow(row: CountedRow): void {
    const { input, cachedInput, cacheWrite, output, reasoning, source, status, usd, ms } = row;
    this.requests++;
    if (status >= 400 || row.error !== undefined) this.errors++;
    this.input += input;
    this.cachedInput += cachedInput;
    this.cacheWrite += cacheWrite;
    this.output += output;
    this.reasoning += reasoning;
    if (source === "estimated") this.estimated++;
    this.usd += usd ?? 0;
    if (usd === undefined && input + output > 0) this.unpriced++;
    this.durations.add(bucketOf(ms));
    if (row.firstTokenMs !== undefined) this.firstTokens.add(bucketOf(row.firstTokenMs));
  }

  addSums(other: GroupSums): void {
    for (const name of SUM_NAMES) this[name] += other[name];
    this.durations.addAll(other.durations);
    this.firstTokens.addAll(other.firstTokens);
  }

  toSummary(group: readonly (string | null)[]): UsageSummary {
    const { requests, errors, input, cachedInput, cacheWrite, output, reasoning } = this;
    return {
      group,
      ...{ requests, errors, input, cachedInput, cacheWrite, output, reasoning },
      estimated: this.estimated,
      usd: Math.round(this.usd * 1e9) / 1e9,
      unpriced: this.unpriced,
      p50Ms: rounded(this.durations.percentile(0.5)) ?? 0,
      p95Ms: rounded(this.durations.percentile(0.95)) ?? 0,
      firstTokenP50Ms: rounded(this.firstTokens.percentile(0.5)) ?? null,
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

/** The start of the hour that a time lies in, in milliseconds since the Unix epoch. */
export function hourOf(time: number): number {
  return time - time % HOUR_MS;
}

/** The start of the day in UTC that a time lies in, in milliseconds since the Unix epoch. */
export function dayOf(time: number): number {
  return time - time % DAY_MS;
}

/** Longer names are truncated in groups, because databases limit the size of a key. */
const MAX_NAME_CHARS = 160;

/** The name of a group. */
export function toName(name: string): string {
  return name.slice(0, MAX_NAME_CHARS);
}

/** The key, the model and the provider that a row counts for. */
export function namesOf(
  { key, model, provider, status }: Pick<LedgerRow, "key" | "model" | "provider" | "status">,
): { readonly [Name in "key" | "model" | "provider"]: string | undefined } {
  // A request that was refused before a model was found may have any name: as groups, such names
  // would grow without bound. A limit is that of a model that exists.
  const isInvented = provider === undefined && status >= 400 && status < 500 && status !== 429;
  return {
    key: key && toName(key),
    model: isInvented ? undefined : model && toName(model),
    provider: provider && toName(provider),
  };
}

/** The text of a group of time: the start of the hour or of the day in UTC. */
export function timeGroup(group: "hour" | "day", time: number): string {
  const iso = new Date(time - time % (group === "hour" ? HOUR_MS : DAY_MS)).toISOString();
  return group === "hour" ? `${iso.slice(0, 16)}Z` : iso.slice(0, 10);
}

/** The value of a row in a group that has one value for each row. */
export function groupValue(
  group: Exclude<UsageGroup, "tag">,
  row: Pick<LedgerRow, "time" | "key" | "model" | "provider" | "status">,
): string | null {
  if (group === "hour" || group === "day") return timeGroup(group, row.time);
  return namesOf(row)[group] ?? null;
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

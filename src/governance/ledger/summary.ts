/** Adds rows up into summaries. */

import type { AttemptRow } from "./attempt_row.ts";
import { isTargetFailure } from "./attempts.ts";
import { noSums, ROW_SUMS, type Sums } from "./columns.ts";
import { bucketOf, Distribution } from "./durations.ts";
import type { CountedRow, LedgerRow, SumName } from "./row.ts";
import type { UsageGroup, UsageSummary } from "./usage_store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** One group while it is added up. */
export class GroupSums {
  readonly sums: Sums = noSums();
  readonly durations = new Distribution();
  /** The times to the first events of streams. */
  readonly firstTokens = new Distribution();

  addRow(row: CountedRow): void {
    for (const { member, of } of ROW_SUMS) this.sums[member] += of(row);
    this.durations.add(bucketOf(row.ms));
    if (row.firstTokenMs !== undefined) this.firstTokens.add(bucketOf(row.firstTokenMs));
  }

  /** Adds an attempt: its errors are failures of the target. */
  addAttempt(attempt: AttemptRow, isRescued: boolean): void {
    this.sums.requests++;
    if (isTargetFailure(attempt)) {
      this.sums.errors++;
      if (isRescued) this.sums.rescued++;
    }
    this.durations.add(bucketOf(attempt.ms));
  }

  /** Moves amounts to another group, which then has them in place of this one. */
  moveTo(other: GroupSums, amounts: Readonly<Partial<Record<SumName, number>>>): void {
    for (const { member } of ROW_SUMS) {
      const amount = amounts[member] ?? 0;
      this.sums[member] -= amount;
      other.sums[member] += amount;
    }
  }

  addSums(other: GroupSums): void {
    for (const { member } of ROW_SUMS) this.sums[member] += other.sums[member];
    this.durations.addAll(other.durations);
    this.firstTokens.addAll(other.firstTokens);
  }

  toSummary(group: readonly (string | null)[]): UsageSummary {
    const sums = { ...this.sums };
    for (const { isReal, member } of ROW_SUMS) {
      if (isReal) sums[member] = Math.round(sums[member] * 1e9) / 1e9 || 0;
    }
    return {
      group,
      ...sums,
      p50Ms: rounded(this.durations.percentile(0.5)) ?? 0,
      p95Ms: rounded(this.durations.percentile(0.95)) ?? 0,
      firstTokenP50Ms: rounded(this.firstTokens.percentile(0.5)) ?? null,
    };
  }
}

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

/** The members of a row that decide which groups it counts for. */
type NameMember = "key" | "model" | "modelFound" | "provider" | "status";

/** The key, the model and the provider that a row counts for. */
export function namesOf(
  { key, model, modelFound, provider, status }: Pick<LedgerRow, NameMember>,
): { readonly [Name in "key" | "model" | "provider"]: string | undefined } {
  // A name of no model may be anything: as groups, such names would grow without bound. Limits
  // apply only to models that exist, also in rows of versions without `modelFound`.
  const isInvented = !modelFound && provider === undefined && status >= 400 && status < 500 &&
    status !== 429;
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

/**
 * The value of a row in a group that has one value for each row.
 *
 * @param dayOffsetMs what is added to the time before its day is known
 */
export function groupValue(
  group: Exclude<UsageGroup, "tag" | "session" | "end_user">,
  row: Pick<LedgerRow, "time" | NameMember>,
  dayOffsetMs: number,
): string | null {
  if (group === "hour") return timeGroup(group, row.time);
  if (group === "day") return timeGroup(group, row.time + dayOffsetMs);
  return namesOf(row)[group] ?? null;
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

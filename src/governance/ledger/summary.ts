/** Sums rows into summaries, with distributions of durations. */

import { offsetAt, type ZoneOffset } from "../../core/time_zones.ts";
import type { AttemptRow } from "./attempt_row.ts";
import { isTargetFailure } from "./attempts.ts";
import { noSums, ROW_SUMS, type Sums } from "./columns.ts";
import type { CountedRow, LedgerRow, SumName } from "./row.ts";
import type { UsageGroup, UsageSummary } from "./usage_store.ts";

// Distributions of durations in buckets that grow by a constant factor. A store keeps them as text,
// such as `12:3,15:1` for three values in bucket 12 and one in bucket 15. Two texts joined by a
// comma represent their sum, so that a database can add them.

/**
 * The ratio of the upper bounds of two neighboring buckets. The middle of a bucket is within 5 % of
 * every value in it.
 */
const FACTOR = 1.1;
const LOG_FACTOR = Math.log(FACTOR);
/** The bucket for all durations above about ten days. */
const MAX_BUCKET = 220;

const COMMA = 44;
const COLON = 58;
const ZERO = 48;

/** Counts per bucket while a text is read; much faster than a Map. All zero between reads. */
const SCRATCH = new Float64Array(MAX_BUCKET + 1);

/** The bucket number for a duration in milliseconds. */
function bucketOf(ms: number): number {
  return ms > 1 ? Math.min(MAX_BUCKET, Math.ceil(Math.log(ms) / LOG_FACTOR)) : 0;
}

/** The middle of a bucket, in milliseconds. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 1 : FACTOR ** (bucket - 0.5);
}

/** The number of values per bucket. */
class Distribution {
  readonly #counts = new Map<number, number>();

  add(bucket: number, count = 1): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count);
  }

  addAll(other: Distribution): void {
    for (const [bucket, count] of other.#counts) this.add(bucket, count);
  }

  /** Adds a text from {@linkcode toText}, or several such texts joined by commas. */
  addText(text: string): void {
    let bucket = 0;
    let value = 0;
    for (let at = 0; at <= text.length; at++) {
      const char = at < text.length ? text.charCodeAt(at) : COMMA;
      if (char === COMMA) {
        if (bucket <= MAX_BUCKET) SCRATCH[bucket] = (SCRATCH[bucket] ?? 0) + value;
        value = 0;
      } else if (char === COLON) {
        bucket = value;
        value = 0;
      } else value = value * 10 + char - ZERO;
    }
    for (const [index, count] of SCRATCH.entries()) if (count > 0) this.add(index, count);
    SCRATCH.fill(0);
  }

  toText(): string {
    return [...this.#counts].map(([bucket, count]) => `${bucket}:${count}`).join(",");
  }

  /**
   * A percentile in milliseconds, or undefined if there are no values.
   *
   * @param share from 0 to 1
   */
  percentile(share: number): number | undefined {
    const buckets = [...this.#counts].sort(([one], [other]) => one - other);
    let left = share * buckets.reduce((sum, [, count]) => sum + count, 0);
    for (const [bucket, count] of buckets) {
      left -= count;
      if (left <= 0) return middleOf(bucket);
    }
    const last = buckets.at(-1);
    return last === undefined ? undefined : middleOf(last[0]);
  }
}

/** The shortest period for sums in databases. */
export const QUARTER_MS = 900_000;
export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A group while it is being added up. */
export class GroupSums {
  readonly sums: Sums = noSums();
  readonly durations = new Distribution();
  /** The times to streams' first events. */
  readonly firstTokens = new Distribution();

  addRow(row: CountedRow): void {
    for (const { member, of } of ROW_SUMS) this.sums[member] += of(row);
    this.durations.add(bucketOf(row.ms));
    if (row.firstTokenMs !== undefined) this.firstTokens.add(bucketOf(row.firstTokenMs));
  }

  /** Adds an attempt; only failures of the target count as errors. */
  addAttempt(attempt: AttemptRow, isRescued: boolean): void {
    this.sums.requests++;
    if (isTargetFailure(attempt)) {
      this.sums.errors++;
      if (isRescued) this.sums.rescued++;
    }
    this.durations.add(bucketOf(attempt.ms));
  }

  /** Moves amounts from this group to another one. */
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

/** The start of the quarter-hour that contains a time, in milliseconds since the Unix epoch. */
export function quarterOf(time: number): number {
  return time - time % QUARTER_MS;
}

/** The start of the hour that contains a time, in milliseconds since the Unix epoch. */
export function hourOf(time: number): number {
  return time - time % HOUR_MS;
}

/** The start of the UTC day that contains a time, in milliseconds since the Unix epoch. */
export function dayOf(time: number): number {
  return time - time % DAY_MS;
}

/** Longer names are truncated in groups, because databases limit the key size. */
const MAX_NAME_CHARS = 160;

/** A group's name. */
export function toName(name: string): string {
  return name.slice(0, MAX_NAME_CHARS);
}

/** The row members that determine its groups. */
type NameMember = "key" | "team" | "owner" | "model" | "modelFound" | "provider" | "status";

/** The names under which a row is counted. */
export function namesOf(
  { key, team, owner, model, modelFound, provider, status }: Pick<LedgerRow, NameMember>,
): { readonly [Name in "key" | "team" | "owner" | "model" | "provider"]: string | undefined } {
  // Names of nonexistent models are arbitrary, so the number of such groups would be unbounded.
  // Limits apply only to models that exist, including in rows from versions without `modelFound`.
  const isInvented = !modelFound && provider === undefined && status >= 400 && status < 500 &&
    status !== 429;
  return {
    key: key && toName(key),
    ...{ team, owner },
    model: isInvented ? undefined : model && toName(model),
    provider: provider && toName(provider),
  };
}

/** The name of a time group: the start of the hour or the day in UTC. */
export function timeGroup(group: "hour" | "day", time: number): string {
  const iso = new Date(time - time % (group === "hour" ? HOUR_MS : DAY_MS)).toISOString();
  return group === "hour" ? `${iso.slice(0, 16)}Z` : iso.slice(0, 10);
}

/**
 * A row's value for a grouping with exactly one value per row.
 *
 * @param zone the offsets for determining the day of a time
 */
export function groupValue(
  group: Exclude<UsageGroup, "tag" | "session" | "end_user">,
  row: Pick<LedgerRow, "time" | NameMember>,
  zone: readonly ZoneOffset[],
): string | null {
  if (group === "hour") return timeGroup(group, row.time);
  if (group === "day") return timeGroup(group, row.time + offsetAt(zone, row.time));
  return namesOf(row)[group] ?? null;
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

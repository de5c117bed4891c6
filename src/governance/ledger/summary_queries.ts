/** Reports of usage in a database: from the sums by hour and by day. */

import { TimeSlice } from "../../core/clock.ts";
import { ROW_SUMS } from "./columns.ts";
import { isLabel, type LabelKind, LABELS } from "./labels.ts";
import { LABEL_PREFIX, SPANS, UNTAGGED } from "./rollups.ts";
import { fromStored, type SqlQuery, toStored } from "./sql_text.ts";
import { dayOf, GroupSums, hourOf, timeGroup, toName } from "./summary.ts";
import type { UsageGroup, UsageQuery, UsageSummary } from "./usage_store.ts";

const DAY_MS = 86_400_000;

/** What rows are grouped by. `start` is the start of the hour or day in milliseconds. */
const GROUP_COLUMNS: Readonly<Record<Exclude<UsageGroup, "day">, string>> = {
  key: "key",
  model: "model",
  provider: "provider",
  tag: "tag",
  session: "tag",
  end_user: "tag",
  hour: "start",
};

/** @param offset what is added to a time before its day is known, in milliseconds */
function groupColumn(group: UsageGroup, offset: number): string {
  if (group !== "day") return GROUP_COLUMNS[group];
  const start = offset === 0 ? "start" : `(start + ${offset})`;
  return `${start} - ${start} % ${DAY_MS}`;
}

/** What a store has sums of. */
export interface SummaryBounds {
  /** The first hour that has not been removed; older times are rounded to days. */
  readonly oldestHour: number | undefined;
  /** The first hour whose totals are complete: a file or database of an older version has none. */
  readonly totalsSince: number;
}

/** The groups that all requests of an hour are in one of. */
const TOTAL_GROUPS: ReadonlySet<UsageGroup> = new Set(["hour", "day"]);

/**
 * The query of usage. Whole days come from the sums by day, the rest from those by hour.
 *
 * @param placeholder of the value at a position, from 1
 */
export function toSummaryQuery(
  query: UsageQuery,
  table: string,
  placeholder: (position: number) => string,
  { oldestHour, totalsSince }: SummaryBounds,
): SqlQuery {
  const { from, to, groupBy, dayOffsetMs = 0, limit, of, offset = 0 } = query;
  const values: (number | string)[] = [];
  const bind = (value: number | string) => placeholder(values.push(value));
  const label = query.label?.kind ?? groupBy.find(isLabel);
  const { hour, day = undefined }: LabelKind["spans"] = label === undefined
    ? SPANS
    : LABELS[label].spans;
  const conditions = filtersOf(query);
  const hasTotals = conditions.length === 0 && groupBy.every((group) => TOTAL_GROUPS.has(group));
  const between = (span: number, start: number, end: number) =>
    start < end ? [`span = ${span} AND start >= ${bind(start)} AND start < ${bind(end)}`] : [];
  const byHour = day === undefined || of === "attempts" || groupBy.includes("hour") ||
    dayOffsetMs !== 0;
  const attempts = query.key === undefined ? SPANS.attemptTotal : SPANS.attemptHour;
  const ranges = rangesOf(from, to, byHour, oldestHour).flatMap(
    ([unit, start, end]) => {
      if (of === "attempts") return between(attempts, start, end);
      if (unit === "day" && day !== undefined) return between(day, start, end);
      const middle = hasTotals ? Math.min(Math.max(start, totalsSince), end) : end;
      return [...between(hour, start, middle), ...between(SPANS.total, middle, end)];
    },
  );
  const where = [
    `(${ranges.map((range) => `(${range})`).join(" OR ")})`,
    ...conditions.map(([column, value]) => `${column} = ${bind(value)}`),
  ].join(" AND ");
  const groups = groupBy.map((group, index) => `${groupColumn(group, dayOffsetMs)} AS g${index}`);
  const sums = ROW_SUMS.map(({ member, name }) => `SUM(${name}) AS "${member}"`);
  const texts = ["durations", "first_tokens"].map((name) => `string_agg(${name}, ',') AS ${name}`);
  const grouped = groupBy.map((_, index) => `g${index}`).join(", ");
  return {
    text: `SELECT ${[...groups, ...sums, ...texts].join(", ")} FROM ${table} WHERE ${where}` +
      (grouped === "" ? "" : ` GROUP BY ${grouped}`) +
      (grouped === "" || limit === undefined
        ? ""
        : ` ORDER BY ${grouped} LIMIT ${bind(limit)} OFFSET ${bind(offset)}`),
    values,
  };
}

/** The columns that must have a value, with their values as they are stored. */
function filtersOf({ key, label, model, provider }: UsageQuery): [string, string][] {
  const names = Object.entries({ key, model, provider }).flatMap(([column, name]) =>
    name === undefined ? [] : [[column, toStored(toName(name))] as [string, string]]
  );
  return label === undefined ? names : [...names, ["tag", toStored(LABEL_PREFIX + label.label)]];
}

/** The summary of each row that the query of {@linkcode toSummaryQuery} returned, made in slices. */
export async function toSummaries(
  rows: readonly Readonly<Record<string, unknown>>[],
  groupBy: readonly UsageGroup[],
): Promise<UsageSummary[]> {
  const slice = new TimeSlice();
  const summaries: UsageSummary[] = [];
  for (const row of rows) {
    if (slice.isOver) await slice.next();
    if (row.requests === null) continue;
    const sums = new GroupSums();
    for (const { member } of ROW_SUMS) sums.sums[member] = Number(row[member]);
    sums.durations.addText(String(row.durations));
    sums.firstTokens.addText(String(row.first_tokens));
    summaries.push(sums.toSummary(groupBy.map((group, index) => toGroup(group, row[`g${index}`]))));
  }
  return summaries;
}

type Range = readonly ["hour" | "day", number, number];

/** Divides a time into the days and hours whose sums cover it. Its ends are rounded to hours. */
function rangesOf(
  from: number,
  to: number,
  byHour: boolean,
  oldestHour = 0,
): readonly Range[] {
  const [start, end] = [hourOf(from), hourOf(to - 1) + DAY_MS / 24];
  if (byHour) return [["hour", start, end]];
  const firstDay = start < oldestHour ? dayOf(start) : dayOf(start - 1) + DAY_MS;
  const endDay = end < oldestHour ? dayOf(end - 1) + DAY_MS : dayOf(end);
  if (firstDay >= endDay) return [["hour", start, end]];
  const ranges: Range[] = [
    ["hour", start, firstDay],
    ["day", firstDay, endDay],
    ["hour", endDay, end],
  ];
  return ranges.filter(([, first, last]) => first < last);
}

function toGroup(group: UsageGroup, value: unknown): string | null {
  if (group === "hour" || group === "day") return timeGroup(group, Number(value));
  const text = fromStored(String(value));
  if (!isLabel(group)) return text === "" ? null : text;
  return text === UNTAGGED ? null : text.slice(LABEL_PREFIX.length);
}

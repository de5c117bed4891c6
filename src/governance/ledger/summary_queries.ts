/** Usage reports from a database's quarter-hour, hourly and daily sums. */

import { TimeSlice } from "../../core/clock.ts";
import type { ZoneOffset } from "../../core/time_zones.ts";
import { ROW_SUMS } from "./columns.ts";
import { isLabel, type LabelKind, LABELS } from "./labels.ts";
import { LABEL_PREFIX, SPANS, UNTAGGED } from "./rollups.ts";
import {
  dayOf,
  GroupSums,
  HOUR_MS,
  hourOf,
  QUARTER_MS,
  quarterOf,
  timeGroup,
  toName,
} from "./summary.ts";
import type { UsageGroup, UsageQuery, UsageSummary } from "./usage_store.ts";
import { fromStored, type SqlQuery, type SqlRow, type SqlSteps, toStored } from "./column_types.ts";

const DAY_MS = 86_400_000;

/** The grouping expressions. `start` is the start of a row's period in milliseconds. */
const GROUP_COLUMNS: Readonly<Record<Exclude<UsageGroup, "day">, string>> = {
  key: "key",
  team: "team",
  owner: "owner",
  model: "model",
  provider: "provider",
  tag: "tag",
  session: "tag",
  end_user: "tag",
  hour: `start - start % ${HOUR_MS}`,
};

/** @param zone the offsets that are added to a time to determine its day */
function groupColumn(group: UsageGroup, zone: readonly ZoneOffset[]): string {
  if (group !== "day") return GROUP_COLUMNS[group];
  const start = toLocal(zone);
  return `${start} - ${start} % ${DAY_MS}`;
}

/** A row's start in a zone. */
function toLocal(zone: readonly ZoneOffset[]): string {
  const local = (ms: number) => ms === 0 ? "start" : `(start + ${ms})`;
  const [first, ...changes] = zone;
  if (changes.length === 0) return local(first?.ms ?? 0);
  const cases = changes.map(({ since }, index) =>
    `WHEN start < ${since} THEN ${local(zone[index]?.ms ?? 0)}`
  );
  return `(CASE ${cases.join(" ")} ELSE ${local(zone.at(-1)?.ms ?? 0)} END)`;
}

/** The range covered by a store's sums. */
interface SummaryBounds {
  /** The first hour that has not been removed; older times are rounded to days. */
  readonly oldestHour: number;
  /** The first hour whose totals are complete; stores from older versions have no totals. */
  readonly totalsSince: number;
  /**
   * The first hour whose quarter-hour sums are complete and have not been removed; infinite if
   * there is none.
   */
  readonly quartersSince: number;
}

/**
 * Reads the rows for {@linkcode toSummaries} from the tables of the sums and of the counted rows.
 */
export function* readSums(
  query: UsageQuery,
  sums: string,
  counted: string,
): SqlSteps<readonly SqlRow[]> {
  return yield toSummaryQuery(query, sums, yield* readBounds(sums, counted));
}

function* readBounds(sums: string, counted: string): SqlSteps<SummaryBounds> {
  const oldest = (span: number) => `(SELECT MIN(start) FROM ${sums} WHERE span = ${span})`;
  const [stored = {}] = yield {
    text: `SELECT ${oldest(SPANS.hour)} AS hour, ${oldest(SPANS.quarter)} AS quarter,
      totals_since AS totals, quarters_since AS quarters FROM ${counted}`,
    values: [],
  };
  const { hour = null, quarter = null, totals = 0, quarters = 0 } = stored;
  return {
    oldestHour: Number(hour),
    totalsSince: Number(totals),
    quartersSince: quarter === null
      ? Infinity
      : Math.max(Number(quarters), hourOf(Number(quarter))),
  };
}

/** The groupings in which each request of an hour belongs to exactly one group. */
const TOTAL_GROUPS: ReadonlySet<UsageGroup> = new Set(["hour", "day"]);

/**
 * The usage query. Whole days come from the daily sums, the rest from the hourly sums, and the ends
 * from the quarter-hour sums.
 */
function toSummaryQuery(query: UsageQuery, table: string, bounds: SummaryBounds): SqlQuery {
  const { groupBy, limit, of, offset = 0, zone = [] } = query;
  const values: (number | string)[] = [];
  const bind = (value: number | string) => `$${values.push(value)}`;
  const conditions = filtersOf(query);
  const hasTotals = conditions.length === 0 && groupBy.every((group) => TOTAL_GROUPS.has(group));
  const between = (span: number, start: number, end: number) =>
    start < end ? [`span = ${span} AND start >= ${bind(start)} AND start < ${bind(end)}`] : [];
  const label = query.label?.kind ?? groupBy.find(isLabel);
  const spans: LabelKind["spans"] = label === undefined ? SPANS : LABELS[label].spans;
  const attempts = query.key === undefined ? SPANS.attemptTotal : SPANS.attemptHour;
  const ranges = rangesOf(query, spans, bounds).flatMap(([unit, start, end]) => {
    if (of === "attempts") return between(attempts, start, end);
    if (unit === "day") return between(spans.day ?? SPANS.day, start, end);
    if (unit === "quarter") {
      return between(hasTotals ? SPANS.totalQuarter : spans.quarter, start, end);
    }
    const middle = hasTotals ? Math.min(Math.max(start, bounds.totalsSince), end) : end;
    return [...between(spans.hour, start, middle), ...between(SPANS.total, middle, end)];
  });
  const where = [
    `(${ranges.map((range) => `(${range})`).join(" OR ")})`,
    ...conditions.map(([column, value]) => `${column} = ${bind(value)}`),
  ].join(" AND ");
  const groups = groupBy.map((group, index) => `${groupColumn(group, zone)} AS g${index}`);
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

/** The columns to filter by, with their stored values. */
function filtersOf(query: UsageQuery): [string, string][] {
  const { key, label, model, owner, provider, team } = query;
  const names = Object.entries({ key, team, owner, model, provider }).flatMap(([column, name]) =>
    name === undefined ? [] : [[column, toStored(toName(name))] as [string, string]]
  );
  return label === undefined ? names : [...names, ["tag", toStored(LABEL_PREFIX + label.label)]];
}

/** The summary of each row from {@linkcode readSums}, made in slices. */
export async function toSummaries(
  rows: readonly SqlRow[],
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

type Range = readonly [unit: "quarter" | "hour" | "day", start: number, end: number];

/**
 * Divides a query's time range into the days, hours and quarters whose sums cover it. Its ends are
 * rounded to quarter-hours, or to hours if there are no quarter-hour sums.
 */
function rangesOf(
  query: UsageQuery,
  { day }: LabelKind["spans"],
  { oldestHour, quartersSince }: SummaryBounds,
): readonly Range[] {
  const { from, to, groupBy, of, zone = [] } = query;
  const byDay = groupBy.includes("day");
  const hasQuarters = of !== "attempts";
  const isFine = (time: number) => hasQuarters && hourOf(time) >= quartersSince;
  const start = isFine(from) ? quarterOf(from) : hourOf(from);
  const end = isFine(to - 1) ? quarterOf(to - 1) + QUARTER_MS : hourOf(to - 1) + HOUR_MS;
  // In such a zone, an hour may belong to two days.
  if (hasQuarters && byDay && zone.some(({ ms }) => ms % HOUR_MS !== 0)) {
    const middle = Math.min(Math.max(start, quartersSince), end);
    return notEmpty([["hour", start, middle], ["quarter", middle, end]]);
  }
  const [firstHour, endHour] = [hourOf(start + HOUR_MS - 1), hourOf(end)];
  if (firstHour >= endHour) {
    return [[start === hourOf(start) && end === hourOf(end) ? "hour" : "quarter", start, end]];
  }
  const byHour = day === undefined || of === "attempts" || groupBy.includes("hour") ||
    (byDay && zone.some(({ ms }) => ms !== 0));
  const firstDay = firstHour < oldestHour ? dayOf(firstHour) : dayOf(firstHour - 1) + DAY_MS;
  // A key's team and owner may change within a day.
  const lastHour = hasHolder(query) ? Math.max(Math.min(endHour, oldestHour), firstDay) : endHour;
  const endDay = endHour < oldestHour ? dayOf(endHour - 1) + DAY_MS : dayOf(lastHour);
  const middle: readonly Range[] = byHour || firstDay >= endDay
    ? [["hour", firstHour, endHour]]
    : [["hour", firstHour, firstDay], ["day", firstDay, endDay], ["hour", endDay, endHour]];
  return notEmpty([["quarter", start, firstHour], ...middle, ["quarter", endHour, end]]);
}

/** Whether a query depends on keys' team or owner. */
function hasHolder({ groupBy, owner, team }: UsageQuery): boolean {
  return owner !== undefined || team !== undefined ||
    groupBy.some((group) => group === "team" || group === "owner");
}

function notEmpty(ranges: readonly Range[]): readonly Range[] {
  return ranges.filter(([, first, last]) => first < last);
}

function toGroup(group: UsageGroup, value: unknown): string | null {
  if (group === "hour" || group === "day") return timeGroup(group, Number(value));
  const text = fromStored(String(value));
  if (!isLabel(group)) return text === "" ? null : text;
  return text === UNTAGGED ? null : text.slice(LABEL_PREFIX.length);
}

/**
 * Sums of requests by quarter-hour, hour and day, which a database keeps instead of individual
 * requests. The column `span` distinguishes the kinds of sums; sums for labels, in the column
 * `tag`, count a request once for each of its labels; totals cover all requests.
 */

import { systemClock } from "../../core/clock.ts";
import { addAttempts, type BilledElsewhere, billedElsewhere } from "./attempt_sums.ts";
import { HOLDER_COLUMNS, ROW_SUMS } from "./columns.ts";
import { type LabelBounds, type LabelName, LABELS } from "./labels.ts";
import type { CountedRow } from "./row.ts";
import { dayOf, GroupSums, hourOf, namesOf, quarterOf, toName } from "./summary.ts";
import { fromStored, type SqlRow, type SqlSteps, toStored } from "./column_types.ts";

/** The values of the column `span`; those of labels are in {@linkcode LABELS}. */
export const SPANS = {
  ...{ quarter: 9, hour: 0, day: 1, totalQuarter: 10, total: 4 },
  /** Attempts by target, for each key and for all keys; `model` is the upstream name. */
  ...{ attemptHour: 7, attemptTotal: 8 },
} as const;
const TAGS = LABELS.tag.spans;
/** The spans that are removed with the individual requests. */
const HOUR_SPANS: readonly number[] = [
  ...[SPANS.hour, SPANS.total, SPANS.attemptHour, SPANS.attemptTotal],
  ...Object.values(LABELS).map(({ spans }) => spans.hour),
];
/** The quarter-hour spans, which are removed earlier. */
const QUARTER_SPANS: readonly number[] = [
  ...[SPANS.quarter, SPANS.totalQuarter],
  ...Object.values(LABELS).map(({ spans }) => spans.quarter),
];
/** The target spans of summation. */
const HOURS_OF_QUARTERS: ReadonlyMap<number, number> = new Map([
  ...[[SPANS.quarter, SPANS.hour], [SPANS.totalQuarter, SPANS.total]] as const,
  ...Object.values(LABELS).map(({ spans }) => [spans.quarter, spans.hour] as const),
]);
const DAYS_OF_HOURS: ReadonlyMap<number, number> = new Map([
  [SPANS.hour, SPANS.day],
  [TAGS.hour, TAGS.day],
]);
/** The kinds of labels that few requests have. */
const RARE_LABELS = ["session", "end_user"] as const satisfies readonly LabelName[];

/** Represents a request without tags; labels have a prefix. */
export const UNTAGGED = "-";
export const LABEL_PREFIX = "#";

/** The columns of the sums. */
const SUM_COLUMNS: readonly string[] = ROW_SUMS.map(({ name }) => name);

/** The columns that identify sums, in the order of the primary key. */
export const KEY_COLUMNS = ["span", "start", "tag", "key", "model", "provider"] as const;

/** The columns that the last rollup replaces. */
const REPLACED: readonly string[] = [...HOLDER_COLUMNS, "durations", "first_tokens"];

/** A rollup's columns, in insertion order. */
export const ROLLUP_COLUMNS: readonly string[] = [...KEY_COLUMNS, ...SUM_COLUMNS, ...REPLACED];

/** Adds an inserted rollup to the existing one, in the table `sums`. */
export const ADD_TO_ROLLUP = `ON CONFLICT (${KEY_COLUMNS.join(", ")}) DO UPDATE SET ${
  [
    ...SUM_COLUMNS.map((column) => `${column} = sums.${column} + excluded.${column}`),
    ...REPLACED.map((column) => `${column} = excluded.${column}`),
  ].join(", ")
}`;

const DAY_MS = 86_400_000;

/** The sums for some requests. */
export interface Rollup {
  /** The values of {@linkcode KEY_COLUMNS}, as they are stored. */
  readonly key: readonly [number, number, string, string, string, string];
  /** The values of {@linkcode HOLDER_COLUMNS}: those from the last request; empty in totals. */
  holders: Holders;
  readonly sums: GroupSums;
}

type Holders = readonly [team: string, owner: string];

const NO_HOLDERS: Holders = ["", ""];

/** The rows for one quarter-hour, key, model and provider. */
interface QuarterGroup {
  readonly start: number;
  /** The names as they are stored. */
  readonly names: readonly [string, string, string];
  holders: Holders;
  /** The sums for the rows without tags. */
  readonly untagged: GroupSums;
  readonly tagged: CountedRow[];
  /** The rows with other kinds of labels. */
  readonly labeled: CountedRow[];
  /** The rows with charges from other providers. */
  readonly shared: { readonly row: CountedRow; readonly elsewhere: readonly BilledElsewhere[] }[];
  /** The attempts by target: the stored name of the model, then of the provider. */
  readonly attempts: Map<string, GroupSums>;
}

function toGroups(rows: readonly CountedRow[]): ReadonlyMap<string, QuarterGroup> {
  const groups = new Map<string, QuarterGroup>();
  for (const row of rows) {
    const { key = "", model = "", provider = "" } = namesOf(row);
    const start = quarterOf(row.time);
    const names = [toStored(key), toStored(model), toStored(provider)] as const;
    // Stored text has no NUL.
    const id = `${start}\0${names[0]}\0${names[1]}\0${names[2]}`;
    let group = groups.get(id);
    if (group === undefined) {
      const untagged = new GroupSums();
      const lists = { tagged: [], labeled: [], shared: [] };
      group = { start, names, holders: NO_HOLDERS, untagged, ...lists, attempts: new Map() };
      groups.set(id, group);
    }
    group.holders = [toStored(row.team ?? ""), toStored(row.owner ?? "")];
    addAttempts(row, group.attempts);
    const elsewhere = billedElsewhere(row);
    if (elsewhere.length > 0) group.shared.push({ row, elsewhere });
    if (row.session !== undefined || row.endUser !== undefined) group.labeled.push(row);
    if (row.tags.length === 0) group.untagged.addRow(row);
    else group.tagged.push(row);
  }
  return groups;
}

/** Sums rows. The result is sorted by its keys, so that all writers lock rows in the same order. */
export function toRollups(rows: readonly CountedRow[], bounds?: LabelBounds): Rollup[] {
  const rollups = new Map<string, Rollup>();
  const labelsOf = (name: LabelName, row: CountedRow) =>
    bounds?.labelsOf(name, row) ?? LABELS[name].of(row);
  for (const group of toGroups(rows).values()) {
    const { attempts, start, names, holders, shared, tagged, untagged, labeled } = group;
    const sumsOf = (span: number, tag: string, provider = names[2]) =>
      sumsIn(rollups, [span, start, tag, names[0], names[1], provider], holders);
    if (untagged.sums.requests > 0) sumsOf(TAGS.quarter, UNTAGGED).addSums(untagged);
    const all = new GroupSums();
    all.addSums(untagged);
    for (const row of tagged) {
      all.addRow(row);
      for (const tag of new Set(labelsOf("tag", row))) {
        sumsOf(TAGS.quarter, toStored(LABEL_PREFIX + tag)).addRow(row);
      }
    }
    for (const row of labeled) {
      for (const name of RARE_LABELS) {
        for (const label of labelsOf(name, row)) {
          sumsOf(LABELS[name].spans.quarter, toStored(LABEL_PREFIX + label)).addRow(row);
        }
      }
    }
    sumsOf(SPANS.quarter, "").addSums(all);
    sumsIn(rollups, [SPANS.totalQuarter, start, "", "", "", ""]).addSums(all);
    for (const { row, elsewhere } of shared) {
      for (const [span, tag] of placesOf(row, labelsOf)) {
        for (const { provider, amounts } of elsewhere) {
          sumsOf(span, tag).moveTo(sumsOf(span, tag, toStored(toName(provider))), amounts);
        }
      }
    }
    for (const [id, sums] of attempts) {
      const [model = "", provider = ""] = id.split("\0");
      const target = [model, provider] as const;
      const hour = hourOf(start);
      sumsIn(rollups, [SPANS.attemptHour, hour, "", names[0], ...target]).addSums(sums);
      sumsIn(rollups, [SPANS.attemptTotal, hour, "", "", ...target]).addSums(sums);
    }
  }
  addUp(rollups, HOURS_OF_QUARTERS, hourOf);
  addUp(rollups, DAYS_OF_HOURS, dayOf);
  return [...rollups].sort(([one], [other]) => one < other ? -1 : 1).map(([, rollup]) => rollup);
}

/** Adds up sums to those for a longer period, since there are fewer sums than rows. */
function addUp(
  rollups: Map<string, Rollup>,
  spans: ReadonlyMap<number, number>,
  startOf: (time: number) => number,
): void {
  for (const { key: [span, start, ...names], holders, sums } of [...rollups.values()]) {
    const longer = spans.get(span);
    if (longer === undefined) continue;
    sumsIn(rollups, [longer, startOf(start), ...names], holders).addSums(sums);
  }
}

/** The sums by provider and quarter-hour to which a row is added: their span and label. */
function* placesOf(
  row: CountedRow,
  labelsOf: (name: LabelName, row: CountedRow) => readonly string[],
): Iterable<readonly [span: number, tag: string]> {
  yield [SPANS.quarter, ""];
  if (row.tags.length === 0) yield [TAGS.quarter, UNTAGGED];
  else {
    for (const tag of new Set(labelsOf("tag", row))) {
      yield [TAGS.quarter, toStored(LABEL_PREFIX + tag)];
    }
  }
  for (const name of RARE_LABELS) {
    for (const label of labelsOf(name, row)) {
      yield [LABELS[name].spans.quarter, toStored(LABEL_PREFIX + label)];
    }
  }
}

/** Only the hourly totals, for rows whose other sums exist. */
export function toTotals(rows: readonly CountedRow[]): Rollup[] {
  return toRollups(rows).filter(({ key: [span] }) => span === SPANS.total);
}

/** Only the quarter-hour sums, for rows whose other sums exist. */
export function toQuarters(rows: readonly CountedRow[], bounds: LabelBounds): Rollup[] {
  return toRollups(rows, bounds).filter(({ key: [span] }) => QUARTER_SPANS.includes(span));
}

/** A key's sums, which are created with the first row. The most recent holders are kept. */
function sumsIn(
  rollups: Map<string, Rollup>,
  key: Rollup["key"],
  holders = NO_HOLDERS,
): GroupSums {
  // Stored text has no NUL.
  const id = key.join("\0");
  let rollup = rollups.get(id);
  if (rollup === undefined) rollups.set(id, rollup = { key, holders, sums: new GroupSums() });
  else rollup.holders = holders;
  return rollup.sums;
}

/** Reads the labels that have sums on the rows' days, from the table of the sums. */
export function* readLabels(
  rows: readonly CountedRow[],
  bounds: LabelBounds,
  table: string,
): SqlSteps<void> {
  for (const [name, day] of bounds.unknownDays(rows)) {
    const { spans } = LABELS[name];
    const found = yield {
      text: `SELECT DISTINCT key, tag FROM ${table} WHERE span = $1 AND start >= $2 AND start < $3`,
      values: ["day" in spans ? spans.day : spans.hour, day, day + DAY_MS],
    };
    bounds.setDay(name, day, found.map(toLabel));
  }
}

/** A row's key and label; empty for requests without one. */
function toLabel({ key, tag }: SqlRow): readonly [string, string] {
  return [fromStored(String(key)), fromStored(String(tag)).slice(LABEL_PREFIX.length)];
}

/**
 * Removes the hourly and quarter-hour sums before a time, from a table with the columns that
 * identify a row. Returns whether there may be more.
 */
export function* pruneSums(
  { table, key, maxRows }: {
    readonly table: string;
    readonly key: string;
    readonly maxRows: number;
  },
  before: number,
  quartersBefore: number,
): SqlSteps<boolean> {
  const counts: number[] = [];
  for (
    const [spans, start] of [
      [HOUR_SPANS, dayOf(before)],
      // Whole hours, so that either all quarters of an hour are kept or none.
      [QUARTER_SPANS, hourOf(Math.max(before, quartersBefore))],
    ] as const
  ) {
    const removed = yield {
      text: `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table}
        WHERE span IN (${spans.join(", ")}) AND start < $1 LIMIT ${maxRows}) RETURNING 1`,
      values: [start],
    };
    counts.push(removed.length);
  }
  return counts.includes(maxRows);
}

/** The row that replaces an unreadable one: a failed request without a key, at the time of the read. */
export function unreadableRow(now = systemClock.wallTime()): CountedRow {
  return {
    ...{ time: now, key: UNREADABLE, tags: [], model: undefined, provider: undefined },
    ...{ status: 500, error: "unreadable_row", attempts: 0, input: 0, cachedInput: 0 },
    ...{ cacheWrite: 0, output: 0, reasoning: 0, source: "none", usd: 0, ms: 0 },
  };
}

/** The key of rows that cannot be read, in reports. */
const UNREADABLE = "(unreadable)";

/**
 * The request labels by which usage is added up: tags, sessions and end users, which callers choose
 * freely. The number of labels with sums is bounded per key and day; requests with more count as
 * "(other)".
 */

import type { CountedRow } from "./row.ts";
import { dayOf, toName } from "./summary.ts";

/** A kind of label. */
export interface LabelKind {
  /** The values of `span` for its sums. Without daily sums, they are kept only for `keep`. */
  readonly spans: { readonly quarter: number; readonly hour: number; readonly day?: number };
  /** The maximum number of labels with sums per key and day. */
  readonly max: number;
  /** Whether requests without a label also have sums. */
  readonly countsOthers: boolean;
  /** A row's labels. */
  readonly of: (row: CountedRow) => readonly string[];
}

/** The kinds of labels, by the group name in reports. */
export const LABELS = {
  tag: {
    ...{ spans: { quarter: 11, hour: 2, day: 3 }, max: 100, countsOthers: true },
    of: ({ tags }) => tags,
  },
  session: {
    ...{ spans: { quarter: 12, hour: 5 }, max: 300, countsOthers: false },
    of: ({ session }) => session === undefined ? NONE : [session],
  },
  end_user: {
    ...{ spans: { quarter: 13, hour: 6 }, max: 1000, countsOthers: false },
    of: ({ endUser }) => endUser === undefined ? NONE : [endUser],
  },
} as const satisfies Readonly<Record<string, LabelKind>>;

export type LabelName = keyof typeof LABELS;

/** Whether a report's group is a kind of label. */
export function isLabel(group: string): group is LabelName {
  return Object.hasOwn(LABELS, group);
}

const NONE: readonly string[] = [];

/** The maximum number of days whose labels are cached: a batch's rows have few days. */
const MAX_DAYS = 4;

/** The label that replaces those beyond the maximum. */
export const OTHER_LABELS = "(other)";

/** A day's labels, by key. */
type LabelsOfDay = Map<string, Set<string>>;

/** Limits the number of labels of all kinds. */
export class LabelBounds {
  readonly #bounds = new Map(
    Object.entries<LabelKind>(LABELS).map(([name, kind]) => [name, new LabelBound(kind)] as const),
  );

  /** The days of some rows whose labels must first be passed to {@linkcode setDay}, by kind. */
  *unknownDays(rows: readonly CountedRow[]): Iterable<readonly [LabelName, number]> {
    for (const [name, bound] of this.#bounds) {
      for (const day of bound.unknownDays(rows)) yield [name as LabelName, day];
    }
  }

  /** Sets the labels with sums on a day: keys with their labels. */
  setDay(name: LabelName, day: number, labels: Iterable<readonly [string, string]>): void {
    this.#bounds.get(name)?.setDay(day, labels);
  }

  /** A row's labels, within the maximum for its key and day. */
  labelsOf(name: LabelName, row: CountedRow): readonly string[] {
    return this.#bounds.get(name)?.labelsOf(row) ?? NONE;
  }
}

/** Limits the number of labels of one kind. */
class LabelBound {
  readonly #kind: LabelKind;
  readonly #days = new Map<number, LabelsOfDay>();

  constructor(kind: LabelKind) {
    this.#kind = kind;
  }

  unknownDays(rows: readonly CountedRow[]): readonly number[] {
    const labeled = rows.filter((row) => this.#kind.of(row).length > 0);
    const days = new Set(labeled.map(({ time }) => dayOf(time)));
    return [...days].filter((day) => !this.#days.has(day));
  }

  setDay(day: number, labels: Iterable<readonly [string, string]>): void {
    const byKey: LabelsOfDay = new Map();
    this.#days.set(day, byKey);
    for (const [key, label] of labels) labelsOfKey(byKey, key).add(label);
    if (this.#days.size <= MAX_DAYS) return;
    const oldest = Math.min(...this.#days.keys());
    this.#days.delete(oldest === day ? Math.max(...this.#days.keys()) : oldest);
  }

  labelsOf(row: CountedRow): readonly string[] {
    const labels = this.#kind.of(row);
    if (labels.length === 0) return labels;
    const { time, key = "" } = row;
    const day = dayOf(time);
    let byKey = this.#days.get(day);
    if (byKey === undefined) this.#days.set(day, byKey = new Map());
    const known = labelsOfKey(byKey, toName(key));
    return labels.map((label) => {
      if (known.has(label)) return label;
      if (known.size >= this.#kind.max) return OTHER_LABELS;
      known.add(label);
      return label;
    });
  }
}

function labelsOfKey(byKey: LabelsOfDay, key: string): Set<string> {
  let labels = byKey.get(key);
  if (labels === undefined) byKey.set(key, labels = new Set());
  return labels;
}

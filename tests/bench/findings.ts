/** What a part of a run finds, and how it is printed. */

import type { GoalName, Measured } from "./rows.ts";
import type { Samples, Stage } from "./stage.ts";
import { median, perRound, ratio } from "./statistics.ts";
import type { ThroughputSample } from "./throughput.ts";

/** The result of a part. */
export interface Findings {
  readonly goals: Partial<Record<GoalName, Measured>>;
  /** Absolute values, which are printed but not checked. */
  readonly details: readonly { readonly title: string; readonly lines: string[][] }[];
  /** All measured values. */
  readonly raw: unknown;
}

export interface PartOptions {
  /** The number of requests for the measurement of memory growth. */
  readonly requests: number;
}

export type Part = (stage: Stage, options: PartOptions) => Promise<Findings> | Findings;

/** Samples of each start. */
type Starts<Sample> = readonly Samples<Sample>[];

/** Why there is no value: there is no /proc, or the machine is too busy. */
export const NO_PROC = "the system does not tell what a process uses, or nothing was answered";

/** Two lanes: in each start the median over its rounds, and of the starts the median. */
export function compare<Sample>(
  starts: Starts<Sample>,
  own: string,
  other: string,
  of: (sample: Sample) => number | undefined,
  combine: (own: number, other: number) => number = ratio,
): Measured {
  const values = starts.flatMap((samples) => {
    const [ours, others] = [samples.get(own) ?? [], samples.get(other) ?? []];
    const rounds = perRound(ours, others, of, combine);
    return rounds.length === 0 ? [] : [median(rounds)];
  });
  if (values.length === 0) return { value: undefined, note: NO_PROC };
  return { value: median(values), starts: values };
}

/** The median of the medians of the starts; undefined without a value. */
export function medianOf<Sample>(
  starts: Starts<Sample>,
  lane: string,
  of: (sample: Sample) => number | undefined,
): number | undefined {
  const values = starts.flatMap((samples) => {
    const known = (samples.get(lane) ?? []).map(of).filter((value) => value !== undefined);
    return known.length === 0 ? [] : [median(known)];
  });
  return values.length === 0 ? undefined : median(values);
}

/** A column of a table: its title, its value, and the digits after the point. */
export type Column<Sample> = readonly [
  title: string,
  of: (sample: Sample) => number | undefined,
  digits: number,
];

/** A line for each lane, with how often the value of the first column is that of another lane. */
export function toLines<Sample>(
  starts: Starts<Sample>,
  base: string,
  columns: readonly Column<Sample>[],
): string[][] {
  const names = [...starts[0]?.keys() ?? []];
  const [main] = columns;
  const head = ["", ...columns.map(([title]) => title), ...(main ? [`over ${base}`] : [])];
  return [
    head,
    ...names.map((name) => [
      name,
      ...columns.map(([, of, digits]) => figure(medianOf(starts, name, of), digits)),
      ...(main ? [figure(compare(starts, name, base, main[1]).value, 2)] : []),
    ]),
  ];
}

/** The columns of throughput. */
export const THROUGHPUT: readonly Column<ThroughputSample>[] = [
  ["CPU µs/request", ({ cpuPerRequest }) => cpuPerRequest, 1],
  ["requests/s", ({ perSecond }) => perSecond, 0],
  ["p50 µs", ({ p50 }) => p50, 0],
  ["p99 µs", ({ p99 }) => p99, 0],
];

export function figure(value: number | undefined, digits = 1): string {
  return value === undefined ? "–" : value.toFixed(digits);
}

export function toRaw<Sample>(starts: Starts<Sample>): unknown {
  return starts.map((samples) => Object.fromEntries(samples));
}

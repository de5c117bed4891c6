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

/** Why there is no value where there is no /proc. */
export const NO_PROC = "the system does not tell what a process uses";

/** Why there is no value where the time was over after the rounds that warm up. */
const NO_ROUND = "no round was measured in time: try more --rounds";

/** The median ratio of two lanes over all rounds. */
export function compare<Sample>(
  samples: Samples<Sample>,
  own: string,
  other: string,
  of: (sample: Sample) => number | undefined,
  combine: (own: number, other: number) => number,
): Measured {
  const [ours, others] = [samples.get(own) ?? [], samples.get(other) ?? []];
  if (ours.length === 0 || others.length === 0) return { value: undefined, note: NO_ROUND };
  const rounds = perRound(ours, others, of, combine);
  if (rounds.length === 0) return { value: undefined, note: NO_PROC };
  return { value: median(rounds), rounds };
}

export function toLines(samples: Samples<ThroughputSample>, base: string): string[][] {
  const baseline = samples.get(base) ?? [];
  const cpu = ({ cpuPerRequest }: ThroughputSample) => cpuPerRequest;
  const lines = [...samples].map(([name, rounds]) => [
    name,
    figure(rounds.map((round) => round.perSecond), 0),
    figure(rounds.map((round) => round.cpuPerRequest)),
    figure(perRound(rounds, baseline, cpu, ratio), 2),
    figure(rounds.map((round) => round.p50), 0),
    figure(rounds.map((round) => round.p99), 0),
  ]);
  return [["", "requests/s", "CPU µs/request", `over ${base}`, "p50 µs", "p99 µs"], ...lines];
}

/** The median of the known values. */
export function figure(values: readonly (number | undefined)[], digits = 1): string {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? "–" : median(known).toFixed(digits);
}

export function toRaw<Sample>(samples: Samples<Sample>): Record<string, readonly Sample[]> {
  return Object.fromEntries(samples);
}

/** Medians and percentiles. */

/**
 * The percentile: the smallest value that `share` of the values do not exceed; NaN for no values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Combines the values of two subjects in the same round. Rounds without a value are omitted. */
export function perRound<Sample>(
  own: readonly Sample[],
  other: readonly Sample[],
  of: (sample: Sample) => number | undefined,
  combine: (own: number, other: number) => number,
): number[] {
  return own.flatMap((sample, round) => {
    const beside = other[round];
    const [one, two] = [of(sample), beside === undefined ? undefined : of(beside)];
    return one === undefined || two === undefined ? [] : [combine(one, two)];
  });
}

export const ratio = (own: number, other: number): number => own / other;
export const difference = (own: number, other: number): number => own - other;

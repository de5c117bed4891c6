/** Distributions of durations in buckets that grow by a constant factor. */

/**
 * The ratio of the upper bounds of two neighboring buckets. The middle of a bucket is within 5 % of
 * every value in it.
 */
const FACTOR = 1.1;
const LOG_FACTOR = Math.log(FACTOR);

/** The number of the bucket of a duration in milliseconds. */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / LOG_FACTOR);
}

/** The middle of a bucket, in milliseconds. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 1 : FACTOR ** (bucket - 0.5);
}

/**
 * A percentile in milliseconds, or undefined if there are no values.
 *
 * @param counts the number of values by bucket
 * @param share from 0 to 1
 */
export function percentile(
  counts: ReadonlyMap<number, number>,
  share: number,
): number | undefined {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = share * total;
  const buckets = [...counts].sort(([one], [other]) => one - other);
  for (const [bucket, count] of buckets) {
    left -= count;
    if (left <= 0) return middleOf(bucket);
  }
  return middleOf(buckets.at(-1)?.[0] ?? 0);
}

/**
 * Distributions of durations in buckets that grow by a constant factor. A store keeps them as text,
 * such as `12:3,15:1` for three values in bucket 12 and one in bucket 15. Two texts that are joined
 * by a comma are their sum, so that a database can add them up.
 */

/**
 * The ratio of the upper bounds of two neighboring buckets. The middle of a bucket is within 5 % of
 * every value in it.
 */
const FACTOR = 1.1;
const LOG_FACTOR = Math.log(FACTOR);
/** The bucket of all durations above about ten days. */
const MAX_BUCKET = 220;

const COMMA = 44;
const COLON = 58;
const ZERO = 48;

/** Counts by bucket while a text is read: much faster than a map. It is empty in between. */
const SCRATCH = new Float64Array(MAX_BUCKET + 1);

/** The number of the bucket of a duration in milliseconds. */
export function bucketOf(ms: number): number {
  return ms > 1 ? Math.min(MAX_BUCKET, Math.ceil(Math.log(ms) / LOG_FACTOR)) : 0;
}

/** The middle of a bucket, in milliseconds. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 1 : FACTOR ** (bucket - 0.5);
}

/** The number of values by bucket. */
export class Distribution {
  readonly #counts = new Map<number, number>();

  add(bucket: number, count = 1): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count);
  }

  addAll(other: Distribution): void {
    for (const [bucket, count] of other.#counts) this.add(bucket, count);
  }

  /** Adds what {@linkcode toText} returned, or several such texts that are joined by commas. */
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

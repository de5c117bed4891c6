/** How long to wait before the next try. */

/** The first wait is up to this many milliseconds. */
const BASE = 250;
/** No wait of ours is longer than this many milliseconds. */
const MOST = 8000;

/**
 * Exponential back-off with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), in milliseconds.
 *
 * @param retry 0 before the first retry
 * @param random gives a number from 0 to 1
 */
export function backoff(retry: number, random: () => number): number {
  return Math.round(random() * Math.min(MOST, BASE * 2 ** retry));
}

/**
 * How long a vendor asks us to wait, in milliseconds: `retry-after-ms`, else
 * `retry-after` in seconds or as an HTTP date. Undefined when it does not say.
 */
export function retryAfterOf(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? NaN);
  if (ms >= 0) return ms;
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

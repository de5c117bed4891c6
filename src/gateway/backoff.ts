/** How long to wait before a retry. */

/** The longest first wait, in milliseconds. */
const FIRST_BACKOFF_MS = 250;
/** The longest wait that the gateway chooses itself, in milliseconds. */
const MAX_BACKOFF_MS = 8000;

/**
 * Exponential back-off with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), in milliseconds.
 *
 * @param retry 0 before the first retry
 * @param random gives a number from 0 to 1
 */
export function backoff(retry: number, random: () => number): number {
  return Math.round(random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry));
}

/**
 * How long the vendor asks to wait, in milliseconds: `retry-after-ms`, else
 * `retry-after` in seconds or as an HTTP date. Undefined when neither header is valid.
 */
export function retryAfterOf(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const ms = readNumber(headers["retry-after-ms"]);
  if (ms !== undefined) return ms;
  const text = headers["retry-after"];
  const seconds = readNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  // `Date.parse` accepts nearly any text, so the text must look like a date first.
  const isDate = text !== undefined && text.length <= MAX_DATE && DATE.test(text);
  const date = isDate ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The longest HTTP date, in characters. */
const MAX_DATE = 100;
/** The time of day, and a zone. */
const DATE = /\d\d:\d\d:\d\d.*(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/;

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

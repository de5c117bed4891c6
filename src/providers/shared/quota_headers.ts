/**
 * Vendors' rate-limit headers, such as `x-ratelimit-remaining-tokens`
 * (https://platform.openai.com/docs/guides/rate-limits, 2026-11),
 * `anthropic-ratelimit-input-tokens-remaining`
 * (https://platform.claude.com/docs/en/api/rate-limits, 2026-11) and
 * `x-ratelimit-remaining-tokens-minute` (https://inference-docs.cerebras.ai, 2026-11).
 */

import type { LimitHeaders, VendorHeaders } from "../../contract/vendor_request.ts";

/** Whether a header, with its name in lower case, is a rate-limit header. */
export function isLimitHeader(name: string): boolean {
  return name.includes("ratelimit") || name.startsWith("retry-after");
}

/** Finds the rate-limit headers of an answer whose reader has not collected them. */
export function findLimits(headers: VendorHeaders): LimitHeaders {
  const found: [string, string][] = [];
  for (const header of headers) if (isLimitHeader(header[0])) found.push(header);
  return found;
}

/** One header. */
export interface QuotaHeader {
  /** The unit and, if the name has one, the window: `requests`, `tokens-minute`. */
  readonly of: string;
  readonly meaning: "limit" | "remaining" | "reset";
  /** Requests or tokens; for a reset, milliseconds since the Unix epoch. */
  readonly amount: number;
}

const NAME = /^(?:x|anthropic)-ratelimit-([a-z-]{1,60})$/;
const MEANING = /(?:^|-)(limit|remaining|reset)(?=-|$)/;
/** Output limits are ignored, because the length of an answer is unknown in advance. */
const LIMITED = /^(?:(?:requests|tokens|input-tokens)(?:-(?:second|minute|hour|day))?)?$/;

/**
 * Reads a rate-limit header; undefined for other headers.
 *
 * @param now milliseconds since the Unix epoch
 */
export function readQuotaHeader(name: string, value: string, now: number): QuotaHeader | undefined {
  const [, rest] = NAME.exec(name) ?? [];
  const [, meaning] = MEANING.exec(rest ?? "") ?? [];
  if (rest === undefined || meaning === undefined) return undefined;
  const of = rest.replace(MEANING, "").replace(/^-/, "");
  if (!LIMITED.test(of)) return undefined;
  const amount = meaning === "reset" ? readTime(value, now) : readAmount(value);
  if (amount === undefined) return undefined;
  // Some vendors have only one limit, for requests.
  return { of: of === "" ? "requests" : of, meaning: meaning as QuotaHeader["meaning"], amount };
}

function readAmount(value: string): number | undefined {
  return /^\d{1,15}(\.\d{1,9})?$/.test(value) ? Number(value) : undefined;
}

const DURATION =
  /^(?:(\d{1,4})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,12}(?:\.\d{1,9})?)ms)?$/;

/** A duration such as `6m0s`, seconds, a time in seconds or milliseconds, or a date. */
function readTime(value: string, now: number): number | undefined {
  const number = readAmount(value);
  if (number !== undefined) {
    if (number >= 1e12) return number;
    return number >= 1e9 ? number * 1000 : now + number * 1000;
  }
  const [all = "", days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(value) ??
    [];
  if (all !== "") {
    const whole = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
    return now + whole * 60_000 + Number(seconds) * 1000 + Number(ms);
  }
  const date = /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)$/.test(value)
    ? Date.parse(value)
    : NaN;
  return Number.isNaN(date) ? undefined : date;
}

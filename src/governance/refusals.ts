/** How limits are shown to callers: response headers and errors. */

import { nextPeriod } from "../core/budget_period.ts";
import { GatewayError } from "../core/errors.ts";
import { MICRO_USD, NANO_USD } from "./cost.ts";
import type {
  Amount,
  AppliedLimits,
  Bucket,
  BudgetCounter,
  ConcurrencyLimit,
  Counters,
  Reservation,
} from "./counters.ts";

/**
 * The state of the limits that the caller may see, as OpenAI's rate-limit headers, for requests,
 * tokens, and the units that the request uses.
 *
 * @param now microseconds
 */
export function limitHeaders(
  buckets: readonly Bucket[],
  { units }: Amount,
  counters: Counters,
  now: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const bucket of buckets) {
    const { name } = bucket.kind.unit;
    const isUsed = name === "requests" || name === "tokens" || units?.[name] !== undefined;
    if (isUsed && !bucket.isOfModel) addHeaders(headers, bucket, counters, now);
  }
  return headers;
}

function addHeaders(
  headers: Record<string, string>,
  { kind, limitText, rate, slot }: Bucket,
  counters: Counters,
  now: number,
): void {
  const fillTime = counters.fillTime(slot, now);
  const remaining = Math.max(0, Math.floor((rate.burst - fillTime) / rate.perUnit));
  const reset = `${Math.ceil(fillTime / 1000)}ms`;
  headers[kind.limitHeader] = limitText;
  headers[kind.remainingHeader] = String(remaining);
  headers[kind.resetHeader] = reset;
}

/**
 * The error for the limit that rejects a request.
 *
 * @param index the limit's number: concurrency limits, then buckets, then the budget
 */
export function refusalOf(
  { concurrency, buckets, budget }: AppliedLimits,
  index: number,
  { reserved, wait, counters, now, wallTime }: {
    /** The request's reservation. */
    readonly reserved: Reservation;
    /** Microseconds until the limit may admit the request; for a budget, 0 if it is exhausted. */
    readonly wait: number;
    readonly counters: Counters;
    /** Microseconds. */
    readonly now: number;
    /** Milliseconds since the Unix epoch. */
    readonly wallTime: number;
  },
): GatewayError {
  const limit = concurrency[index];
  if (limit !== undefined) return tooManyAtOnce(limit);
  const bucket = buckets[index - concurrency.length];
  if (bucket !== undefined) return tooMany(bucket, wait, counters, now);
  if (budget !== undefined) {
    return wait > 0
      ? heldBudget(budget, reserved, counters)
      : overBudget(budget, counters, wallTime);
  }
  throw new RangeError(`There is no limit ${index}`);
}

/** The error for an exceeded rate limit. */
export function tooMany(
  bucket: Bucket,
  waitUs: number,
  counters: Counters,
  now: number,
): GatewayError {
  const { kind, limit, owner, isOfModel } = bucket;
  const state: Record<string, string> = {};
  if (!isOfModel) addHeaders(state, bucket, counters, now);
  return new GatewayError(
    isOfModel ? "model_limit_exceeded" : "limit_exceeded",
    `Rate limit reached for ${owner}: ${countOf(limit, kind.unit.name)} per ${kind.window}`,
    {
      headers: {
        ...state,
        "retry-after": String(Math.ceil(waitUs / 1_000_000)),
        "retry-after-ms": String(Math.ceil(waitUs / 1000)),
      },
    },
  );
}

function countOf(count: number, units: string): string {
  return `${count} ${count === 1 ? units.slice(0, -1) : units}`;
}

/** The error for an exceeded concurrency limit. */
export function tooManyAtOnce({ limit, owner, isOfModel }: ConcurrencyLimit): GatewayError {
  return new GatewayError(
    isOfModel ? "model_limit_exceeded" : "limit_exceeded",
    `Concurrency limit reached for ${owner}: ${countOf(limit, "requests")} at the same time`,
    { headers: { "retry-after": "1" } },
  );
}

/** Requests in flight have reserved the remaining budget, but will probably not use all of it. */
export function heldBudget(
  { usd, per, owner, slot, period }: BudgetCounter,
  { microUsd }: Reservation,
  counters: Counters,
): GatewayError {
  const taken = toUsd(counters.spent(slot, period) / NANO_USD);
  return new GatewayError(
    "limit_exceeded",
    `The requests under way may use up the budget of the ${owner}: ${taken} of ${usd} USD per ` +
      `${per} is spent or reserved, and this request may cost ${
        toUsd(microUsd / MICRO_USD)
      } USD; ` +
      "a lower maximum of output tokens allows more of them at the same time",
    { headers: { "retry-after": "1" } },
  );
}

/** The error for an exhausted budget. @param now milliseconds since the Unix epoch */
export function overBudget(
  { usd, per, owner, slot, period }: BudgetCounter,
  counters: Counters,
  now: number,
): GatewayError {
  const next = nextPeriod(per, now);
  const renewal = next === undefined
    ? "it does not renew"
    : `it renews at ${new Date(next).toISOString().slice(0, 16)}Z`;
  // A shared store may know more than this process.
  const spent = Math.max(usd, counters.spent(slot, period) / NANO_USD);
  return new GatewayError(
    "budget_exceeded",
    `The budget of the ${owner} is used up: ${toUsd(spent)} of ${usd} USD per ${per} is spent; ` +
      renewal,
    { headers: { "x-should-retry": "false" } },
  );
}

/** An amount in US dollars, rounded to a millionth. */
function toUsd(usd: number): string {
  return String(Number(usd.toFixed(6)));
}

/** The budget requires known prices. */
export function priceUnknown(model: string, key: string): GatewayError {
  return new GatewayError(
    "price_unknown",
    `The price of the model '${model}' is unknown, and the key '${key}' has a budget; set the ` +
      "model's 'prices', or 'unknown_prices: allow' in the budget",
    { headers: { "x-should-retry": "false" } },
  );
}

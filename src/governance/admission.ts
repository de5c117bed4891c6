/** One admitted request: its reservations, and their settlement when it ends. */

import type { Budget } from "../config/limits.ts";
import { nextPeriod, periodNumber } from "../core/budget_period.ts";
import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import { MICRO_USD } from "./cost.ts";
import type { Rate, SharedCounters, Slot } from "./shared_counters.ts";

/** A limit per minute. */
export interface Bucket {
  readonly slot: Slot;
  readonly kind: "requests" | "tokens";
  readonly limit: number;
  readonly rate: Rate;
  /** The owner of the limit, for messages: `key 'a'` or `model 'b'`. */
  readonly owner: string;
  /** Whether the caller sees its state in response headers. */
  readonly visible: boolean;
}

/** A limit of requests at the same time. */
export interface Places {
  readonly slot: Slot;
  readonly limit: number;
  readonly owner: string;
}

/** A budget with its counter. */
export interface BudgetCounter extends Budget {
  readonly slot: Slot;
  readonly owner: string;
}

/** The limits that apply to one request. */
export interface AppliedLimits {
  readonly buckets: readonly Bucket[];
  readonly places: readonly Places[];
  readonly budget: BudgetCounter | undefined;
}

/** An amount that a request uses, estimated or known. */
export interface Amount {
  /** Input and output tokens together. */
  readonly tokens: number;
  /** Millionths of a US dollar; 0 if the price is unknown. */
  readonly microUsd: number;
}

/** What a request reserves. */
export interface Reservation extends Amount {
  readonly inputTokens: number;
}

export class Admission {
  /** The input tokens as estimated at the admission; 0 if no limit needed them. */
  readonly inputTokens: number;
  readonly #counters: SharedCounters;
  readonly #clock: Clock;
  readonly #limits: AppliedLimits;
  readonly #reserved: Amount;
  /** The number of the budget's period when the request was admitted. */
  readonly #period: number;
  /** The buckets and places that have been taken, in the order of the limits. */
  #buckets = 0;
  #places = 0;
  #hasSpent = false;
  #isOver = false;

  /**
   * Takes what a request needs from all of its limits, or from none.
   *
   * @throws {GatewayError} `limit_exceeded` or `budget_exceeded`.
   */
  constructor(
    counters: SharedCounters,
    clock: Clock,
    limits: AppliedLimits,
    reserved: Reservation,
  ) {
    this.inputTokens = reserved.inputTokens;
    this.#counters = counters;
    this.#clock = clock;
    this.#limits = limits;
    this.#reserved = reserved;
    const { budget } = limits;
    this.#period = budget === undefined ? 0 : periodNumber(budget.per, clock.wallTime());
    try {
      this.#take();
    } catch (thrown) {
      this.#return({ tokens: 0, microUsd: 0 }, 0);
      throw thrown;
    }
  }

  /** The state of the key's limits, in the headers that OpenAI's clients know. */
  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    for (const bucket of this.#limits.buckets) {
      if (bucket.visible) Object.assign(headers, headersOf(bucket, this.#counters, this.#now()));
    }
    return headers;
  }

  /** Ends the request: what it has used replaces what it had reserved. Later calls do nothing. */
  settle(used: Amount): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#return(used, 1);
  }

  #take(): void {
    const { places, buckets, budget } = this.#limits;
    for (const { slot, limit, owner } of places) {
      if (!this.#counters.enter(slot, limit)) throw tooManyAtOnce(limit, owner);
      this.#places++;
    }
    for (const bucket of buckets) {
      const wait = this.#counters.take(bucket.slot, this.#units(bucket), bucket.rate, this.#now());
      if (wait > 0) throw tooMany(bucket, wait, this.#counters, this.#now());
      this.#buckets++;
    }
    if (budget === undefined) return;
    const max = budget.usd * MICRO_USD;
    if (!this.#counters.spend(budget.slot, this.#period, this.#reserved.microUsd, max)) {
      throw overBudget(budget, this.#clock.wallTime());
    }
    this.#hasSpent = true;
  }

  /** The units that are reserved: never more than the bucket holds, so that a request can pass. */
  #units({ kind, limit }: Bucket): number {
    return kind === "requests" ? 1 : Math.min(this.#reserved.tokens, limit);
  }

  /** @param requests how many requests remain counted: 0 for one that was not admitted */
  #return(used: Amount, requests: number): void {
    const { places, buckets, budget } = this.#limits;
    for (const { slot } of places.slice(0, this.#places)) this.#counters.leave(slot);
    for (const bucket of buckets.slice(0, this.#buckets)) {
      const units = bucket.kind === "requests" ? requests : used.tokens;
      const change = units - this.#units(bucket);
      if (change !== 0) this.#counters.adjust(bucket.slot, change, bucket.rate, this.#now());
    }
    if (budget === undefined || !this.#hasSpent) return;
    this.#counters.correct(budget.slot, this.#period, used.microUsd - this.#reserved.microUsd);
  }

  /** A time in microseconds that never decreases. */
  #now(): number {
    return Math.floor(this.#clock.now() * 1000);
  }
}

function headersOf(
  { kind, limit, rate, slot }: Bucket,
  counters: SharedCounters,
  now: number,
): Record<string, string> {
  const fillTime = counters.fillTime(slot, now);
  const remaining = Math.max(0, Math.floor((rate.burst - fillTime) / rate.perUnit));
  return {
    [`x-ratelimit-limit-${kind}`]: String(limit),
    [`x-ratelimit-remaining-${kind}`]: String(remaining),
    [`x-ratelimit-reset-${kind}`]: `${Math.ceil(fillTime / 1000)}ms`,
  };
}

function tooMany(
  bucket: Bucket,
  waitUs: number,
  counters: SharedCounters,
  now: number,
): GatewayError {
  const { kind, limit, owner, visible } = bucket;
  return new GatewayError(
    "limit_exceeded",
    `The limit of the ${owner} is reached: ${limit} ${kind} per minute`,
    {
      headers: {
        ...(visible ? headersOf(bucket, counters, now) : {}),
        "retry-after": String(Math.ceil(waitUs / 1_000_000)),
        "retry-after-ms": String(Math.ceil(waitUs / 1000)),
      },
    },
  );
}

function tooManyAtOnce(limit: number, owner: string): GatewayError {
  return new GatewayError(
    "limit_exceeded",
    `The limit of the ${owner} is reached: ${limit} requests at the same time`,
    { headers: { "retry-after": "1" } },
  );
}

function overBudget({ usd, per, owner }: BudgetCounter, now: number): GatewayError {
  const next = nextPeriod(per, now);
  const renewal = next === undefined
    ? "it does not renew"
    : `it renews at ${new Date(next).toISOString().slice(0, 16)}Z`;
  return new GatewayError(
    "budget_exceeded",
    `The budget of the ${owner} is used up: ${usd} USD per ${per}; ${renewal}`,
    { headers: { "x-should-retry": "false" } },
  );
}

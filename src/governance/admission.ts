/** One admitted request: its reservations, and their settlement when it ends. */

import { type BudgetState, nextPeriod } from "../core/budget_period.ts";
import type { Clock } from "../core/clock.ts";
import { NANO_USD, toNanoUsd } from "./cost.ts";
import { heldBudget, limitHeaders, overBudget, tooMany, tooManyAtOnce } from "./refusals.ts";
import {
  type Amount,
  type AppliedLimits,
  type Bucket,
  type BudgetCounter,
  type Counters,
  NOTHING_USED,
  type Rate,
  type Reservation,
} from "./counters.ts";
import type { ServiceKey } from "../config/keys.ts";

type Admitted = Admission | undefined;

/** An admitted request. */
export interface Admission {
  /** The state of the key's limits as OpenAI's rate-limit headers, in a new object. */
  headers(): Record<string, string>;
  /**
   * Nano-dollars that the request has reserved in its budget's sum but that this process's counters
   * do not list as reservations.
   */
  readonly heldElsewhere: number;
  /** Ends the request: its usage replaces its reservations. Later calls have no effect. */
  settle(used: Amount): void;
  /**
   * Ends a request that was rejected after admission: it is not charged. Later calls have no
   * effect.
   */
  cancel(): void;
}

/**
 * The units that a request reserves: at most the bucket size, so that a large request can be
 * admitted.
 *
 * @param replicas the number of replicas that the limit is divided among
 */
export function unitsOf({ kind, limit }: Bucket, amount: Amount, replicas = 1): number {
  const units = kind.unit.of(amount, 1);
  return kind.unit.isEstimated ? Math.min(units, limit / replicas) : units;
}

/**
 * A budget's spent amount, without reservations.
 *
 * @param heldElsewhere nano-dollars of reservations that the counters do not know
 * @param now milliseconds since the Unix epoch
 */
export function budgetState(
  { slot, period, per, usd }: BudgetCounter,
  counters: Counters,
  heldElsewhere: number,
  now: number,
): BudgetState {
  const reserved = counters.reserved(slot, period) + heldElsewhere;
  const spent = Math.max(0, counters.spent(slot, period) - reserved) / NANO_USD;
  return { usd, per, spent, renewsAt: nextPeriod(per, now) };
}

/** A request that this process has admitted with its own counters. */
export class LocalAdmission implements Admission {
  readonly heldElsewhere = 0;
  readonly #counters: Counters;
  readonly #clock: Clock;
  readonly #limits: AppliedLimits;
  readonly #reserved: Amount;
  readonly #replicas: number;
  /** The units and slots taken so far, in the order of the limits. */
  #buckets = 0;
  #entered = 0;
  #hasSpent = false;
  #isOver = false;

  /**
   * Takes the required units from all limits of a request, or from none.
   *
   * @param replicas the number of replicas that the limits are divided among
   * @throws {GatewayError} `limit_exceeded` or `budget_exceeded`.
   */
  constructor(
    counters: Counters,
    clock: Clock,
    limits: AppliedLimits,
    reserved: Reservation,
    replicas = 1,
  ) {
    this.#counters = counters;
    this.#clock = clock;
    this.#limits = limits;
    this.#reserved = reserved;
    this.#replicas = replicas;
    try {
      this.#take();
    } catch (thrown) {
      this.#return(NOTHING_USED, 0);
      throw thrown;
    }
  }

  headers(): Record<string, string> {
    return limitHeaders(this.#limits.buckets, this.#reserved, this.#counters, this.#now());
  }

  settle(used: Amount): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#return(used, 1);
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#return(NOTHING_USED, 0);
  }

  #take(): void {
    const { concurrency, buckets, budget } = this.#limits;
    for (const limit of concurrency) {
      const share = Math.max(1, Math.floor(limit.limit / this.#replicas));
      if (!this.#counters.enter(limit.slot, share)) throw tooManyAtOnce(limit);
      this.#entered++;
    }
    for (const bucket of buckets) {
      const now = this.#now();
      const wait = this.#counters.take(bucket.slot, this.#units(bucket), this.#rate(bucket), now);
      if (wait > 0) throw tooMany(bucket, wait, this.#counters, now);
      this.#buckets++;
    }
    if (budget === undefined) return;
    const { slot, period, usd } = budget;
    const amount = toNanoUsd(this.#reserved.microUsd) * this.#replicas;
    const max = usd * NANO_USD;
    if (!this.#counters.reserve(slot, period, amount, max)) {
      const held = this.#counters.reserved(slot, period);
      throw this.#counters.spent(slot, period) - held < max
        ? heldBudget(budget, this.#reserved, this.#counters)
        : overBudget(budget, this.#counters, this.#clock.wallTime());
    }
    this.#hasSpent = true;
  }

  #units(bucket: Bucket): number {
    return unitsOf(bucket, this.#reserved, this.#replicas);
  }

  /** A replica's share of a bucket covers the same time but refills more slowly. */
  #rate({ rate }: Bucket): Rate {
    return { perUnit: rate.perUnit * this.#replicas, burst: rate.burst };
  }

  /** @param requests the number of requests that remain counted: 0 for one that was not admitted */
  #return(used: Amount, requests: number): void {
    const { concurrency, buckets, budget } = this.#limits;
    for (const { slot } of concurrency.slice(0, this.#entered)) this.#counters.leave(slot);
    for (const bucket of buckets.slice(0, this.#buckets)) {
      const change = bucket.kind.unit.of(used, requests) - this.#units(bucket);
      if (change === 0) continue;
      this.#counters.adjust(bucket.slot, change, this.#rate(bucket), this.#now());
    }
    if (budget === undefined || !this.#hasSpent) return;
    const [before, after] = [toNanoUsd(this.#reserved.microUsd), toNanoUsd(used.microUsd)];
    const { slot, period } = budget;
    this.#counters.settle(slot, period, before * this.#replicas, after * this.#replicas);
  }

  /** A time in microseconds that never decreases. */
  #now(): number {
    return Math.floor(this.#clock.now() * 1000);
  }
}

/**
 * Admits a request to the limits of its key and of its end user, or of neither.
 *
 * @param user undefined if the end user has no limits
 * @throws the errors from the admissions.
 */
export function admitOwners(
  key: ServiceKey,
  user: ServiceKey | undefined,
  admit: (owner: ServiceKey) => Admitted | Promise<Admitted>,
): Admitted | Promise<Admitted> {
  return user === undefined ? admit(key) : admitBoth(admit(key), () => admit(user));
}

function admitBoth(
  first: Admitted | Promise<Admitted>,
  admitSecond: () => Admitted | Promise<Admitted>,
): Admitted | Promise<Admitted> {
  if (first instanceof Promise) return first.then((known) => admitNext(known, admitSecond));
  return admitNext(first, admitSecond);
}

function admitNext(
  first: Admitted,
  admitSecond: () => Admitted | Promise<Admitted>,
): Admitted | Promise<Admitted> {
  try {
    const second = admitSecond();
    if (!(second instanceof Promise)) return join(first, second);
    return second.then((known) => join(first, known), (thrown) => {
      first?.cancel();
      throw thrown;
    });
  } catch (thrown) {
    first?.cancel();
    throw thrown;
  }
}

function join(first: Admitted, second: Admitted): Admitted {
  if (first === undefined || second === undefined) return first ?? second;
  return new JointAdmission(first, second);
}

class JointAdmission implements Admission {
  readonly #first: Admission;
  readonly #second: Admission;

  constructor(first: Admission, second: Admission) {
    this.#first = first;
    this.#second = second;
  }

  /** The limits of the first owner, supplemented by those of the second. */
  headers(): Record<string, string> {
    return { ...this.#second.headers(), ...this.#first.headers() };
  }

  get heldElsewhere(): number {
    return this.#first.heldElsewhere;
  }

  settle(used: Amount): void {
    this.#first.settle(used);
    this.#second.settle(used);
  }

  cancel(): void {
    this.#first.cancel();
    this.#second.cancel();
  }
}

/** A limit on hourly spending, shared by the workers in a process. */

import type { Clock } from "../core/clock.ts";
import { MICRO_USD } from "./cost.ts";
import { type Counters, NoCounterError, type Rate, type Slot } from "./counters.ts";

/** One hour, in microseconds. */
const HOUR_US = 3_600_000_000;

/** A bucket of dollars that refills within an hour. */
export class SpendingLimit {
  readonly #counters: Counters;
  readonly #clock: Clock;
  readonly #slot: Slot | undefined;
  readonly #limit: number;
  readonly #rate: Rate;

  /**
   * @param slot if undefined, nothing is allowed
   * @param usd US dollars per hour
   */
  constructor(counters: Counters, clock: Clock, slot: Slot | undefined, usd: number) {
    this.#counters = counters;
    this.#clock = clock;
    this.#slot = slot;
    this.#limit = usd * MICRO_USD;
    this.#rate = { perUnit: HOUR_US / this.#limit, burst: HOUR_US };
  }

  /**
   * Reserves an amount. Returns false if the remainder is insufficient.
   *
   * @param microUsd millionths of a US dollar
   */
  take(microUsd: number): boolean {
    return this.#slot !== undefined && microUsd <= this.#limit &&
      this.#counters.take(this.#slot, microUsd, this.#rate, this.#now()) === 0;
  }

  /** Replaces a reserved amount with the used amount, which may exceed the remainder. */
  settle(reserved: number, used: number): void {
    if (used === reserved || this.#slot === undefined) return;
    this.#counters.adjust(this.#slot, used - reserved, this.#rate, this.#now());
  }

  #now(): number {
    return Math.floor(this.#clock.now() * 1000);
  }
}

/** One configuration's limits. Workers share them, replicas do not. */
export class SpendingLimits {
  readonly #counters: Counters;
  readonly #clock: Clock;
  readonly #limits = new WeakMap<object, Map<string, SpendingLimit>>();
  /** Releases the counters of a configuration that has been replaced. */
  readonly #collected = new FinalizationRegistry<string>((name) => this.#counters.release(name));

  constructor(counters: Counters, clock: Clock) {
    this.#counters = counters;
    this.#clock = clock;
  }

  /**
   * A rule's limit for one model or alias. It allows nothing while every counter is in use.
   *
   * @param name its counter's name
   * @param usd US dollars per hour
   */
  of(rule: object, name: string, usd: number): SpendingLimit {
    let limits = this.#limits.get(rule);
    if (limits === undefined) this.#limits.set(rule, limits = new Map());
    let limit = limits.get(name);
    if (limit === undefined) {
      const slot = this.#slotOf(name);
      limit = new SpendingLimit(this.#counters, this.#clock, slot, usd);
      if (slot === undefined) return limit;
      limits.set(name, limit);
      this.#collected.register(rule, name);
    }
    return limit;
  }

  #slotOf(name: string): Slot | undefined {
    try {
      return this.#counters.slotOf(name);
    } catch (thrown) {
      if (thrown instanceof NoCounterError) return undefined;
      throw thrown;
    }
  }
}

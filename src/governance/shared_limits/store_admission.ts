/** A request that is admitted by the shared store, or locally while the store is unavailable. */

import type { Clock } from "../../core/clock.ts";
import { type Admission, type LocalAdmission, unitsOf } from "../admission.ts";
import { toNanoUsd } from "../cost.ts";
import { limitHeaders } from "../refusals.ts";
import {
  type Amount,
  type AppliedLimits,
  type Counters,
  NOTHING_USED,
  type Reservation,
} from "../counters.ts";
import type { AdmissionResult, Settlement } from "./batch.ts";

export interface StoreAdmissionOptions {
  readonly id: string;
  readonly limits: AppliedLimits;
  readonly reserved: Reservation;
  /** The reservation in this process's counters; undefined if not needed. */
  readonly local: LocalAdmission | undefined;
  /** Whether any limit was enforced. */
  readonly isLimited: boolean;
  /** Whether the store is charged for a request that it did not admit. */
  readonly isCharged: boolean;
  /** Whether the store is known to have admitted the request. */
  readonly hasRun: () => boolean;
  readonly counters: Counters;
  readonly clock: Clock;
  /**
   * While the store is unavailable, the number of replicas that share the limits; otherwise
   * undefined.
   */
  readonly replicas: () => number | undefined;
  readonly settle: (settlement: Settlement) => void;
}

export class StoreAdmission implements Admission {
  readonly #options: StoreAdmissionOptions;
  #isOver = false;

  constructor(options: StoreAdmissionOptions) {
    this.#options = options;
    const { counters, limits, local } = options;
    // The store has counted these slots. This process also counts them, in case the store fails.
    if (local === undefined) { for (const { slot } of limits.concurrency) counters.hold(slot); }
  }

  headers(): Record<string, string> {
    const { isLimited, limits, counters, reserved } = this.#options;
    return isLimited ? limitHeaders(limits.buckets, reserved, counters, this.#now()) : {};
  }

  get heldElsewhere(): number {
    const { limits: { budget }, local, reserved, hasRun } = this.#options;
    const isHeld = budget !== undefined && local === undefined && !this.#isOver && hasRun();
    return isHeld ? toNanoUsd(reserved.microUsd) : 0;
  }

  settle(used: Amount): void {
    this.#end(used, 1);
  }

  cancel(): void {
    this.#end(NOTHING_USED, 0);
  }

  /**
   * @param requests the number of requests that remain counted: 0 for a request that was rejected
   * after admission
   */
  #end(used: Amount, requests: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { id, limits, reserved, local, settle } = this.#options;
    if (local === undefined) this.#settleCopy(used, requests);
    else if (requests === 0) local.cancel();
    else local.settle(used);
    const hasRun = this.#options.hasRun();
    const isCharge = this.#options.isCharged && !hasRun;
    const changes = limits.buckets.map((bucket) => {
      if (!hasRun && !isCharge) return 0;
      const before = isCharge ? 0 : unitsOf(bucket, reserved);
      return Math.round((bucket.kind.unit.of(used, requests) - before) * bucket.rate.perUnit);
    });
    const { concurrency, budget } = limits;
    if (
      concurrency.length === 0 && budget === undefined && changes.every((change) => change === 0)
    ) {
      return;
    }
    settle({
      ...{ id, limits, hasRun, changes, isCharge },
      ...{ used: used.microUsd, reserved: reserved.microUsd },
    });
  }

  /**
   * Settles in this process's copy of the counters; while the store works, its values take
   * precedence.
   */
  #settleCopy(used: Amount, requests: number): void {
    const { limits: { concurrency, buckets, budget }, reserved, counters, isLimited } =
      this.#options;
    for (const { slot } of concurrency) counters.leave(slot);
    const replicas = this.#options.replicas();
    if (replicas === undefined || !isLimited) return;
    for (const bucket of buckets) {
      const units = (bucket.kind.unit.of(used, requests) - unitsOf(bucket, reserved)) * replicas;
      if (units !== 0) counters.adjust(bucket.slot, units, bucket.rate, this.#now());
    }
    if (budget === undefined) return;
    const change = toNanoUsd(used.microUsd) - toNanoUsd(reserved.microUsd);
    counters.correct(budget.slot, budget.period, change * replicas);
  }

  #now(): number {
    return Math.floor(this.#options.clock.now() * 1000);
  }
}

export class LateAdmission {
  /** Whether the store has admitted the request, as far as known. */
  isAdmitted = false;
  #isKnown = false;
  #onKnown: ((isAdmitted: boolean) => void) | undefined;

  /** @param result the late reply; undefined if none will arrive, although the store may have run the call */
  known(result: AdmissionResult | undefined): void {
    this.isAdmitted = result?.refused === 0;
    this.#isKnown = true;
    // A rejected request needs no cancellation.
    if (result === undefined || this.isAdmitted) this.#onKnown?.(this.isAdmitted);
  }

  /** Calls `run` once it is known that the store has, or may have, admitted the request. */
  whenKnown(run: (isAdmitted: boolean) => void): void {
    this.#onKnown = run;
    if (this.#isKnown) run(this.isAdmitted);
  }
}

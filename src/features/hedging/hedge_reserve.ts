/**
 * The share of requests that may call a second target, and the reservations for the second call.
 */

import type { Target } from "../../config/config.ts";
import type { Admission } from "../../governance/admission.ts";
import type { SpendingLimit } from "../../governance/spending_limit.ts";
import type { AttemptState } from "../../gateway/attempt_state.ts";
import { usedBy } from "../../gateway/attempt_usage.ts";
import type { AskedRecord, RequestLimitsBeside, Reserved } from "../../gateway/feature_attempts.ts";

export class HedgeReserve {
  readonly #spending: SpendingLimit | undefined;
  readonly #limits: RequestLimitsBeside;
  readonly #record: AskedRecord;
  #microUsd = 0;
  #beside: Admission | undefined;

  constructor(
    spending: SpendingLimit | undefined,
    limits: RequestLimitsBeside,
    record: AskedRecord,
  ) {
    this.#spending = spending;
    this.#limits = limits;
    this.#record = record;
  }

  /**
   * Reserves a second target within the rule's cost limit, the key's limits and budget, and the
   * model's limits.
   *
   * @returns undefined if any of them is exhausted, or the client has disconnected
   */
  async enter(target: Target): Promise<Pick<Reserved, "admission"> | undefined> {
    if (this.#spending !== undefined) {
      const expected = this.#limits.expectedMicroUsd(target);
      if (expected === undefined || !this.#spending.take(expected)) return undefined;
      this.#microUsd = expected;
    }
    const reserved = await this.#limits.enterBeside(target);
    this.#beside = reserved?.beside;
    if (reserved === undefined || this.#record.ended) {
      reserved?.admission?.cancel();
      this.ended();
      return undefined;
    }
    this.#record.hedge = this;
    return reserved;
  }

  /** Called when the request has ended, and its key's limits have been settled for both targets. */
  ended(): void {
    this.#beside?.cancel();
    this.#spending?.settle(this.#microUsd, this.#lost());
  }

  /** The cost of the attempts that the hedge made redundant, in millionths of a US dollar. */
  #lost(): number {
    const record = this.#record;
    let sum = 0;
    for (const attempt of lostToHedge(record)) {
      sum += usedBy(attempt, record).microUsd ?? 0;
    }
    return sum;
  }
}

/** The attempts that a request's hedge made redundant. */
export function lostToHedge(
  { attempt, billed }: Pick<AskedRecord, "attempt" | "billed">,
): readonly AttemptState[] {
  return billed.filter((one) => one !== attempt && (one.isHedge || one.outcome === "abandoned"));
}

/** The maximum number of accumulated hedges, so that a burst of slow answers cannot use many. */
const MAX_SAVED = 10;

/** Each request adds a fraction of a hedge, so hedges never exceed their share of requests. */
export class HedgeShare {
  readonly #share: number;
  #saved = 0;

  /** @param share from 0 to 1 */
  constructor(share: number) {
    this.#share = share;
  }

  /** Counts a request that may need a hedge. */
  earn(): void {
    this.#saved = Math.min(MAX_SAVED, this.#saved + this.#share);
  }

  /** Takes a hedge. Returns false if none is left. */
  take(): boolean {
    // Tolerates rounding errors in sums.
    if (this.#saved < 1 - 1e-9) return false;
    this.#saved--;
    return true;
  }

  /** Gives back a hedge that was not needed. */
  giveBack(): void {
    this.#saved++;
  }
}

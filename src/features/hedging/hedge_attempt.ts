/** One of two targets that a request asks at the same time. */

import { GatewayError } from "../../core/errors.ts";
import type { AskedRecord, AttemptLeg } from "../../gateway/feature_attempts.ts";
import type { AttemptState } from "../../gateway/attempt_state.ts";

export class HedgeAttempt implements AttemptLeg {
  /** Whether it is the second target. */
  readonly isHedge: boolean;
  /** Fires when the client has disconnected, or the other target has answered. */
  readonly signal: AbortSignal;
  /** Whether the other target has answered. */
  isLost = false;
  /** The current attempt, or the last one. */
  attempt: AttemptState | undefined;
  readonly #record: AskedRecord;
  readonly #controller = new AbortController();

  constructor(record: AskedRecord, isHedge: boolean) {
    this.#record = record;
    this.isHedge = isHedge;
    this.signal = AbortSignal.any([record.signal, this.#controller.signal]);
  }

  /** An attempt begins. */
  began(attempt: AttemptState): void {
    attempt.isHedge = this.isHedge;
    this.attempt = attempt;
  }

  /** The other target has answered: ends the attempt at once, so that it is billed in any case. */
  lose(): void {
    this.isLost = true;
    const { attempt } = this;
    if (attempt !== undefined && !attempt.hasEnded && attempt.requests > 0) {
      attempt.abandoned();
      this.#record.endedAttempts.push(attempt);
    }
    this.#controller.abort(new GatewayError("client_gone", "Another target has answered"));
  }
}

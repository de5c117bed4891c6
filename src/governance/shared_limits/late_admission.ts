/** An admission whose reply did not arrive in time. */

import type { AdmissionResult } from "./batch.ts";

export class LateAdmission {
  /** Whether the store has admitted the request, as far as it is known. */
  isAdmitted = false;
  #isKnown = false;
  #onKnown: ((isAdmitted: boolean) => void) | undefined;

  /** @param result what came late; undefined if no reply will come, but the store may have run it */
  known(result: AdmissionResult | undefined): void {
    this.isAdmitted = result?.refused === 0;
    this.#isKnown = true;
    // A refused request needs no cancellation.
    if (result === undefined || this.isAdmitted) this.#onKnown?.(this.isAdmitted);
  }

  /** Calls `run` once it is known that the store has, or may have, admitted the request. */
  whenKnown(run: (isAdmitted: boolean) => void): void {
    this.#onKnown = run;
    if (this.#isKnown) run(this.isAdmitted);
  }
}

/** The share of requests that may be hedged. */

/** Hedges that are saved for later at most, so that a burst of slow answers cannot use many. */
const MAX_SAVED = 10;

/** Each request earns a part of a hedge. So hedges are never more than their share of requests. */
export class HedgeShare {
  readonly #share: number;
  #saved = 0;

  /** @param share from 0 to 1 */
  constructor(share: number) {
    this.#share = share;
  }

  /** A request may need a hedge. */
  earn(): void {
    this.#saved = Math.min(MAX_SAVED, this.#saved + this.#share);
  }

  /** Takes a hedge. Returns false if none is left. */
  take(): boolean {
    // Sums of fractions are not exact.
    if (this.#saved < 1 - 1e-9) return false;
    this.#saved--;
    return true;
  }

  /** Returns a hedge that was not needed. */
  giveBack(): void {
    this.#saved++;
  }
}

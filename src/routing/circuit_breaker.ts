/** Stops asking a target that keeps failing, and asks again after a while. */

/** This many failures… */
const FAILURES = 5;
/** …within this many milliseconds open the breaker… */
const WINDOW = 30_000;
/** …for this many milliseconds; then one request may try. */
const REST = 30_000;

export type BreakerState = "closed" | "open" | "half_open";

export interface BreakerReport {
  readonly state: BreakerState;
  /** In a row, within the last half minute; five open it. */
  readonly failures: number;
  readonly tries_again_in_ms?: number;
}

/** The breaker of one model at one provider. Times are milliseconds since the epoch. */
export class Breaker {
  /** When the last failures happened; never more than it takes to open. */
  #failures: number[] = [];
  #openUntil: number | undefined;
  /** A request is out to see whether the target is well again. */
  #probing = false;

  state(now: number): BreakerState {
    if (this.#openUntil === undefined) return "closed";
    return now < this.#openUntil ? "open" : "half_open";
  }

  /** What `GET /v1/providers` shows. */
  report(now: number): BreakerReport {
    const state = this.state(now);
    return {
      state,
      failures: this.#failures.filter((at) => at > now - WINDOW).length,
      ...(state === "open" ? { tries_again_in_ms: Math.ceil((this.#openUntil ?? now) - now) } : {}),
    };
  }

  /** Whether a request had better go elsewhere; when half open, one at a time may try. */
  isShut(now: number): boolean {
    const state = this.state(now);
    return state === "open" || (state === "half_open" && this.#probing);
  }

  /** A request goes, whatever the state; true if it is the one that tries a half-open target. */
  enter(now: number): boolean {
    const isProbe = this.state(now) === "half_open" && !this.#probing;
    if (isProbe) this.#probing = true;
    return isProbe;
  }

  /** The target answered, even if only to say that the caller is mistaken. */
  succeeded(): void {
    this.#failures = [];
    this.#openUntil = undefined;
    this.#probing = false;
  }

  /** The target failed: too often in a row, or when it was tried again, and it is left alone. */
  failed(now: number): void {
    const failedAgain = this.#openUntil !== undefined;
    this.#probing = false;
    this.#failures = [...this.#failures.filter((at) => at > now - WINDOW), now].slice(-FAILURES);
    if (failedAgain || this.#failures.length >= FAILURES) this.#openUntil = now + REST;
  }

  /** The request ended without telling anything about the target. */
  left(isProbe: boolean): void {
    if (isProbe) this.#probing = false;
  }
}

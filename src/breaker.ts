/** Stops asking a target that keeps failing, and asks again after a while. */

/** This many failures in a row… */
const MAX_FAILURES = 5;
/** …within this many milliseconds open the breaker… */
const WINDOW_MS = 30_000;
/** …for this many milliseconds; then one request may try. */
const OPEN_MS = 30_000;

export type BreakerState = "closed" | "open" | "half_open";

export interface BreakerReport {
  readonly state: BreakerState;
  /** In a row, within the last half minute; five open it. */
  readonly failures: number;
  readonly tries_again_in_ms?: number;
}

interface BreakerFailure {
  readonly at: number;
  /** Whose request it was, where the request itself may have caused the failure. */
  readonly caller: string | undefined;
}

interface CallerSuccess {
  readonly at: number;
  readonly caller: string;
}

/**
 * The breaker of one model at one provider. Times are milliseconds since the epoch.
 *
 * One caller's prompts can make a vendor fail as often as that caller likes. So failures that a
 * prompt can cause do not open the breaker while they are of one caller alone and another caller's
 * request has succeeded within the window.
 */
export class Breaker {
  /** Never more than it takes to open. */
  #failures: BreakerFailure[] = [];
  /** The last success, and the last one of another caller. */
  #success: CallerSuccess | undefined;
  #otherSuccess: CallerSuccess | undefined;
  #openUntil: number | undefined;
  /** A request is out to see whether the target works again. */
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
      failures: this.#failures.filter(({ at }) => at > now - WINDOW_MS).length,
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

  /** The target answered a request of this caller. */
  succeeded(caller: string, now: number): void {
    if (this.#success !== undefined && this.#success.caller !== caller) {
      this.#otherSuccess = this.#success;
    }
    this.#success = { at: now, caller };
    if (this.#failures.length > 0) this.#failures = [];
    this.#openUntil = undefined;
    this.#probing = false;
  }

  /**
   * The target failed: too often in a row, or when it was tried again, and it is left alone.
   *
   * @param caller whose request it was, if the request itself may have caused the failure
   */
  failed(caller: string | undefined, now: number): void {
    const failedAgain = this.#openUntil !== undefined;
    this.#probing = false;
    const recent = this.#failures.filter(({ at }) => at > now - WINDOW_MS);
    this.#failures = [...recent, { at: now, caller }].slice(-MAX_FAILURES);
    if (failedAgain || this.#countingFailures(now) >= MAX_FAILURES) this.#openUntil = now + OPEN_MS;
  }

  /** The request ended without telling anything about the target. */
  left(isProbe: boolean): void {
    if (isProbe) this.#probing = false;
  }

  /** Forgets every failure. True if the breaker was not closed. */
  reset(): boolean {
    const wasClosed = this.#openUntil === undefined;
    this.#failures = [];
    this.#openUntil = undefined;
    this.#probing = false;
    return !wasClosed;
  }

  #countingFailures(now: number): number {
    const callers = new Set(this.#failures.map(({ caller }) => caller));
    callers.delete(undefined);
    const [only, ...others] = callers;
    if (only === undefined || others.length > 0) return this.#failures.length;
    const isWorking = [this.#success, this.#otherSuccess].some((success) =>
      success !== undefined && success.caller !== only && success.at > now - WINDOW_MS
    );
    if (!isWorking) return this.#failures.length;
    return this.#failures.filter(({ caller }) => caller === undefined).length;
  }
}

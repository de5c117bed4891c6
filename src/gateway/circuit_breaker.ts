/** A circuit breaker, which stops requests to a target that keeps failing and probes it later. */

/** The number of consecutive failures that open the breaker. */
const MAX_FAILURES = 5;
/** The failures must lie within this many milliseconds. */
const WINDOW_MS = 30_000;
/** Milliseconds for which the breaker stays open before one request probes the target. */
const OPEN_MS = 30_000;
/**
 * Milliseconds for which reports from other workers are ignored after a request to the target
 * succeeded here while their breaker was open, so that a replica without network access cannot
 * affect others.
 */
const IGNORE_OTHERS_MS = 300_000;

export type BreakerState = "closed" | "open" | "half_open";

export interface BreakerReport {
  readonly state: BreakerState;
  /** Consecutive failures within the last 30 seconds; five open the breaker. */
  readonly failures: number;
  readonly tries_again_in_ms?: number;
  /** Opened by another worker or replica. */
  readonly source?: "remote";
}

/** A change to a breaker's state caused by this worker's requests. */
export interface BreakerChange {
  /** When it becomes half open; undefined if it is closed. */
  readonly openUntil: number | undefined;
  /** Whether one caller's requests may have caused the failures. */
  readonly byOneCaller: boolean;
}

interface BreakerFailure {
  readonly at: number;
  /** The service key of the request, if the request itself may have caused the failure. */
  readonly caller: string | undefined;
}

interface CallerSuccess {
  readonly at: number;
  readonly caller: string;
}

/**
 * The breaker of one model at one provider. Times are milliseconds since the epoch.
 *
 * A prompt can make a vendor fail, and one caller can repeat it. Failures that a prompt can cause
 * therefore do not open the breaker if they all come from one caller and another caller's request
 * has succeeded within the window.
 */
export class Breaker {
  /** At most the number of failures that opens the breaker. */
  #failures: BreakerFailure[] = [];
  /** The last success, and the last success of a different caller. */
  #success: CallerSuccess | undefined;
  #otherSuccess: CallerSuccess | undefined;
  #openUntil: number | undefined;
  /**
   * Whether all requests may use the target; otherwise it depends on the time. Changed only by the
   * breaker.
   */
  isClosed = true;
  /** True while a request probes the target. */
  #probing = false;
  /** Whether another worker or replica has opened it. */
  #isRemote = false;
  #ignoresOthersUntil = 0;
  readonly #onChange: (change: BreakerChange) => void;

  /** @param onChange called when requests open or close the breaker, or extend its open period */
  constructor(onChange: (change: BreakerChange) => void = () => {}) {
    this.#onChange = onChange;
  }

  state(now: number): BreakerState {
    if (this.#openUntil === undefined) return "closed";
    return now < this.#openUntil ? "open" : "half_open";
  }

  /** The state as shown by `GET /v1/providers`. */
  report(now: number): BreakerReport {
    const state = this.state(now);
    return {
      state,
      failures: this.#failures.filter(({ at }) => at > now - WINDOW_MS).length,
      ...(state === "open" ? { tries_again_in_ms: Math.ceil((this.#openUntil ?? now) - now) } : {}),
      ...(this.#isRemote ? { source: "remote" } : {}),
    };
  }

  /** Whether requests should use another target. A half-open breaker admits one request. */
  isOpen(now: number): boolean {
    const state = this.state(now);
    return state === "open" || (state === "half_open" && this.#probing);
  }

  /** Called before a request is sent. Returns true if it is the probe of a half-open breaker. */
  enter(now: number): boolean {
    if (this.#openUntil === undefined) return false;
    const isProbe = this.state(now) === "half_open" && !this.#probing;
    if (isProbe) this.#probing = true;
    return isProbe;
  }

  /** Records that the target answered a request from this caller. */
  succeeded(caller: string, now: number): void {
    if (this.#success !== undefined && this.#success.caller !== caller) {
      this.#otherSuccess = this.#success;
    }
    this.#success = { at: now, caller };
    if (this.#failures.length > 0) this.#failures = [];
    this.#probing = false;
    if (this.#openUntil === undefined) return;
    if (this.#isRemote) this.#ignoresOthersUntil = now + IGNORE_OTHERS_MS;
    this.#close();
    this.#onChange({ openUntil: undefined, byOneCaller: false });
  }

  /**
   * Records a failure. The breaker opens after too many consecutive failures, and again when a
   * probe fails.
   *
   * @param caller the service key of the request, if the request itself may have caused the failure
   */
  failed(caller: string | undefined, now: number): void {
    const failedAgain = this.#openUntil !== undefined;
    this.#probing = false;
    const recent = this.#failures.filter(({ at }) => at > now - WINDOW_MS);
    this.#failures = [...recent, { at: now, caller }].slice(-MAX_FAILURES);
    if (!failedAgain && this.#countingFailures(now) < MAX_FAILURES) return;
    this.#open(now + OPEN_MS);
    this.#isRemote = false;
    this.#ignoresOthersUntil = 0;
    this.#onChange({ openUntil: now + OPEN_MS, byOneCaller: this.#isOfOneCaller() });
  }

  /**
   * Called when another worker or replica has opened its breaker for this target. If one caller's
   * requests may be the reason, a target that has answered here within 30 seconds stays in use.
   *
   * @returns whether this breaker is open because of it
   */
  openedElsewhere({ openUntil = 0, byOneCaller }: BreakerChange, now: number): boolean {
    if (openUntil <= Math.max(now, this.#openUntil ?? 0) || now < this.#ignoresOthersUntil) {
      return false;
    }
    if (byOneCaller && this.#success !== undefined && this.#success.at > now - WINDOW_MS) {
      return false;
    }
    // A breaker that this worker's requests opened is not overwritten.
    this.#isRemote ||= this.#openUntil === undefined;
    this.#open(Math.min(openUntil, now + OPEN_MS));
    return true;
  }

  /**
   * Called when the target works for another worker or replica. If this worker's requests have
   * failed, the next one probes the target; otherwise the breaker closes.
   *
   * @returns whether this breaker was open
   */
  closedElsewhere(now: number): boolean {
    if (this.state(now) !== "open") return false;
    if (this.#isRemote) this.#close();
    else this.#openUntil = now;
    return true;
  }

  /** Called when a request ended without evidence about the target. */
  left(isProbe: boolean): void {
    if (isProbe) this.#probing = false;
  }

  /** Clears all failures. Returns true if the breaker was not closed before. */
  reset(): boolean {
    const wasClosed = this.#openUntil === undefined;
    this.#failures = [];
    this.#probing = false;
    this.#ignoresOthersUntil = 0;
    this.#close();
    return !wasClosed;
  }

  #open(until: number): void {
    this.#openUntil = until;
    this.isClosed = false;
  }

  #close(): void {
    this.#openUntil = undefined;
    this.isClosed = true;
    this.#isRemote = false;
  }

  /** Whether the breaker would be closed without one caller's failures. */
  #isOfOneCaller(): boolean {
    const callers = new Set(this.#failures.map(({ caller }) => caller));
    const certain = this.#failures.filter(({ caller }) => caller === undefined).length;
    callers.delete(undefined);
    return callers.size === 1 && certain < MAX_FAILURES;
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

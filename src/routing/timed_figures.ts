/** Averages in which older values lose weight over time. Times are milliseconds of the clock. */

/** Below this weight a mean is unknown again: five times its decay time after a single value. */
const MIN_WEIGHT = Math.exp(-5);

/** A mean in which a value counts for 1/e after the decay time. */
export class TimedMean {
  readonly #decayMs: number;
  #sum = 0;
  #weight = 0;
  #at = 0;

  constructor(decayMs: number) {
    this.#decayMs = decayMs;
  }

  add(value: number, now: number): void {
    const kept = this.#keptAt(now);
    this.#sum = this.#sum * kept + value;
    this.#weight = this.#weight * kept + 1;
    this.#at = now;
  }

  /** The mean; undefined without a value that still counts. */
  value(now: number): number | undefined {
    if (this.#weight === 0 || this.#weight * this.#keptAt(now) < MIN_WEIGHT) return undefined;
    return this.#sum / this.#weight;
  }

  /** The mean as it fades: it approaches 0 while nothing is added. */
  fading(now: number): number {
    return this.#weight === 0 ? 0 : this.#sum / this.#weight * this.#keptAt(now);
  }

  #keptAt(now: number): number {
    return Math.exp((this.#at - now) / this.#decayMs);
  }
}

/**
 * A moving average that follows a higher value at once, and a lower one slowly: the peak EWMA of
 * Finagle's load balancer (https://twitter.github.io/finagle/guide/Clients.html, 2026-11).
 */
export class TimedPeak {
  readonly #decayMs: number;
  #value = 0;
  #at = 0;
  #hasValue = false;

  constructor(decayMs: number) {
    this.#decayMs = decayMs;
  }

  /** The average as of the last value; undefined before the first. */
  get last(): number | undefined {
    return this.#hasValue ? this.#value : undefined;
  }

  add(value: number, now: number): void {
    const isPeak = !this.#hasValue || value >= this.#value;
    this.#value = isPeak ? value : value + (this.#value - value) * this.#keptAt(now);
    this.#at = now;
    this.#hasValue = true;
  }

  /** The average now. Without new values it approaches the average of the other targets. */
  value(usual: number, now: number): number {
    return this.#hasValue ? usual + (this.#value - usual) * this.#keptAt(now) : usual;
  }

  #keptAt(now: number): number {
    return Math.exp((this.#at - now) / this.#decayMs);
  }
}

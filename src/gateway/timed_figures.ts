/** Averages in which older values lose weight over time. Times are in milliseconds by the clock. */

import type { TokenCounts } from "../apis/chat/token_counts.ts";

/** Below this weight a mean is unknown again: five times its decay time after a single value. */
const MIN_WEIGHT = Math.exp(-5);

/** A mean in which a value's weight is 1/e after the decay time. */
export class TimedMean {
  readonly #decayMs: number;
  #sum = 0;
  #weight = 0;
  #at = 0;

  constructor(decayMs: number) {
    this.#decayMs = decayMs;
  }

  add(value: number, now: number): void {
    const kept = Math.exp((this.#at - now) / this.#decayMs);
    this.#sum = this.#sum * kept + value;
    this.#weight = this.#weight * kept + 1;
    this.#at = now;
  }

  /** The mean; undefined if no value has sufficient weight. */
  value(now: number): number | undefined {
    const weight = this.#weight;
    const kept = Math.exp((this.#at - now) / this.#decayMs);
    return weight === 0 || weight * kept < MIN_WEIGHT ? undefined : this.#sum / weight;
  }
}

/**
 * A moving average that follows higher values at once and lower ones slowly: the peak EWMA of
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
    if (!this.#hasValue || value >= this.#value) this.#value = value;
    else this.#value = this.value(value, now);
    this.#at = now;
    this.#hasValue = true;
  }

  /** The average now. Without new values it approaches the average of the other targets. */
  value(typical: number, now: number): number {
    if (!this.#hasValue) return typical;
    return typical + (this.#value - typical) * Math.exp((this.#at - now) / this.#decayMs);
  }
}

/** The time after which a failure has half its weight. */
const FAILURE_HALF_LIFE_MS = 10_000;
/** The minimum penalty for a failure, as a multiple of the usual value. */
const FAILURE_FACTOR = 3;
/** A successful answer multiplies the weight of earlier failures by this factor. */
const KEPT_BY_ANSWER = 1 / 8;
/** The maximum weight, in failures. */
const MAX_FAILURES = 10;

/**
 * The penalty that failures add to a target's latency, which decays with time and with successful
 * answers.
 */
export class FailurePenalty {
  /** The current weight of failures, as of the last change. */
  failures = 0;
  #ms = 0;
  #at = 0;

  /** @param ms how long the failed attempt took */
  failed(ms: number, now: number): void {
    this.failures = Math.min(this.#leftAt(now) + 1, MAX_FAILURES);
    this.#ms = ms;
    this.#at = now;
  }

  answered(now: number): void {
    this.failures = this.#leftAt(now) * KEPT_BY_ANSWER;
    this.#at = now;
  }

  /**
   * The penalty to add to a value: for each failure three times the usual value, or the duration of
   * the last failed attempt if that is longer.
   *
   * @param typical the value for other targets
   * @param outputs the number of outputs that the value covers: the tokens of an answer, or 1
   */
  of(typical: number, now: number, outputs = 1): number {
    if (this.failures === 0) return 0;
    return this.#leftAt(now) * Math.max(FAILURE_FACTOR * typical, this.#ms / outputs);
  }

  #leftAt(now: number): number {
    return this.failures * 2 ** ((this.#at - now) / FAILURE_HALF_LIFE_MS);
  }
}

/** The tokens in an average request. */
export type TypicalUsage = Omit<TokenCounts, "reasoning">;

/** The decay time for an answer's usage. */
const USAGE_DECAY_MS = 600_000;

/** The average usage of answers, as a `TimedMean` of each count. */
export class UsageMeans {
  #input = 0;
  #cached = 0;
  #written = 0;
  #writtenHour = 0;
  #output = 0;
  /** The weight of the sums above. */
  #weight = 0;
  #at = 0;

  /** Records an answer's usage as reported by the vendor. */
  add({ input, cached, written, writtenHour, output }: TypicalUsage, now: number): void {
    const kept = Math.exp((this.#at - now) / USAGE_DECAY_MS);
    this.#input = this.#input * kept + input;
    this.#cached = this.#cached * kept + cached;
    this.#written = this.#written * kept + written;
    this.#writtenHour = this.#writtenHour * kept + writtenHour;
    this.#output = this.#output * kept + output;
    this.#weight = this.#weight * kept + 1;
    this.#at = now;
  }

  /** The average usage; undefined without a recent answer. */
  value(now: number): TypicalUsage | undefined {
    const weight = this.#weight;
    const kept = Math.exp((this.#at - now) / USAGE_DECAY_MS);
    if (weight === 0 || weight * kept < MIN_WEIGHT) return undefined;
    return {
      input: this.#input / weight,
      cached: this.#cached / weight,
      written: this.#written / weight,
      writtenHour: this.#writtenHour / weight,
      output: this.#output / weight,
    };
  }
}

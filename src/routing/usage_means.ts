/** The average usage of answers. Times are milliseconds of the clock. */

import type { TokenCounts } from "../chat/token_counts.ts";
import { MIN_WEIGHT } from "./timed_figures.ts";

/** The tokens of an average request. */
export type TypicalUsage = Omit<TokenCounts, "reasoning">;

/** After this time the usage of an answer counts for 1/e. */
const USAGE_DECAY_MS = 600_000;

/** Averages in which older answers lose weight, as in a `TimedMean`. */
export class UsageMeans {
  #input = 0;
  #cached = 0;
  #written = 0;
  #writtenHour = 0;
  #output = 0;
  /** Of the sums above. */
  #weight = 0;
  #at = 0;

  /** Records the usage of an answer as the vendor reports it. */
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

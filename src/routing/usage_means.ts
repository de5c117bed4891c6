/** The average usage of answers. Times are milliseconds of the clock. */

import type { Usage } from "../chat/chat.ts";
import { toCount } from "../core/json/values.ts";
import { TimedMean } from "./timed_figures.ts";

/** The tokens of an average request. */
export interface TypicalUsage {
  readonly input: number;
  /** Input that the vendor read from its cache. */
  readonly cached: number;
  /** Input that it wrote to its cache, and how much of that for an hour. */
  readonly written: number;
  readonly writtenHour: number;
  readonly output: number;
}

/** After this time the usage of an answer counts for 1/e. */
const USAGE_DECAY_MS = 600_000;

/** The usage of one answer, by the same names. */
export function toTypical(
  { prompt_tokens, completion_tokens, prompt_tokens_details: details }: Usage,
): TypicalUsage {
  return {
    input: toCount(prompt_tokens),
    cached: toCount(details?.cached_tokens),
    written: toCount(details?.cache_write_tokens),
    writtenHour: toCount(details?.cache_write_1h_tokens),
    output: toCount(completion_tokens),
  };
}

/** Averages in which older answers lose weight. */
export class UsageMeans {
  readonly #input = new TimedMean(USAGE_DECAY_MS);
  readonly #cached = new TimedMean(USAGE_DECAY_MS);
  readonly #written = new TimedMean(USAGE_DECAY_MS);
  readonly #writtenHour = new TimedMean(USAGE_DECAY_MS);
  readonly #output = new TimedMean(USAGE_DECAY_MS);

  /** Records the usage of an answer as the vendor reports it. */
  add(usage: Usage, now: number): void {
    const { input, cached, written, writtenHour, output } = toTypical(usage);
    this.#input.add(input, now);
    this.#cached.add(cached, now);
    this.#written.add(written, now);
    this.#writtenHour.add(writtenHour, now);
    this.#output.add(output, now);
  }

  /** The average usage; undefined without a recent answer. */
  value(now: number): TypicalUsage | undefined {
    const input = this.#input.value(now);
    // All five get the same answers.
    if (input === undefined) return undefined;
    return {
      input,
      cached: this.#cached.value(now) ?? 0,
      written: this.#written.value(now) ?? 0,
      writtenHour: this.#writtenHour.value(now) ?? 0,
      output: this.#output.value(now) ?? 0,
    };
  }
}

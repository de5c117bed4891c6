/**
 * The usage of an answer that a vendor finished after the request that asked for it: a later
 * request sees it and is billed the difference.
 */

import type { Usage } from "../chat/chat.ts";
import { UNITS } from "../core/units.ts";

/** The charge of an answer before it was finished. */
export interface Charge {
  readonly input: number;
  readonly output: number;
  /** Undefined if the prices were unknown. */
  readonly microUsd: number | undefined;
}

/** The usage of a request that settles an answer. */
export interface Settlement {
  /** The difference to what was charged: it is negative if the estimate was too high. */
  readonly usage: Usage;
  readonly source: "vendor";
  readonly settled: {
    /** All usage of the answer. */
    readonly usage: Usage;
    readonly chargedMicroUsd: number;
  };
}

/** Settles an answer with its final usage. */
export function toSettlement(usage: Usage, { input, output, microUsd = 0 }: Charge): Settlement {
  const prompt = usage.prompt_tokens - input;
  const completion = usage.completion_tokens - output;
  return {
    usage: {
      ...usage,
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    },
    source: "vendor",
    settled: { usage, chargedMicroUsd: microUsd },
  };
}

/** More tokens than any model reads or writes: the largest contexts have some ten million. */
const MAX_TOKENS = 2 ** 27;

/** Whether all counts of a vendor can be true. */
export function isPossible(usage: Usage): boolean {
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } =
    usage;
  return Math.abs(prompt_tokens) <= MAX_TOKENS && Math.abs(completion_tokens) <= MAX_TOKENS &&
    areCountsPossible(prompt_tokens_details) && areCountsPossible(completion_tokens_details) &&
    (usage[UNITS] === undefined || areCountsPossible(usage[UNITS]));
}

/** Members that are not numbers are ignored. */
function areCountsPossible(counts: object | undefined | null): boolean {
  for (const name in counts) {
    const count = (counts as Readonly<Record<string, unknown>>)[name];
    if (typeof count === "number" && !(Math.abs(count) <= MAX_TOKENS)) return false;
  }
  return true;
}

/** The token counts of a usage, read once: settlement, statistics, metrics and ledger use them. */

import { toCount } from "../core/json/values.ts";
import type { Usage } from "./chat.ts";

/** Counts as whole numbers. Those that a vendor does not report are 0. */
export interface TokenCounts {
  /** All input. It is negative if a request corrects the estimate of an earlier one; as the output. */
  readonly input: number;
  /** Input that the vendor read from its cache. */
  readonly cached: number;
  /** Input that it wrote to its cache, and how much of that for an hour. */
  readonly written: number;
  readonly writtenHour: number;
  /** All output. */
  readonly output: number;
  /** Output that is reasoning. */
  readonly reasoning: number;
}

export const NO_TOKENS: TokenCounts = {
  input: 0,
  cached: 0,
  written: 0,
  writtenHour: 0,
  output: 0,
  reasoning: 0,
};

/** Reads the counts of a usage. */
export function readCounts(
  {
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: prompt,
    completion_tokens_details: completion,
  }: Usage,
): TokenCounts {
  const cached = prompt?.cached_tokens;
  const writes = prompt?.cache_write_tokens;
  const written = writes ? toCount(writes) : 0;
  const reasoning = completion?.reasoning_tokens;
  return {
    input,
    cached: cached ? toCount(cached) : 0,
    written,
    writtenHour: written === 0 ? 0 : toCount(prompt?.cache_write_1h_tokens),
    output,
    reasoning: reasoning ? toCount(reasoning) : 0,
  };
}

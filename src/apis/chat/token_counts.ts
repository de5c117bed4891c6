/** The token counts of a usage, read once: settlement, statistics, metrics and ledger use them. */

import { toCount } from "../../core/json/values.ts";
import type { Usage } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { addUnits, UNITS } from "../../core/units.ts";

/** Counts as whole numbers. Those that a vendor does not report are 0. */
export interface TokenCounts {
  /** All input. Negative if a request corrects an earlier estimate, like the output. */
  readonly input: number;
  /** Input that the vendor read from its cache. */
  readonly cached: number;
  /** Input that was written to the cache, and the part with a lifetime of one hour. */
  readonly written: number;
  readonly writtenHour: number;
  /** All output. */
  readonly output: number;
  /** The part of the output that is reasoning. */
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

/** The combined usage of two answers, or that of one if the other is unknown. */
export function addUsage(sum: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  if (sum === undefined || usage === undefined) return sum ?? usage;
  const units = addUnits(sum[UNITS], usage[UNITS]);
  const prompt = addCounts(sum.prompt_tokens_details, usage.prompt_tokens_details);
  const completion = addCounts(sum.completion_tokens_details, usage.completion_tokens_details);
  return {
    prompt_tokens: sum.prompt_tokens + usage.prompt_tokens,
    completion_tokens: sum.completion_tokens + usage.completion_tokens,
    total_tokens: sum.total_tokens + usage.total_tokens,
    ...(prompt !== undefined && { prompt_tokens_details: prompt }),
    ...(completion !== undefined && { completion_tokens_details: completion }),
    ...(units !== undefined && { [UNITS]: units }),
  };
}

/** The counts of both by their names; undefined if neither has any. Vendors also send null. */
function addCounts(one: unknown, other: unknown): JsonObject | undefined {
  const both = [one, other].filter(isObject);
  if (both.length === 0) return undefined;
  const sum = new Map<string, number>();
  for (const counts of both) {
    for (const name of Object.keys(counts)) {
      sum.set(name, (sum.get(name) ?? 0) + toCount(counts[name]));
    }
  }
  return Object.fromEntries(sum);
}

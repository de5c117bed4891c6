/** Adds the usage of several answers. */

import { isObject, type JsonObject } from "../core/json/object.ts";
import { toCount } from "../core/json/values.ts";
import { addUnits, UNITS } from "../core/units.ts";
import type { Usage } from "./chat.ts";

/** The usage of two answers together; of one, if the other is unknown. */
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

/** Adds the usage of several answers. */

import type { JsonObject } from "../core/json/object.ts";
import { toCount } from "../core/json/values.ts";
import { addUnits, UNITS } from "../core/units.ts";
import type { Usage } from "./chat.ts";

/** The usage of two answers together; of one, if the other is unknown. */
export function addUsage(sum: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  if (sum === undefined || usage === undefined) return sum ?? usage;
  const units = addUnits(sum[UNITS], usage[UNITS]);
  return {
    prompt_tokens: sum.prompt_tokens + usage.prompt_tokens,
    completion_tokens: sum.completion_tokens + usage.completion_tokens,
    total_tokens: sum.total_tokens + usage.total_tokens,
    prompt_tokens_details: addCounts(sum.prompt_tokens_details, usage.prompt_tokens_details),
    completion_tokens_details: addCounts(
      sum.completion_tokens_details,
      usage.completion_tokens_details,
    ),
    ...(units !== undefined && { [UNITS]: units }),
  };
}

function addCounts(sum: JsonObject = {}, counts: JsonObject = {}): JsonObject {
  const names = new Set([...Object.keys(sum), ...Object.keys(counts)]);
  return Object.fromEntries([...names].map((name) => [
    name,
    toCount(sum[name]) + toCount(counts[name]),
  ]));
}

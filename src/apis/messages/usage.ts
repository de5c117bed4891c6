/** The metadata of an answer of the Messages API. */

import { type FinishReason, isObject, type JsonObject, type Usage } from "../../contract/chat.ts";
import { addUp } from "../usage.ts";
import { toCount } from "../../core/json/values.ts";

/** @param called whether the answer has calls for the caller; the call of the JSON tool is not one */
export function toFinishReason(reason: unknown, called: boolean): FinishReason {
  return FINISH_REASONS.get(reason) ?? (called ? "tool_calls" : "stop");
}

/** OpenAI's name of the tier that the vendor used. */
export function toTier(usage: unknown): string | undefined {
  return isObject(usage) ? ANSWERED_TIERS.get(usage.service_tier) : undefined;
}

/** The vendor excludes cached tokens from `input_tokens`; OpenAI includes them. */
export function toUsage(usage: JsonObject): Usage | undefined {
  const { cache_read_input_tokens: cached, cache_creation_input_tokens: written } = usage;
  const sums = addUp({
    prompt: [usage.input_tokens, written, cached],
    completion: [usage.output_tokens],
  });
  // Input that is written to the cache for an hour has a separate price
  // (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, 2026-11-22).
  const hour = isObject(usage.cache_creation)
    ? toCount(usage.cache_creation.ephemeral_1h_input_tokens)
    : 0;
  const { thinking_tokens } = isObject(usage.output_tokens_details)
    ? usage.output_tokens_details
    : { thinking_tokens: 0 };
  return sums && {
    ...sums,
    prompt_tokens_details: {
      cached_tokens: toCount(cached),
      cache_write_tokens: toCount(written),
      ...(hour > 0 && { cache_write_1h_tokens: hour }),
    },
    completion_tokens_details: { reasoning_tokens: toCount(thinking_tokens) },
  };
}

const ANSWERED_TIERS = new Map<unknown, string>([
  ["standard", "default"],
  ["priority", "priority"],
  ["batch", "flex"],
]);

const FINISH_REASONS = new Map<unknown, FinishReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["compaction", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
]);

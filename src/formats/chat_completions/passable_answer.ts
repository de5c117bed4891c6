/** Detects answers that can be passed to the caller unchanged. */

import { type CompletionBody, isObject, type JsonObject } from "../../chat/chat.ts";

/**
 * Whether a vendor's answer in OpenAI's format is complete: the gateway would add or change
 * nothing, so its text can be passed through unchanged. Only text answers qualify; others are
 * always converted.
 */
export function isPassable(body: unknown): body is CompletionBody {
  if (!isObject(body) || body.object !== "chat.completion" || !isObject(body.usage)) return false;
  return isName(body.id) && isName(body.model) && isCount(body.created) && body.created > 0 &&
    isConsistentUsage(body.usage) &&
    Array.isArray(body.choices) && body.choices.length > 0 && body.choices.every(isPassableChoice);
}

/** Whether the counts are consistent and have OpenAI's names. */
function isConsistentUsage(usage: JsonObject): boolean {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens } = usage;
  if (!isCount(prompt) || !isCount(completion) || prompt + completion !== total_tokens) {
    return false;
  }
  const promptDetails = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const completionDetails = isObject(usage.completion_tokens_details)
    ? usage.completion_tokens_details
    : {};
  return isWithin(promptDetails.cached_tokens, prompt) &&
    isWithin(promptDetails.audio_tokens, prompt) &&
    isWithin(completionDetails.reasoning_tokens, completion) &&
    !OTHER_NAMES.some((name) => name in usage);
}

/** Vendors' names for counts that are part of the details at OpenAI. */
const OTHER_NAMES = [
  "cached_tokens",
  "num_cached_tokens",
  "prompt_cache_hit_tokens",
  "reasoning_tokens",
];

function isWithin(part: unknown, sum: number): boolean {
  return typeof part !== "number" || part <= sum;
}

const PLAIN_ENDS = new Set<unknown>(["stop", "length", "content_filter"]);

function isPassableChoice(choice: unknown): boolean {
  if (!isObject(choice) || !isObject(choice.message)) return false;
  const { role, content, refusal, tool_calls, function_call, reasoning, reasoning_content } =
    choice.message;
  return isCount(choice.index) && choice.logprobs !== undefined &&
    PLAIN_ENDS.has(choice.finish_reason) && role === "assistant" && isName(content) &&
    refusal === null && tool_calls === undefined && function_call === undefined &&
    reasoning === undefined && reasoning_content === undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

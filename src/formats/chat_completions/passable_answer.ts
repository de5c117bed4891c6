/** Which answers may go to the caller as they came. */

import { type CompletionBody, isObject, type JsonObject } from "../../chat/chat.ts";

/**
 * Whether a vendor's answer in OpenAI's format is whole: nothing of it would be
 * stamped or changed, so that its text may go through as it came. Only answers
 * of plain text are looked at; any other takes the long way.
 */
export function isWhole(body: unknown): body is CompletionBody {
  if (!isObject(body) || body.object !== "chat.completion" || !isObject(body.usage)) return false;
  return isName(body.id) && isName(body.model) && isCount(body.created) && body.created > 0 &&
    isWholeUsage(body.usage) &&
    Array.isArray(body.choices) && body.choices.length > 0 && body.choices.every(isWholeChoice);
}

/** Whether counts add up, contain their parts, and have OpenAI's names. */
function isWholeUsage(usage: JsonObject): boolean {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens } = usage;
  if (!isCount(prompt) || !isCount(completion) || prompt + completion !== total_tokens) {
    return false;
  }
  const asked = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const made = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return isWithin(asked.cached_tokens, prompt) && isWithin(asked.audio_tokens, prompt) &&
    isWithin(made.reasoning_tokens, completion) && !OTHER_NAMES.some((name) => name in usage);
}

/** What vendors call counts that OpenAI has in the details. */
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

function isWholeChoice(choice: unknown): boolean {
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

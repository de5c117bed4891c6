/** Detects answers that can be passed to the caller unchanged. */

import { type CompletionBody, isObject, type JsonObject } from "../../chat/chat.ts";

/**
 * Whether a vendor's answer in OpenAI's format is complete: the gateway would add or change
 * nothing, so its text can be passed through unchanged. Only text answers qualify; others are
 * always converted.
 */
export function isPassable(body: unknown): body is CompletionBody {
  if (!isObject(body)) return false;
  const { object, id, model, created, usage, choices } = body;
  if (object !== "chat.completion" || !Number.isInteger(created) || Number(created) <= 0) {
    return false;
  }
  if (typeof id !== "string" || id === "" || typeof model !== "string" || model === "") {
    return false;
  }
  if (!isObject(usage) || !isConsistentUsage(usage)) return false;
  if (!Array.isArray(choices) || choices.length === 0) return false;
  for (const choice of choices) if (!isPassableChoice(choice)) return false;
  return true;
}

/** Whether the counts are consistent and have OpenAI's names. */
function isConsistentUsage(usage: JsonObject): boolean {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens } = usage;
  if (!Number.isInteger(prompt) || !Number.isInteger(completion)) return false;
  const [sent, made] = [Number(prompt), Number(completion)];
  if (sent < 0 || made < 0 || sent + made !== total_tokens) return false;
  for (const name of OTHER_NAMES) if (name in usage) return false;
  const { prompt_tokens_details: ofPrompt, completion_tokens_details: ofCompletion } = usage;
  for (const name of PROMPT_PARTS) if (isOver(ofPrompt, name, sent)) return false;
  return !isOver(ofCompletion, "reasoning_tokens", made);
}

/** Vendors' names for counts that are part of the details at OpenAI. */
const OTHER_NAMES = [
  "cached_tokens",
  "num_cached_tokens",
  "prompt_cache_hit_tokens",
  "reasoning_tokens",
];

const PROMPT_PARTS = ["cached_tokens", "audio_tokens"];

/** Whether details have a part that is larger than the sum. */
function isOver(details: unknown, name: string, sum: number): boolean {
  const part = isObject(details) ? details[name] : undefined;
  return typeof part === "number" && part > sum;
}

const PLAIN_ENDS = new Set<unknown>(["stop", "length", "content_filter"]);

function isPassableChoice(choice: unknown): boolean {
  if (!isObject(choice) || !isObject(choice.message)) return false;
  const { index, logprobs, finish_reason: end } = choice;
  const { role, content, refusal, tool_calls, function_call, reasoning, reasoning_content } =
    choice.message;
  return Number.isInteger(index) && Number(index) >= 0 && logprobs !== undefined &&
    PLAIN_ENDS.has(end) && role === "assistant" && typeof content === "string" && content !== "" &&
    refusal === null && tool_calls === undefined && function_call === undefined &&
    reasoning === undefined && reasoning_content === undefined;
}

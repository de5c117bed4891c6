/** OpenAI's chat completions as a caller format. */

import type { CallerFormat } from "../chat/caller_format.ts";
import { readChatRequest } from "../chat/read_request.ts";
import type { GatewayError } from "../../core/errors.ts";
import { writeJson } from "../../core/json/number_texts.ts";
import { toJsonText } from "../../core/json/writer.ts";
import { ChunkWriter, stampCompletion } from "./envelope.ts";
import { type CompletionBody, isObject, type JsonObject } from "../../contract/chat.ts";

const encoder = new TextEncoder();

function writeError(error: GatewayError): string {
  return JSON.stringify({ error: error.toDetails() });
}

/** The format of `POST /v1/chat/completions`. */
export const chatCompletions: CallerFormat = {
  name: "chat_completions",
  idPrefix: "chatcmpl-",
  keepAlive: encoder.encode(": keep-alive\n"),
  readRequest: readChatRequest,
  writeCompletion: (body, envelope, isLong) => {
    const stamped = stampCompletion(body, envelope);
    return isLong ? toJsonText(stamped) : writeJson(stamped);
  },
  isPassable,
  createStreamWriter(envelope, { stream_options: options }, toCost) {
    const includeCost = options?.include_cost === true;
    const includeUsage = options?.include_usage === true || includeCost;
    return new ChunkWriter(envelope, includeUsage, includeCost ? toCost : undefined);
  },
  writeError,
  writeStreamError: (error) => encoder.encode(`data: ${writeError(error)}\n\n`),
};

/**
 * Whether a vendor's answer in OpenAI's format is complete, so that its text can be passed through
 * unchanged. Only text answers qualify; others are always converted. Exported for tests.
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
  const { prompt_tokens: sent, completion_tokens: made, total_tokens } = usage;
  if (!isCount(sent) || !isCount(made) || sent + made !== total_tokens) return false;
  if (
    "cached_tokens" in usage || "num_cached_tokens" in usage ||
    "prompt_cache_hit_tokens" in usage || "reasoning_tokens" in usage
  ) {
    // Vendors' names for counts that are part of the details at OpenAI.
    return false;
  }
  const { prompt_tokens_details: ofPrompt, completion_tokens_details: ofCompletion } = usage;
  if (isObject(ofPrompt)) {
    const { cached_tokens: cached, audio_tokens: audio } = ofPrompt;
    if (cached && isOver(cached, sent) || audio && isOver(audio, sent)) return false;
  }
  const reasoning = isObject(ofCompletion) && ofCompletion.reasoning_tokens;
  return !reasoning || !isOver(reasoning, made);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** Whether a part is larger than the sum. */
function isOver(part: unknown, sum: number): boolean {
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

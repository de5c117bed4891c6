/** The metadata of an answer of the Gemini API. */

import { type FinishReason, isObject, type JsonObject, type Usage } from "../../contract/chat.ts";
import { addUp } from "../usage.ts";
import { isText, toCount } from "../../core/json/values.ts";
import type { UpstreamError } from "../../contract/vendor_request.ts";

/** A member of `contents[].parts`. */
export type Part = JsonObject;

/** The parts of a candidate; empty if it has none. */
export function partsOf({ content }: JsonObject): readonly Part[] {
  return isObject(content) && Array.isArray(content.parts) ? content.parts.filter(isObject) : [];
}

/**
 * The finish reason of a candidate; an upstream error if the vendor reports a failure.
 *
 * @param hasOutput whether the answer has any content
 */
export function readFinish(
  { finishReason: reason, finishMessage: words }: JsonObject,
  hasOutput: boolean,
): FinishReason | UpstreamError {
  const finish = FINISH_REASONS.get(reason);
  if (finish !== undefined) return finish;
  if (!FAILURES.has(reason) && (hasOutput || !EMPTY_FAILURES.has(reason))) return "stop";
  const message = `The provider could not finish its answer: ${String(reason)}`;
  return { kind: "upstream_error", message: isText(words) ? `${message} (${words})` : message };
}

/** Converts usage. Google counts thoughts separately, OpenAI as part of the answer. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = [usage.promptTokenCount, usage.toolUsePromptTokenCount];
  const candidates = toCount(usage.candidatesTokenCount);
  const reasoning = toCount(usage.thoughtsTokenCount);
  const promptTokens = toCount(prompt[0]) + toCount(prompt[1]);
  // In some answers, the candidates' tokens already include the thoughts.
  const isIncluded = reasoning <= candidates &&
    toCount(usage.totalTokenCount) === promptTokens + candidates;
  const sums = addUp({
    prompt,
    completion: [usage.candidatesTokenCount, isIncluded ? undefined : usage.thoughtsTokenCount],
    total: usage.totalTokenCount,
  });
  const inputAudio = audioOf(usage.promptTokensDetails);
  const outputAudio = audioOf(usage.candidatesTokensDetails);
  return sums && {
    ...sums,
    prompt_tokens_details: {
      cached_tokens: toCount(usage.cachedContentTokenCount),
      ...(inputAudio > 0 && { audio_tokens: inputAudio }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      ...(outputAudio > 0 && { audio_tokens: outputAudio }),
    },
  };
}

/** The service tier that was used, as OpenAI's value. */
export function toTier(usage: unknown, header?: string | null): string | undefined {
  const { serviceTier, trafficType } = isObject(usage) ? usage : {};
  for (const word of [serviceTier, header, trafficType]) {
    if (isText(word)) return TIERS.get(word.toLowerCase().replace("on_demand_", ""));
  }
  return undefined;
}

const FINISH_REASONS = new Map<unknown, FinishReason>([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["LANGUAGE", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
  ["ESCALATION", "content_filter"],
]);

/** Finish reasons of failures: the content is incomplete, and its calls must not be run. */
export const FAILURES = new Set<unknown>([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
]);

/** Finish reasons that are failures only if the answer has no content. */
const EMPTY_FAILURES = new Set<unknown>([
  "OTHER",
  "NO_IMAGE",
  "IMAGE_OTHER",
  "FINISH_REASON_UNSPECIFIED",
]);

const TIERS = new Map([
  ["standard", "default"],
  ["flex", "flex"],
  ["priority", "priority"],
]);

function audioOf(details: unknown): number {
  const rows = Array.isArray(details) ? details.filter(isObject) : [];
  return toCount(rows.find(({ modality }) => modality === "AUDIO")?.tokenCount);
}

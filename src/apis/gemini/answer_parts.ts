/**
 * Common parts of complete answers and streams: usage, the finish reason, parts, bytes and
 * signatures.
 */

import type { FinishReason, Usage } from "../../contract/chat.ts";
import { isMarked } from "../chat/call_ids.ts";
import type { InnerJson } from "../../core/json/inner_json.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toCount, toList } from "../../core/json/values.ts";
import { argumentsOf, type WrittenCall } from "../calls.ts";
import { JsonError } from "../../core/json/limits.ts";
import { type CarriedState, readState, toStateText } from "../messages/answer_parts.ts";

// Members of type `bytes`. JSON of Protocol Buffers is read in both alphabets of base64, with and
// without padding (https://protobuf.dev/programming-guides/json/, 2026-11-28): Google's package for
// Python writes `-` and `_`. Other vendors and Go read only the standard one with padding.

/** The bytes in the standard alphabet with padding; undefined for text that is not base64. */
export function toStandardBase64(text: string): string | undefined {
  const data = text.replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.fromBase64(data);
    return data.length % 4 === 0 && !/\s/.test(data) ? data : bytes.toBase64();
  } catch {
    return undefined;
  }
}

// State of other vendors' models in thought signatures. Clients return the signatures of parts
// unchanged, but may decode and encode their base64, in either alphabet.

/**
 * The first bytes of every signature that this file writes: six, so that they are visible in
 * base64.
 */
const TAG = "sluice";
const ENCODED_TAG = "c2x1aWNl";

const encoder = new TextEncoder();

/** Whether the gateway wrote a signature. It must not be sent to a vendor. */
export function isOwnSignature(signature: string): boolean {
  return signature.startsWith(ENCODED_TAG);
}

/** State as a signature. */
export function toSignature(state: Partial<CarriedState>): string {
  return encoder.encode(TAG + toStateText(state)).toBase64();
}

/**
 * The state in a signature that the gateway wrote; empty if the signature is damaged.
 *
 * @param json the budget of all signatures of the request
 * @throws {JsonError} for more state than the budget allows.
 */
export function readSignature(signature: string, json: InnerJson): CarriedState {
  const text = signature.slice(ENCODED_TAG.length).replaceAll("+", "-").replaceAll("/", "_");
  try {
    return readState(json.parseBase64(text));
  } catch (thrown) {
    if (thrown instanceof JsonError) throw thrown;
    return readState(undefined);
  }
}

/** The options of an answer that come from the request. */
export interface WriteOptions {
  /** Whether the caller requests the reasoning: `thinkingConfig.includeThoughts`. */
  readonly showsThoughts: boolean;
}

const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  content_filter: "SAFETY",
};

/** Google's finish reason. A tool call is an ordinary end. */
export function toFinishReason(reason: FinishReason): string {
  return FINISH_REASONS[reason];
}

/** Usage as Google counts it: thoughts are not a part of the candidates. */
export function toUsageMetadata(usage: Usage | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const made = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const prompt = toCount(usage.prompt_tokens);
  const completion = toCount(usage.completion_tokens);
  const thoughts = Math.min(completion, toCount(made.reasoning_tokens));
  const cached = toCount(details.cached_tokens);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thoughts,
    totalTokenCount: prompt + completion,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}

/** A call as a part. */
export function toCallPart(
  { id, name, text }: WrittenCall,
  signature: string | undefined,
  json: InnerJson,
): JsonObject {
  const part = { functionCall: { id, name, args: argumentsOf(text, json) } };
  return signature === undefined ? part : { ...part, thoughtSignature: signature };
}

/**
 * The signature of a call: the state that its vendor needs in the next request. Gemini's signature
 * is not changed. Undefined if there is no state, or if the call ID carries it.
 */
export function signatureOf(
  id: string,
  extra: unknown,
  details: readonly unknown[],
): string | undefined {
  if (isMarked(id)) return undefined;
  const google = isObject(extra) && isObject(extra.google) ? extra.google : {};
  const { thought_signature: own } = google;
  if (details.length === 0 && isText(own)) return own;
  const calls = isObject(extra)
    ? new Map([[id, { extra_content: extra }]])
    : new Map<string, JsonObject>();
  return details.length === 0 && calls.size === 0 ? undefined : toSignature({ details, calls });
}

/** An image of an answer as a part; undefined for one without data. */
export function toImagePart(image: unknown): JsonObject | undefined {
  const { url } = isObject(image) && isObject(image.image_url) ? image.image_url : {};
  if (typeof url !== "string" || !url.startsWith("data:")) return undefined;
  const comma = url.indexOf(";base64,");
  if (comma === -1) return undefined;
  const mimeType = url.slice("data:".length, comma);
  const data = url.slice(comma + ";base64,".length);
  return { inlineData: { mimeType, data: toStandardBase64(data) ?? data } };
}

/**
 * The probabilities of tokens as Google writes them, as a member of a candidate.
 *
 * https://ai.google.dev/api/generate-content#LogprobsResult (2026-11-26).
 */
export function toLogprobsMember(logprobs: unknown): { readonly logprobsResult?: JsonObject } {
  const entries = isObject(logprobs) ? toList(logprobs.content).filter(isObject) : [];
  if (entries.length === 0) return {};
  const top = entries.map(({ top_logprobs: likely }) => toList(likely).filter(isObject));
  return {
    logprobsResult: {
      ...(top.some((likely) => likely.length > 0) && {
        topCandidates: top.map((likely) => ({ candidates: likely.map(toLikelyToken) })),
      }),
      chosenCandidates: entries.map(toLikelyToken),
    },
  };
}

function toLikelyToken({ token, logprob }: JsonObject): JsonObject {
  return { token, logProbability: logprob };
}

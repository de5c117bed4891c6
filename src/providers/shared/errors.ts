/** Detects vendors' errors about prompts that are too long for the model. */

import {
  type ErrorKind,
  GatewayError,
  scopeOfStatus,
  type SuspensionScope,
} from "../../core/errors.ts";
import type { Step } from "../../contract/stream_decoder.ts";
import type { Suspension, UpstreamError } from "../../contract/vendor_request.ts";
import { parsePassed } from "../../core/json/reader.ts";

/**
 * Creates the error for an answer that cannot be read.
 *
 * @param what the end of a sentence that begins with "The provider's answer"
 */
export function brokenAnswer(what: string): GatewayError {
  return new GatewayError("upstream_error", `The provider's answer ${what}`);
}

/**
 * Creates the error for a stream that cannot be read.
 *
 * @param what the end of a sentence that begins with "The provider"
 */
export function streamError(what: string): UpstreamError {
  return { kind: "upstream_error", message: `The provider ${what}` };
}

/** Ends a stream with {@linkcode streamError}. */
export function failed(what: string): Step {
  return { chunks: [], failure: streamError(what) };
}

/** Ends the stream: the event lacks required members. */
export function malformedEvent(type: unknown): Step {
  return failed(`sent a malformed '${type}' event`);
}

/** The JSON value of an event's data; undefined when the data is not JSON. */
export function parseData(data: string): unknown {
  try {
    return parsePassed(data);
  } catch {
    return undefined;
  }
}

/**
 * The step that ends a stream at an event whose data is not a JSON object.
 *
 * @param value the event as {@linkcode parseData} returns it
 * @param what the format's name for an event, with an article
 */
export function unreadableEvent(value: unknown, what = "an event"): Step {
  return failed(`sent ${what} that is not ${value === undefined ? "JSON" : "an object"}`);
}

/** The meaning of one code. */
export interface CodeMeaning {
  readonly kind: ErrorKind;
  readonly suspends?: SuspensionScope;
}

/** The vendor key is invalid or has expired. */
export const KEY_REFUSED: CodeMeaning = { kind: "upstream_auth", suspends: "key" };
/** The vendor key is valid, but has no access to this model or from this region. */
export const MODEL_REFUSED: CodeMeaning = { kind: "upstream_auth", suspends: "model" };
/** The account's balance or quota is exhausted. */
export const QUOTA_USED_UP: CodeMeaning = { kind: "quota", suspends: "key" };
/** The rate limit of a model has been reached. */
const RATE_LIMITED: CodeMeaning = { kind: "rate_limited", suspends: "model" };

/** Completes a table entry, which may be only a kind. */
export function meaningOf(entry: ErrorKind | CodeMeaning): CodeMeaning {
  if (typeof entry !== "string") return entry;
  switch (entry) {
    case "upstream_auth":
      return KEY_REFUSED;
    case "quota":
      return QUOTA_USED_UP;
    case "rate_limited":
      return RATE_LIMITED;
    default:
      return { kind: entry };
  }
}

/** A code, and the scope of the suspension that it causes. */
export interface NamedScope {
  readonly name: string;
  readonly suspends?: SuspensionScope | undefined;
}

/**
 * Determines whether a key is suspended, by the code if it has a scope, otherwise by the status.
 *
 * @param status of the HTTP response; undefined for an error inside a 200
 */
export function suspensionOf(
  status: number | undefined,
  code?: NamedScope,
): Suspension | undefined {
  if (code?.suspends !== undefined) return { scope: code.suspends, code: code.name };
  const scope = scopeOfStatus(status);
  return scope && { scope };
}

/**
 * Creates the error for content that the vendor does not support.
 *
 * @param param the path of the content in the request
 */
export function unsupportedContent(param: string, why: string): GatewayError {
  const message = `Unsupported content in '${param}': ${why}`;
  return new GatewayError("unsupported_content", message, { param });
}

/**
 * Whether an error's code, type or message means that the prompt is too long. All vendors share one
 * list, since they serve each other's models and forward each other's messages.
 */
export function saysTooLong(text: string): boolean {
  return TOO_LONG.test(text);
}

/** Phrases, each with the vendor where it was first observed (2026-08). */
const PHRASES = [
  // OpenAI, and most servers with its format.
  /context_length_exceeded|maximum context length|context window|reduce the length of/,
  // Anthropic.
  /(?:prompt|input) is too long|exceeds? (?:the )?context limit/,
  // Bedrock, where Nova says "Input Tokens Exceeded: Number of input tokens exceeds maximum length".
  /input tokens exceeded|exceeds? (?:the )?(?:model )?(?:maximum )?context|context (?:length|limit)/,
  // Cohere, and Bedrock.
  /too many (?:input |prompt )?tokens/,
  // Gemini: "The input token count (…) exceeds the maximum number of tokens allowed (…)".
  /input token count.{0,40}exceeds|exceeds the maximum number of tokens/,
  // Ollama, in both of its APIs: "prompt too long; exceeded max context length".
  /prompt too long|max context length|longer than (?:the|its) (?:\w+ )?context/,
  // Perplexity's error type.
  /too_many_prompt_tokens/,
  // xAI.
  /maximum prompt length/,
  // llama.cpp.
  /context[ _]size/,
  // LM Studio: "Trying to keep the first … tokens when context the overflows".
  /when (?:the )?context (?:the )?overflows/,
  // Moonshot: "Your request exceeded model token limit: 131072".
  /exceeded model token limit/,
  // Z.ai: "Prompt exceeds max length".
  /prompt exceeds max(?:imum)? length/,
  // Qwen: "Range of input length should be [1, 129024]".
  /range of input length should be/,
  // vLLM: "The decoder prompt (length …) is longer than the maximum model length of …".
  /longer than the maximum model length/,
  // Hugging Face, and Together: "`inputs` tokens + `max_new_tokens` must be <= 4097".
  /inputs` tokens \+ `max_new_tokens` must be/,
];

const TOO_LONG = new RegExp(PHRASES.map(({ source }) => source).join("|"), "i");

/**
 * Common parts of complete messages and streams: usage, the stop reason, the ID, the model and
 * signatures.
 */

import type { ChunkChoice, FinishReason, Usage } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toCount, toObject } from "../../core/json/values.ts";
import { JsonError } from "../../core/json/limits.ts";
import type { InnerJson } from "../../core/json/inner_json.ts";

/** The options of an answer that come from the request. */
export interface WriteOptions {
  /** The caller's stop sequences. */
  readonly stops: readonly string[];
  /** Whether thinking is empty, for `thinking.display: omitted`. */
  readonly omitsThinking: boolean;
  /**
   * Called when thinking is omitted for callers that did not request it: they expect the first
   * block to be the text. State of calls that is not in their IDs is kept in its block. Absent if
   * thinking is written.
   */
  readonly onOmitted?: () => void;
  /** Whether the request has a web search. */
  readonly searches?: boolean;
  /** An estimate of the prompt's tokens, for vendors that report no count, or only at the end. */
  readonly estimate: () => number;
}

/** Default options. */
export const DEFAULT_WRITE_OPTIONS: WriteOptions = {
  stops: [],
  omitsThinking: false,
  estimate: () => 0,
};

/** The members of `usage` that every message has. */
interface MessageUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
  readonly output_tokens_details?: { readonly thinking_tokens: number };
}

/** Usage as Anthropic counts it: `input_tokens` excludes tokens read from or written to a cache. */
function toMessageUsage(usage: Usage): MessageUsage {
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const made = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const read = toCount(details.cached_tokens);
  const written = toCount(details.cache_write_tokens);
  const thinking = toCount(made.reasoning_tokens);
  return {
    input_tokens: Math.max(0, toCount(usage.prompt_tokens) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: toCount(usage.completion_tokens),
    ...(thinking > 0 && { output_tokens_details: { thinking_tokens: thinking } }),
  };
}

/** The number of searches, as a member of `usage`. */
export function searchUsage(searches: number): JsonObject {
  return searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } };
}

/** Estimated usage, for vendors that report none: clients require numbers. */
interface EstimatedUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The tokens are not counted but estimated. Anthropic has no such member. */
  readonly estimated: true;
}

/** The usage of a whole answer. Tokens are estimated only if the vendor reported no usage. */
export function toFinalUsage(
  usage: Usage | null | undefined,
  input: () => number,
  output: () => number,
): MessageUsage | EstimatedUsage {
  return usage
    ? toMessageUsage(usage)
    : { input_tokens: input(), output_tokens: output(), estimated: true };
}

/** The usage in the first event of a stream. That of the last event replaces it. */
export function toFirstUsage(usage: Usage | undefined, input: () => number): JsonObject {
  return usage
    ? { ...toMessageUsage(usage), output_tokens: 0 }
    : { input_tokens: input(), output_tokens: 0 };
}

/** Why an answer ended. */
interface StopMembers {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
}

/** The properties of an answer that determine its stop reason. */
interface StopFacts {
  readonly called: boolean;
  readonly refused: boolean;
  /** The stop sequence that ended the answer, if the vendor names it. */
  readonly matched: string | undefined;
}

/** The stop reason of an answer: agents end their loop on any stop reason other than `tool_use`. */
export function toStop(finish: FinishReason, facts: StopFacts): StopMembers {
  const { called, refused, matched } = facts;
  if (finish === "length") return { stop_reason: "max_tokens", stop_sequence: null };
  if (finish === "content_filter" || refused) {
    return { stop_reason: "refusal", stop_sequence: null };
  }
  if (called) return { stop_reason: "tool_use", stop_sequence: null };
  if (matched !== undefined) return { stop_reason: "stop_sequence", stop_sequence: matched };
  return { stop_reason: "end_turn", stop_sequence: null };
}

/**
 * The caller's stop sequence that a vendor names as the end of a choice: `stop_reason` of vLLM
 * (https://docs.vllm.ai/en/stable/api/vllm/entrypoints/openai/protocol.html, 2026-11) and
 * `matched_stop` of SGLang.
 */
export function matchedStop(
  { stop_reason, matched_stop }: JsonObject | ChunkChoice,
  stops: readonly string[],
): string | undefined {
  const named = isText(stop_reason) ? stop_reason : matched_stop;
  return isText(named) && stops.includes(named) ? named : undefined;
}

/** The maximum length of a vendor's ID or model name; longer ones are replaced. */
const MAX_NAME = 1024;

/** The vendor's ID of an answer if it has the format of this API, otherwise the fallback. */
export function idOf(id: string | undefined, fallback: string): string {
  return id !== undefined && id.startsWith("msg_") && id.length <= MAX_NAME ? id : fallback;
}

/** The vendor's name of the model if it is valid, otherwise the fallback. */
export function modelOf(model: string | undefined, fallback: string): string {
  return model !== undefined && model.length <= MAX_NAME ? model : fallback;
}

// State of other vendors' models in the signatures of thinking blocks. Clients of the Messages API
// return a signature unchanged, and drop members that they do not know.

/** The prefix of every signature that this file writes. */
const TAG = "sluice1.";

/** The state of one assistant turn that the vendor needs in the next request. */
export interface CarriedState {
  /** Entries of `reasoning_details`. */
  readonly details: readonly unknown[];
  /** Extra members of tool calls, by the ID of the call. */
  readonly calls: ReadonlyMap<string, JsonObject>;
}

/** Whether the gateway wrote a signature. It must not be sent to a vendor. */
export function isOwnSignature(signature: string): boolean {
  return signature.startsWith(TAG);
}

/** State as a signature. */
export function toSignature(state: Partial<CarriedState>): string {
  const bytes = encoder.encode(toStateText(state));
  return TAG + bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** State as JSON. */
export function toStateText({ details, calls }: Partial<CarriedState>): string {
  return JSON.stringify({
    ...(details !== undefined && details.length > 0 && { details }),
    ...(calls !== undefined && calls.size > 0 && { calls: [...calls] }),
  });
}

/**
 * The state in a signature that the gateway wrote; empty if the signature is damaged.
 *
 * @param json the budget of all signatures of the request
 * @throws {JsonError} for more state than the budget allows.
 */
export function readSignature(signature: string, json: InnerJson): CarriedState {
  return readState(decode(signature.slice(TAG.length), json));
}

/** The state in a value written by {@linkcode toStateText}; empty for any other value. */
export function readState(value: unknown): CarriedState {
  const state = toObject(value);
  const details = Array.isArray(state.details) ? state.details : [];
  const calls = new Map<string, JsonObject>();
  for (const entry of Array.isArray(state.calls) ? state.calls : []) {
    const [id, extra] = Array.isArray(entry) ? entry : [];
    if (typeof id === "string" && isObject(extra)) calls.set(id, extra);
  }
  return { details, calls };
}

const encoder = new TextEncoder();

function decode(text: string, json: InnerJson): unknown {
  try {
    return json.parseBase64(text);
  } catch (thrown) {
    if (thrown instanceof JsonError) throw thrown;
    return undefined;
  }
}

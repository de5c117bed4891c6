/** Reads answers of the Messages API that are forwarded unchanged. */

import { COLON, COMMA, QUOTE } from "../../core/json/characters.ts";
import type { AnswerSummary } from "../chat/caller_format.ts";
import type { FinishReason, Usage } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toCount, toText } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import { unreadable } from "../../core/errors.ts";
import { parseEvent, skipAlike } from "../stream_record.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";
import { isOwnSignature } from "./answer_parts.ts";
import { isOwnSearch, withoutOwnCitations } from "./web_search.ts";
import { stringLengthAfter } from "../read_fields.ts";
import { addUp } from "../usage.ts";

/** The members of deltas that hold output. Signatures and citations are not output tokens. */
const OUTPUT_MEMBERS = ['"text"', '"thinking"', '"partial_json"'];

/** The UTF-16 units of the output in a `content_block_delta`, given its JSON. */
function deltaLength(data: string): number {
  const delta = data.indexOf('"delta"');
  if (delta === -1) return 0;
  for (const name of OUTPUT_MEMBERS) {
    const length = stringLengthAfter(data, name, delta);
    if (length !== undefined) return length;
  }
  return 0;
}

const decoder = new TextDecoder();

/** The text before the index of the block, and between the index and the type. */
const BEFORE_INDEX = '{"type":"content_block_delta","index":'.length;
const BEFORE_TYPE = ',"delta":{"type":"'.length;
/** By the first two letters of a type: the length from there to the output. */
const TO_OUTPUT = new Map([
  ["te", 'text_delta","text":"'.length],
  ["th", 'thinking_delta","thinking":"'.length],
  ["in", 'input_json_delta","partial_json":"'.length],
]);

/**
 * Approximately the same for JSON in UTF-8: escaped characters count as written. The usual layout
 * is measured by positions, since searching each event takes longer than forwarding it.
 */
function deltaLengthInBytes(bytes: Uint8Array, start: number, end: number): number {
  let at = start + BEFORE_INDEX;
  while (at < end && isDigit(bytes[at])) at++;
  const type = at + BEFORE_TYPE;
  if (bytes[at] !== COMMA || bytes[type - 2] !== COLON || bytes[type - 1] !== QUOTE) {
    return deltaLength(decoder.decode(bytes.subarray(start, end)));
  }
  const letters = String.fromCharCode(bytes[type] ?? 0, bytes[type + 1] ?? 0);
  const toOutput = TO_OUTPUT.get(letters);
  if (toOutput === undefined) return 0;
  // Vendors pad events with spaces after the last quote.
  let close = end - 1;
  while (close > type && bytes[close] !== QUOTE) close--;
  return Math.max(0, close - type - toOutput);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

/** Reads native answers. */
export const nativeAnswers: NativeAnswers = {
  createReader: () => new MessageReader(),
  readAnswer(body) {
    if (body.type === "error") return { error: body };
    if (!Array.isArray(body.content)) throw unreadable("The provider's answer has no content");
    const { id, model, usage, stop_reason } = body;
    return {
      usage: isObject(usage) ? toUsage(usage) : undefined,
      serviceTier: toTier(usage),
      summary: {
        id: toText(id),
        model: toText(model),
        finishReasons: isText(stop_reason) ? [finishReasonOf(stop_reason)] : [],
      },
    };
  },
};

function finishReasonOf(stopReason: string): FinishReason {
  return toFinishReason(stopReason, stopReason === "tool_use");
}

/** Most events are deltas, which need not be parsed. */
const DELTA_START = new TextEncoder().encode("event: content_block_delta\ndata: ");

/** Reads the events of one stream. */
class MessageReader implements NativeStreamReader {
  started = false;
  complete = false;
  outputChars = 0;
  #id = "";
  #model = "";
  #usage: JsonObject | undefined;
  #stopReason: string | undefined;

  get usage(): Usage | undefined {
    return this.#usage && toUsage(this.#usage);
  }

  get serviceTier(): string | undefined {
    return toTier(this.#usage);
  }

  get summary(): AnswerSummary {
    const finishReasons = this.#stopReason === undefined ? [] : [finishReasonOf(this.#stopReason)];
    return { id: this.#id, model: this.#model, finishReasons };
  }

  skip(bytes: Uint8Array, start: number): number {
    return skipAlike(bytes, start, DELTA_START, this.#countDelta);
  }

  readonly #countDelta = (bytes: Uint8Array, start: number, end: number) => {
    this.outputChars += deltaLengthInBytes(bytes, start, end);
  };

  push({ event, data }: Frame): { readonly error: unknown } | undefined {
    if (event === "content_block_delta") return this.#onDelta(data);
    const body = parseEvent(data);
    switch (event ?? body.type) {
      case "content_block_delta":
        return this.#onDelta(data);
      case "message_start":
        this.#begin(isObject(body.message) ? body.message : {});
        return undefined;
      case "message_delta":
        this.#count(body.usage);
        if (isObject(body.delta) && isText(body.delta.stop_reason)) {
          this.#stopReason = body.delta.stop_reason;
        }
        return undefined;
      case "message_stop":
        this.started = true;
        this.complete = true;
        return undefined;
      case "error":
        return { error: body };
      case "ping":
        return undefined;
      default:
        this.started = true;
        return undefined;
    }
  }

  #onDelta(data: string): undefined {
    this.outputChars += deltaLength(data);
    this.started = true;
  }

  #begin({ id, model, usage }: JsonObject): void {
    this.#id = toText(id);
    this.#model = toText(model);
    this.#count(usage);
  }

  /** The counts are running totals: later ones replace earlier ones. */
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    this.#usage ??= {};
    for (const [name, value] of Object.entries(usage)) {
      if (value !== null) this.#usage[name] = value;
    }
  }
}

/**
 * Removes the thinking and the searches of other vendors' models: their signatures and contents are
 * not Anthropic's, so Anthropic would reject them. A body without them is returned unchanged.
 */
export function withoutOwnState(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(hasForeign)) return body;
  const kept = messages.flatMap((message: unknown) => {
    if (!isObject(message) || !hasForeign(message)) return [message];
    const content = blocksOf(message).filter((block) => !isForeign(block))
      .map((block) => isObject(block) ? withoutOwnCitations(block) : block);
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  return { ...body, messages: kept };
}

function blocksOf(message: unknown): readonly unknown[] {
  return isObject(message) && Array.isArray(message.content) ? message.content : [];
}

function hasForeign(message: unknown): boolean {
  return blocksOf(message).some((block) =>
    isForeign(block) || isObject(block) && withoutOwnCitations(block) !== block
  );
}

function isForeign(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block.type !== "thinking") return isOwnSearch(block);
  const { signature } = block;
  return !isText(signature) || isOwnSignature(signature);
}

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

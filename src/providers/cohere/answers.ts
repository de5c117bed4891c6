/** Converts Cohere's answers, streams and errors. */

import {
  type AnswerMessage,
  type AnswerToolCall,
  type CompletionBody,
  type Delta,
  type FinishReason,
  isObject,
  type JsonObject,
  type Usage,
} from "../../contract/chat.ts";
import { type ErrorKind, GatewayError, kindOfStatus } from "../../core/errors.ts";
import {
  type Frame,
  NOTHING,
  type Step,
  type StreamDecoder,
} from "../../contract/stream_decoder.ts";
import { toConversionPlan } from "./plan.ts";
import {
  brokenAnswer,
  failed,
  malformedEvent,
  parseData,
  saysTooLong,
  suspensionOf,
  unreadableEvent,
} from "../shared/errors.ts";
import { FenceFilter } from "../shared/json_fence.ts";
import { addUp } from "../../apis/usage.ts";
import { isText, toCount, toText } from "../../core/json/values.ts";
import type { Call, Failure, Repair, UpstreamError } from "../../contract/vendor_request.ts";

/** Converts a complete answer. OpenAI's format has no member for citations. */
export function toCompletion(body: unknown, call: Call): CompletionBody {
  if (!isObject(body) || !isObject(body.message)) throw brokenAnswer("is not a message");
  const { message, finish_reason, id, usage, logprobs } = body;
  const failure = toFailure(finish_reason, body);
  if (failure) throw new GatewayError(failure.kind, failure.message ?? ANSWER_ABORTED);
  const { single, json } = toConversionPlan(call);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  const tool_calls = (single ? calls.slice(0, 1) : calls).map((toolCall): AnswerToolCall => {
    const { name, arguments: text } = isObject(toolCall.function) ? toolCall.function : {};
    if (!isText(name)) throw brokenAnswer("calls a tool without a name");
    const fnStart = { name, arguments: toArguments(text) };
    return {
      id: isText(toolCall.id) ? toolCall.id : call.newId("call_"),
      type: "function",
      function: fnStart,
    };
  });
  const blocks = Array.isArray(message.content) ? message.content.filter(isObject) : [];
  const [thinkingBlocks, texts] = [
    blocks.filter(isThought),
    blocks.filter((block) => !isThought(block)),
  ];
  const reasoning = thinkingBlocks.map(thoughtOf).join("") + toText(message.tool_plan);
  const rawText = typeof message.content === "string"
    ? message.content
    : texts.map((block) => toText(block.text)).join("");
  const fence = json.by === "instruction" ? new FenceFilter() : undefined;
  const text = fence ? fence.push(rawText) + fence.end() : rawText;
  const answer: AnswerMessage = {
    role: "assistant",
    content: text === "" && tool_calls.length > 0 ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  return {
    id: isText(id) ? id : undefined,
    choices: [{
      index: 0,
      message: answer,
      logprobs: toLogprobs(logprobs),
      finish_reason: toFinishReason(finish_reason, tool_calls.length > 0),
    }],
    usage: toUsage(usage),
  };
}

/** A tool call that has begun; `empty` until a piece of its arguments arrives. */
interface OpenCall {
  readonly index: number;
  empty: boolean;
}

/** Decodes a stream (https://docs.cohere.com/docs/streaming, 2026-08). */
export class MessageDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #single: boolean;
  readonly #fence: FenceFilter | undefined;
  /** Open tool calls by the vendor's index. */
  readonly #open = new Map<unknown, OpenCall>();
  /** The indexes of thinking blocks. */
  readonly #thinkingBlocks = new Set<unknown>();
  #id: string | undefined;
  #tools = 0;

  constructor(call: Call) {
    const { single, json } = toConversionPlan(call);
    this.#call = call;
    this.#single = single;
    this.#fence = json.by === "instruction" ? new FenceFilter() : undefined;
  }

  push(frame: Frame): Step {
    if (frame.data === "") return NOTHING;
    // It is not documented whether this follows the last event. Nothing may precede it.
    if (frame.data === "[DONE]") return this.end();
    const event = parseData(frame.data);
    if (!isObject(event)) return unreadableEvent(event);
    const type = event.type ?? frame.event;
    const message = isObject(event.delta) ? event.delta.message : undefined;
    switch (type) {
      case "content-delta":
      case "content-start":
        return isObject(message) ? this.#onContent(message.content, event) : malformedEvent(type);
      case "tool-plan-delta":
        if (!isObject(message)) return malformedEvent(type);
        return this.#step({ reasoning_content: toText(message.tool_plan) });
      case "tool-call-delta":
      case "tool-call-start":
        return isObject(message) ? this.#onCall(type, event.index, message) : malformedEvent(type);
      case "tool-call-end":
        return this.#onCallEnd(event.index);
      case "message-start":
        this.#id = isText(event.id) ? event.id : undefined;
        return NOTHING;
      case "message-end":
        return isObject(event.delta) ? this.#finish(event.delta) : malformedEvent(type);
      default: {
        const hasError = type === undefined && (isText(event.message) || event.error);
        return hasError
          ? { chunks: [], failure: toCohereError({ where: "stream", body: event }) }
          : NOTHING;
      }
    }
  }

  end(): Step {
    return failed("ended its stream before it was complete");
  }

  /** The index of a content event is that of its block, since there is only one choice. */
  #onContent(content: unknown, { type, index, logprobs }: JsonObject): Step {
    if (!isObject(content)) return malformedEvent(type);
    if (isThought(content)) this.#thinkingBlocks.add(index);
    if (!this.#thinkingBlocks.has(index)) {
      return this.#emitText(toText(content.text), toLogprobs(logprobs));
    }
    const thinking = thoughtOf(content);
    return thinking === "" ? NOTHING : this.#step({ reasoning_content: thinking });
  }

  #onCall(type: unknown, at: unknown, { tool_calls: piece }: JsonObject): Step {
    const fn = isObject(piece) && isObject(piece.function) ? piece.function : undefined;
    if (!isObject(piece) || fn === undefined) return malformedEvent(type);
    if (type === "tool-call-delta") return this.#onArguments(at, toText(fn.arguments));
    if (!isText(fn.name)) return malformedEvent(type);
    if (this.#single && this.#tools > 0) return NOTHING;
    const index = this.#tools++;
    this.#open.set(at, { index, empty: true });
    const id = isText(piece.id) ? piece.id : this.#call.newId("call_");
    const fnStart = { name: fn.name, arguments: "" };
    const begun = this.#step({ tool_calls: [{ index, id, type: "function", function: fnStart }] });
    const first = this.#onArguments(at, toText(fn.arguments));
    return { chunks: [...begun.chunks, ...first.chunks] };
  }

  #onArguments(at: unknown, text: string): Step {
    const open = this.#open.get(at);
    if (open === undefined || text === "" || (open.empty && text === "null")) return NOTHING;
    open.empty = false;
    return this.#step({ tool_calls: [{ index: open.index, function: { arguments: text } }] });
  }

  /**
   * Ends a call. A call without arguments has no pieces, so callers receive `{}`, which they can
   * parse.
   */
  #onCallEnd(at: unknown): Step {
    const step = this.#open.get(at)?.empty ? this.#onArguments(at, "{}") : NOTHING;
    this.#open.delete(at);
    return step;
  }

  #finish(delta: JsonObject): Step {
    const failure = toFailure(delta.finish_reason, delta);
    if (failure) return { chunks: [], failure };
    const left = [...this.#open.keys()].flatMap((at) => this.#onCallEnd(at).chunks);
    const content = this.#fence?.end() ?? "";
    const finish_reason = toFinishReason(delta.finish_reason, this.#tools > 0);
    const last = {
      id: this.#id,
      choices: [{ index: 0, delta: { content }, finish_reason }],
      usage: toUsage(delta.usage),
    };
    return { chunks: [...left, last], done: true };
  }

  #emitText(text: string, logprobs: unknown): Step {
    const content = this.#fence === undefined ? text : this.#fence.push(text);
    return content === "" ? NOTHING : this.#step({ content }, logprobs);
  }

  #step(delta: Delta, logprobs?: unknown): Step {
    return { chunks: [{ id: this.#id, choices: [{ index: 0, delta, logprobs }] }] };
  }
}

/**
 * Classifies a failure by its status, then by its message, since there are no codes. The message
 * affects only this request.
 */
export function toCohereError(failure: Failure): UpstreamError {
  const message = wordsOf(failure.body);
  const status = failure.where === "answer" ? failure.status : undefined;
  const kind = status === undefined ? "upstream_error" : kindOf(status);
  const upstreamError = { kind, message, suspends: suspensionOf(status) };
  const text = message ?? "";
  if (kind === "rate_limited") {
    return /calls ?\/ ?month|monthly/i.test(text)
      ? { ...upstreamError, kind: "quota" }
      : upstreamError;
  }
  if (kind !== "invalid_request" && kind !== "too_large") return upstreamError;
  if (saysTooLong(text)) return { ...upstreamError, kind: "context_length" };
  return { ...upstreamError, repair: kind === "invalid_request" ? repairOf(text) : undefined };
}

const ANSWER_ABORTED = "The provider aborted the answer";

/** Statuses with a specific meaning: https://docs.cohere.com/reference/errors (2026-08). */
const KIND_OF_STATUS = new Map<number, ErrorKind>([
  // The prompt contains a blocked token.
  [498, "content_filter"],
  [499, "upstream_error"],
  [501, "invalid_request"],
]);

function kindOf(status: number): ErrorKind {
  return KIND_OF_STATUS.get(status) ?? kindOfStatus(status);
}

function wordsOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const error = isObject(body.error) ? body.error.message : body.error;
  return [body.message, body.data, error].find(isText);
}

/** Fields that may be omitted. */
const OPTIONAL = /^(?!model$|messages$|stream$|tools$)[a-z_]+$/;

function repairOf(message: string): Repair | undefined {
  const pattern = /^unknown field: parameter '(\w+)' is not a valid field/i;
  const [words, field] = pattern.exec(message) ?? [];
  return field !== undefined && OPTIONAL.test(field) ? { without: field, words } : undefined;
}

/** The failure of an answer that the vendor aborted. */
function toFailure(reason: unknown, { error }: JsonObject): UpstreamError | undefined {
  const message = isText(error) ? error : undefined;
  if (reason === "ERROR") return { kind: "upstream_error", message: message ?? ANSWER_ABORTED };
  if (reason !== "TIMEOUT") return undefined;
  return { kind: "upstream_timeout", message: message ?? "The provider took too long" };
}

function isThought({ type, thinking }: JsonObject): boolean {
  return type === "thinking" || thinking !== undefined;
}

function thoughtOf({ thinking, text }: JsonObject): string {
  return toText(thinking ?? text);
}

const FINISH_REASONS = new Map<unknown, FinishReason>([
  ["COMPLETE", "stop"],
  ["STOP_SEQUENCE", "stop"],
  ["MAX_TOKENS", "length"],
  ["USER_CANCEL", "stop"],
  ["ERROR_LIMIT", "length"],
  ["ERROR_TOXIC", "content_filter"],
]);

function toFinishReason(reason: unknown, fnStart: boolean): FinishReason {
  return FINISH_REASONS.get(reason) ?? (fnStart ? "tool_calls" : "stop");
}

/** Arguments as text. The vendor sends `null` or nothing for a call without arguments. */
function toArguments(text: unknown): string {
  if (isObject(text)) return JSON.stringify(text);
  return !isText(text) || text.trim() === "null" ? "{}" : text;
}

/**
 * The counts of all tokens. Billed counts, which exclude the vendor's preamble, are used if the
 * others are missing.
 */
function toUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const { tokens, billed_units: billed, cached_tokens: cached } = usage;
  const counts = isObject(tokens) ? tokens : isObject(billed) ? billed : {};
  const { output_tokens: output, reasoning_tokens: reasoning } = counts;
  // Not documented (observed 2026-08): the output includes the reasoning, unless the reasoning
  // exceeds it.
  const beside = toCount(reasoning) > toCount(output) ? reasoning : 0;
  const sums = addUp({ prompt: [counts.input_tokens], completion: [output, beside] });
  return sums && {
    ...sums,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: toCount(cached) } }),
    ...(reasoning !== undefined && {
      completion_tokens_details: { reasoning_tokens: toCount(reasoning) },
    }),
    ...(isObject(billed) && { billed_units: billed }),
  };
}

/** Each item is a piece of text of one or more tokens, with the values of the chosen tokens. */
function toLogprobs(logprobs: unknown): JsonObject | undefined {
  const items = Array.isArray(logprobs) ? logprobs : [logprobs];
  const content = items.filter(isObject).map(({ text, logprobs: values }) => {
    const numbers = Array.isArray(values)
      ? values.filter((value) => typeof value === "number")
      : [];
    return {
      token: toText(text),
      logprob: numbers.reduce((sum, value) => sum + value, 0),
      bytes: [...new TextEncoder().encode(toText(text))],
      top_logprobs: [],
    };
  });
  return content.length > 0 ? { content, refusal: null } : undefined;
}

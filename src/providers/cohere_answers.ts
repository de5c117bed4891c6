/** What Cohere answers: whole, in a stream, or with an error. */

import type {
  AnswerMessage,
  AnswerToolCall,
  CompletionBody,
  Delta,
  FinishReason,
  JsonObject,
  Usage,
} from "../chat.ts";
import { isObject } from "../chat.ts";
import { type ErrorKind, GatewayError, kindOfStatus } from "../errors.ts";
import type { Frame } from "../framing.ts";
import { type Call, type Failure, NOTHING, type Repair, type Step } from "./adapter.ts";
import type { StreamDecoder, Verdict } from "./adapter.ts";
import { broken, failed, isText, toCount, toText } from "./answers.ts";
import { toPlan } from "./cohere_plan.ts";
import { suspensionOf } from "./error_codes.ts";
import { FenceFilter } from "./json_fence.ts";

/** Reads an answer that is not a stream. Citations have no place in OpenAI's format. */
export function toCompletion(body: unknown, call: Call): CompletionBody {
  if (!isObject(body) || !isObject(body.message)) throw broken("is not a message");
  const { message, finish_reason, id, usage, logprobs } = body;
  const failure = toFailure(finish_reason, body);
  if (failure) throw new GatewayError(failure.kind, failure.message ?? GAVE_UP);
  const { names, single, json } = toPlan(call);
  const original = new Map([...names].map(([name, sent]) => [sent, name]));
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  const tool_calls = (single ? calls.slice(0, 1) : calls).map((made): AnswerToolCall => {
    const { name, arguments: text } = isObject(made.function) ? made.function : {};
    if (!isText(name)) throw broken("calls a tool without a name");
    const called = { name: original.get(name) ?? name, arguments: toArguments(text) };
    return {
      id: isText(made.id) ? made.id : call.newId("call_"),
      type: "function",
      function: called,
    };
  });
  const blocks = Array.isArray(message.content) ? message.content.filter(isObject) : [];
  const [thoughts, texts] = [blocks.filter(isThought), blocks.filter((block) => !isThought(block))];
  const told = thoughts.map(thoughtOf).join("") + toText(message.tool_plan);
  const said = typeof message.content === "string"
    ? message.content
    : texts.map((block) => toText(block.text)).join("");
  const fence = json.by === "instruction" ? new FenceFilter() : undefined;
  const text = fence ? fence.push(said) + fence.end() : said;
  const answer: AnswerMessage = {
    role: "assistant",
    content: text === "" && tool_calls.length > 0 ? null : text,
    ...(told !== "" && { reasoning_content: told }),
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

/** A tool call that has begun; `empty` until a piece of its arguments has come. */
interface OpenCall {
  readonly index: number;
  empty: boolean;
}

/** Reads https://docs.cohere.com/docs/streaming (2026-08). */
export class MessageDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #original: ReadonlyMap<string, string>;
  readonly #single: boolean;
  readonly #fence: FenceFilter | undefined;
  /** By the vendor's index. */
  readonly #open = new Map<unknown, OpenCall>();
  /** The blocks of thinking, by their index. */
  readonly #thoughts = new Set<unknown>();
  #id: string | undefined;
  #tools = 0;

  constructor(call: Call) {
    const { names, single, json } = toPlan(call);
    this.#call = call;
    this.#original = new Map([...names].map(([name, sent]) => [sent, name]));
    this.#single = single;
    this.#fence = json.by === "instruction" ? new FenceFilter() : undefined;
  }

  push(frame: Frame): Step {
    if (frame.data === "") return NOTHING;
    // Whether this comes after the last event is not clear; nothing may come before it.
    if (frame.data === "[DONE]") return this.end();
    let event: unknown;
    try {
      event = JSON.parse(frame.data);
    } catch {
      return failed("sent an event that is not JSON");
    }
    if (!isObject(event)) return failed("sent an event that is not an object");
    const type = event.type ?? frame.event;
    const message = isObject(event.delta) ? event.delta.message : undefined;
    switch (type) {
      case "content-delta":
      case "content-start":
        return isObject(message) ? this.#onContent(message.content, event) : malformed(type);
      case "tool-plan-delta":
        if (!isObject(message)) return malformed(type);
        return this.#step({ reasoning_content: toText(message.tool_plan) });
      case "tool-call-delta":
      case "tool-call-start":
        return isObject(message) ? this.#onCall(type, event.index, message) : malformed(type);
      case "tool-call-end":
        return this.#onCallEnd(event.index);
      case "message-start":
        this.#id = isText(event.id) ? event.id : undefined;
        return NOTHING;
      case "message-end":
        return isObject(event.delta) ? this.#finish(event.delta) : malformed(type);
      default: {
        const told = type === undefined && (isText(event.message) || event.error);
        return told ? { chunks: [], failure: toError({ where: "stream", body: event }) } : NOTHING;
      }
    }
  }

  end(): Step {
    return failed("ended its stream before it was complete");
  }

  /** The index of a content event is that of its block: there is one choice only. */
  #onContent(content: unknown, { type, index, logprobs }: JsonObject): Step {
    if (!isObject(content)) return malformed(type);
    if (isThought(content)) this.#thoughts.add(index);
    if (!this.#thoughts.has(index)) return this.#say(toText(content.text), toLogprobs(logprobs));
    const thought = thoughtOf(content);
    return thought === "" ? NOTHING : this.#step({ reasoning_content: thought });
  }

  #onCall(type: unknown, at: unknown, { tool_calls: piece }: JsonObject): Step {
    const made = isObject(piece) && isObject(piece.function) ? piece.function : undefined;
    if (!isObject(piece) || made === undefined) return malformed(type);
    if (type === "tool-call-delta") return this.#onArguments(at, toText(made.arguments));
    if (!isText(made.name)) return malformed(type);
    if (this.#single && this.#tools > 0) return NOTHING;
    const index = this.#tools++;
    this.#open.set(at, { index, empty: true });
    const id = isText(piece.id) ? piece.id : this.#call.newId("call_");
    const called = { name: this.#original.get(made.name) ?? made.name, arguments: "" };
    const begun = this.#step({ tool_calls: [{ index, id, type: "function", function: called }] });
    const first = this.#onArguments(at, toText(made.arguments));
    return { chunks: [...begun.chunks, ...first.chunks] };
  }

  #onArguments(at: unknown, text: string): Step {
    const open = this.#open.get(at);
    if (open === undefined || text === "" || (open.empty && text === "null")) return NOTHING;
    open.empty = false;
    return this.#step({ tool_calls: [{ index: open.index, function: { arguments: text } }] });
  }

  /** A call without arguments has no piece at all, and `{}` is what callers can parse. */
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

  #say(text: string, logprobs: unknown): Step {
    const content = this.#fence === undefined ? text : this.#fence.push(text);
    return content === "" ? NOTHING : this.#step({ content }, logprobs);
  }

  #step(delta: Delta, logprobs?: unknown): Step {
    return { chunks: [{ id: this.#id, choices: [{ index: 0, delta, logprobs }] }] };
  }
}

/**
 * Classifies a failure: status first, then words, for there are no codes. Words decide about this
 * request alone.
 */
export function toError(failure: Failure): Verdict {
  const message = wordsOf(failure.body);
  const status = failure.where === "answer" ? failure.status : undefined;
  const kind = status === undefined ? "upstream_error" : kindOf(status);
  const told = { kind, message, suspends: suspensionOf(status) };
  const words = message ?? "";
  if (kind === "rate_limited") {
    return /calls ?\/ ?month|monthly/i.test(words) ? { ...told, kind: "quota" } : told;
  }
  if (kind !== "invalid_request" && kind !== "too_large") return told;
  if (TOO_LONG.test(words)) return { ...told, kind: "context_length" };
  return { ...told, repair: kind === "invalid_request" ? repairOf(words) : undefined };
}

const GAVE_UP = "The provider gave up on the answer";

const TOO_LONG = /too many tokens|context (?:length|window)|maximum.{0,20}tokens/i;

/** Statuses that mean something else here: https://docs.cohere.com/reference/errors (2026-08). */
const KIND_OF_STATUS = new Map<number, ErrorKind>([
  // The prompt holds a token that is blocked.
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

/** Fields that a request has a sense without. */
const OPTIONAL = /^(?!model$|messages$|stream$|tools$)[a-z_]+$/;

function repairOf(message: string): Repair | undefined {
  const pattern = /^unknown field: parameter '(\w+)' is not a valid field/i;
  const [words, field] = pattern.exec(message) ?? [];
  return field !== undefined && OPTIONAL.test(field) ? { without: field, words } : undefined;
}

/** Ends that are none: callers must not take them for an answer. */
function toFailure(reason: unknown, { error }: JsonObject): Verdict | undefined {
  const message = isText(error) ? error : undefined;
  if (reason === "ERROR") return { kind: "upstream_error", message: message ?? GAVE_UP };
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

function toFinishReason(reason: unknown, called: boolean): FinishReason {
  return FINISH_REASONS.get(reason) ?? (called ? "tool_calls" : "stop");
}

/** A call without arguments has the word null for them, or nothing. */
function toArguments(text: unknown): string {
  if (isObject(text)) return JSON.stringify(text);
  return !isText(text) || text.trim() === "null" ? "{}" : text;
}

/**
 * Counts of all tokens. Those that are billed leave out the vendor's own
 * preamble; they stand in where the others are missing.
 */
function toUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const { tokens, billed_units: billed, cached_tokens: cached } = usage;
  const counts = isObject(tokens) ? tokens : isObject(billed) ? billed : {};
  const prompt = toCount(counts.input_tokens);
  const completion = toCount(counts.output_tokens);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: toCount(cached) } }),
    ...(isObject(billed) && { billed_units: billed }),
  };
}

/** Each item is a piece of text of one token or more, with the chosen tokens' values. */
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

function malformed(what: unknown): Step {
  return failed(`sent a malformed '${what}' event`);
}

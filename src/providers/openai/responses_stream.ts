/**
 * Converts the stream of OpenAI's Responses API to chunks.
 *
 * Events: `ResponseStreamEvent` of https://github.com/openai/openai-openapi
 * (v2.3.0, 2026-08-21). Content of the `.done` events and of the last event is used only if no
 * delta
 * contained it.
 */

import {
  type ChunkBody,
  type ChunkChoice,
  type Delta,
  isObject,
  type JsonObject,
  type ToolCallDelta,
} from "../../contract/chat.ts";
import { returnsSearches } from "../../apis/chat/web_search.ts";
import {
  type Frame,
  NOTHING,
  type Step,
  type StreamDecoder,
} from "../../contract/stream_decoder.ts";
import { toResponsesError } from "./responses_errors.ts";
import {
  BREAK,
  isUndeclaredParallel,
  toCitations,
  toDetail,
  toEnding,
  toEnvelope,
  toFinishReason,
  toLogprobs,
  toSearch,
  toThoughts,
  toToolCalls,
} from "./responses_output.ts";
import { isText, toText } from "../../core/json/values.ts";
import { malformedEvent, parseData, unreadableEvent } from "../shared/errors.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** Decodes one stream. Items are identified by index, since some relays change their IDs. */
export class ResponseDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #items = new Map<unknown, Item>();
  #envelope: Pick<ChunkBody, "id" | "created" | "model"> = {};
  /** The number of tool calls so far, which is the index of the next one. */
  #tools = 0;
  /**
   * Encrypted reasoning, which is sent in one delta at the end: OpenAI's JavaScript client keeps
   * only
   * the last delta of an unknown member.
   */
  readonly #details: JsonObject[] = [];
  /** The length of the content so far, in UTF-16 units. */
  #length = 0;
  /** The message of the last content. */
  #lastMessage: Item | undefined;
  /** The part that contained the last reasoning. */
  #lastPart: string | undefined;
  /** Buffered commentary: the next items decide whether it is content or reasoning. */
  #buffered: MessageItem[] = [];

  constructor(call: Call) {
    this.#call = call;
  }

  push(frame: Frame): Step {
    if (frame.data === "" || frame.data === "[DONE]") return NOTHING;
    const event = parseData(frame.data);
    if (!isObject(event)) return unreadableEvent(event);
    const type = String(event.type ?? frame.event);
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
      case "response.function_call_arguments.delta":
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        if (typeof event.delta !== "string") return malformedEvent(type);
        return this.#step(this.#onDelta(type, event, event.delta));
      case "response.output_text.done":
      case "response.refusal.done":
      case "response.function_call_arguments.done":
        return this.#step(this.#onDone(type, event));
      case "response.output_text.annotation.added":
        this.#onAnnotation(event);
        return NOTHING;
      case "response.output_item.added":
        if (!isObject(event.item)) return malformedEvent(type);
        if (this.#items.has(event.output_index)) return NOTHING;
        return this.#step(this.#onItem(event.output_index, event.item));
      case "response.output_item.done":
        if (!isObject(event.item)) return malformedEvent(type);
        return this.#step(this.#onItemDone(event.output_index, event.item));
      case "response.created":
        if (isObject(event.response)) this.#envelope = toEnvelope(event.response);
        return NOTHING;
      case "response.completed":
      case "response.incomplete":
        return isObject(event.response) ? this.#finish(event.response, type) : malformedEvent(type);
      case "response.failed":
      case "error":
        return {
          chunks: [],
          failure: toResponsesError({ where: "stream", body: event }),
        };
      default:
        return NOTHING;
    }
  }

  /** If the last event is missing, no choice has a finish reason; the gateway reports that. */
  end(): Step {
    return NOTHING;
  }

  detailsOf(): readonly unknown[] {
    return this.#details;
  }

  #onDelta(type: string, event: JsonObject, delta: string): ChunkChoice[] {
    const item = this.#items.get(event.output_index);
    switch (type) {
      case "response.output_text.delta": {
        const message = this.#messageAt(event);
        message.partIsOpen = true;
        return this.#onText(message, event, delta);
      }
      case "response.refusal.delta":
        this.#messageAt(event).refused = true;
        return delta === "" ? [] : [toChoice({ refusal: delta })];
      case "response.function_call_arguments.delta":
        if (item?.type !== "call" || delta === "") return [];
        item.begun = true;
        return [pieceOf(item.index, delta)];
      default:
        return this.#onThought(type, event, delta);
    }
  }

  #onDone(type: string, event: JsonObject): ChunkChoice[] {
    const item = this.#items.get(event.output_index);
    if (type === "response.function_call_arguments.done") {
      return item?.type === "call" ? closeCall(item, event.arguments) : [];
    }
    const message = this.#messageAt(event);
    if (type === "response.refusal.done") {
      return message.refused ? [] : closeRefusal(message, event.refusal);
    }
    // Relays may use a different index here than in the deltas.
    const known = message.partIsOpen || message.parts.has(event.content_index);
    message.partIsOpen = false;
    return known ? [] : this.#onText(message, event, toText(event.text));
  }

  #onItem(itemIndex: unknown, item: JsonObject): ChunkChoice[] {
    switch (item.type) {
      case "message": {
        const message = newMessage(item.phase === "commentary");
        this.#items.set(itemIndex, message);
        // The answer follows and may repeat it.
        if (!message.commentary) return this.#emitBuffered("reasoning");
        message.buffered = true;
        this.#buffered.push(message);
        return [];
      }
      case "function_call":
        // A call without a name is ignored.
        if (!isText(item.name)) {
          this.#items.set(itemIndex, OVER);
          return [];
        }
        if (isUndeclaredParallel(toText(item.name), this.#call.request)) break;
        return [...this.#emitBuffered("content"), this.#openCall(itemIndex, item)];
      case "reasoning":
        this.#items.set(itemIndex, { type: "reasoning", summarized: false });
        return [];
      case "custom_tool_call":
        break;
      default:
        return [];
    }
    this.#items.set(itemIndex, { type: "whole" });
    return this.#emitBuffered("content");
  }

  /** Handles a complete item: adds content that its deltas did not contain. */
  #onItemDone(itemIndex: unknown, item: JsonObject): ChunkChoice[] {
    const begun = this.#items.get(itemIndex);
    if (begun === undefined) {
      const search = returnsSearches(this.#call.request) ? toSearch(item) : undefined;
      if (search !== undefined) {
        this.#items.set(itemIndex, OVER);
        return [toChoice({ web_search_calls: [search] })];
      }
      const opened = this.#onItem(itemIndex, item);
      return this.#items.has(itemIndex)
        ? [...opened, ...this.#onItemDone(itemIndex, item)]
        : opened;
    }
    switch (begun.type) {
      case "call":
        return closeCall(begun, item.arguments);
      case "whole":
        this.#items.set(itemIndex, OVER);
        return this.#emitCalls(item);
      case "reasoning":
        this.#items.set(itemIndex, OVER);
        return this.#onReasoning(itemIndex, item);
      case "over":
        return [];
      case "message":
        return this.#onMessageDone(begun, Array.isArray(item.content) ? item.content : []);
    }
  }

  #onMessageDone(message: MessageItem, parts: readonly unknown[]): ChunkChoice[] {
    const refusals = parts.flatMap((part) =>
      isObject(part) && part.type === "refusal" ? closeRefusal(message, part.refusal) : []
    );
    const texts = [...parts.entries()].flatMap(([content_index, part]) =>
      isObject(part) && part.type === "output_text" ? [{ content_index, text: part.text }] : []
    );
    // The deltas may count parts that the complete item omits. A text with an index that the item
    // does not have is matched with the item's first text whose index had no delta.
    const listed = new Set<unknown>(texts.map(({ content_index }) => content_index));
    const shifted = [...message.parts.keys()].filter((index) => !listed.has(index)).length;
    const untold = texts.filter(({ content_index }) => !message.parts.has(content_index));
    return [
      ...untold.slice(shifted).flatMap(({ content_index, text }) =>
        this.#onText(message, { content_index }, toText(text))
      ),
      ...refusals,
    ];
  }

  #openCall(itemIndex: unknown, item: JsonObject): ChunkChoice {
    const index = this.#tools++;
    const id = isText(item.call_id) ? item.call_id : this.#call.newId("call_");
    this.#items.set(itemIndex, { type: "call", index, begun: false });
    const called = { name: toText(item.name), arguments: "" };
    return toChoice({ tool_calls: [{ index, id, type: "function", function: called }] });
  }

  /** Emits the calls of an item in one piece. */
  #emitCalls(item: JsonObject): ChunkChoice[] {
    const calls = toToolCalls(item, this.#call)
      .map((call): ToolCallDelta => ({ ...call, index: this.#tools++ }));
    return calls.length === 0 ? [] : [toChoice({ tool_calls: calls })];
  }

  #onReasoning(itemIndex: unknown, item: JsonObject): ChunkChoice[] {
    const choices: ChunkChoice[] = [];
    if (!this.#lastPart?.startsWith(`${itemIndex}/`)) {
      const texts = toThoughts(item, true);
      texts.forEach((text, part) =>
        choices.push(this.#emitReasoning(`${itemIndex}/${part}`, text))
      );
    }
    const detail = toDetail(item, this.#details.length, this.#call);
    if (detail !== undefined) this.#details.push(detail);
    return choices;
  }

  #onThought(type: string, event: JsonObject, delta: string): ChunkChoice[] {
    const item = this.#items.get(event.output_index);
    const summary = type === "response.reasoning_summary_text.delta";
    if (item?.type === "reasoning") {
      // The reasoning text is used only if there is no summary.
      if (summary) item.summarized = true;
      else if (item.summarized) return [];
    }
    if (delta === "") return [];
    const part = summary ? event.summary_index : event.content_index;
    return [this.#emitReasoning(`${event.output_index}/${part}`, delta)];
  }

  /** @param part identifies the part of the text; different parts are separated */
  #emitReasoning(part: string, text: string): ChunkChoice {
    const apart = this.#lastPart !== undefined && this.#lastPart !== part;
    this.#lastPart = part;
    return toChoice({ reasoning_content: apart ? BREAK + text : text });
  }

  #onText(message: MessageItem, event: JsonObject, text: string): ChunkChoice[] {
    const known = message.parts.get(event.content_index);
    if (known === undefined) message.parts.set(event.content_index, message.length);
    message.length += text.length;
    const logprobs = Array.isArray(event.logprobs) ? event.logprobs.filter(isObject) : [];
    if (message.buffered) {
      message.text += text;
      for (const one of logprobs) message.logprobs.push(one);
      return [];
    }
    return text === "" ? [] : [this.#emitText(message, text, logprobs)];
  }

  #emitText(message: MessageItem, text: string, logprobs: readonly JsonObject[]): ChunkChoice {
    const apart = this.#lastMessage !== undefined && this.#lastMessage !== message;
    const content = apart ? BREAK + text : text;
    if (this.#lastMessage !== message) message.start = this.#length + (apart ? BREAK.length : 0);
    this.#lastMessage = message;
    this.#length += content.length;
    return logprobs.length === 0
      ? toChoice({ content })
      : { ...toChoice({ content }), logprobs: toLogprobs(logprobs) };
  }

  /** Emits buffered commentary. */
  #emitBuffered(as: "content" | "reasoning"): ChunkChoice[] {
    if (this.#buffered.length === 0) return [];
    const buffered = this.#buffered;
    this.#buffered = [];
    for (const message of buffered) message.buffered = false;
    return buffered.filter(({ text }) => text !== "").map((message) =>
      as === "content"
        ? this.#emitText(message, message.text, message.logprobs)
        : this.#emitReasoning("commentary", message.text)
    );
  }

  #onAnnotation(event: JsonObject): void {
    const message = this.#messageAt(event);
    const at = message.parts.get(event.content_index) ?? message.length;
    message.annotations.push([event.annotation, at]);
  }

  #annotations(): JsonObject[] {
    return [...this.#items.values()].flatMap((item) => {
      if (item.type !== "message" || item.start === undefined) return [];
      const { start, annotations } = item;
      return annotations.flatMap(([one, at]) => toCitations(one, start + at));
    });
  }

  /** The message of an event. Relays may omit the event that begins a message. */
  #messageAt({ output_index }: JsonObject): MessageItem {
    const item = this.#items.get(output_index);
    if (item?.type === "message") return item;
    const message = newMessage(false);
    this.#items.set(output_index, message);
    return message;
  }

  #finish(response: JsonObject, type: string): Step {
    const output = Array.isArray(response.output) ? response.output : [];
    // Some relays send only the last event.
    const late = this.#items.size > 0
      ? []
      : output.flatMap((item: unknown, itemIndex) =>
        isObject(item) ? this.#onItemDone(itemIndex, item) : []
      );
    const annotations = this.#annotations();
    const step = this.#step([
      ...late,
      ...this.#emitBuffered("content"),
      ...(annotations.length > 0 ? [toChoice({ annotations })] : []),
      ...(this.#details.length > 0 ? [toChoice({ reasoning_details: this.#details })] : []),
    ]);
    const status = type === "response.incomplete" ? "incomplete" : response.status;
    const finish_reason = toFinishReason({ ...response, status }, this.#tools > 0);
    const last: ChunkBody = {
      ...this.#envelope,
      ...toEnding(response),
      choices: [{ index: 0, delta: {}, finish_reason }],
    };
    return { chunks: [...step.chunks, last], done: true };
  }

  #step(choices: readonly ChunkChoice[]): Step {
    if (choices.length === 0) return NOTHING;
    return { chunks: choices.map((choice) => ({ ...this.#envelope, choices: [choice] })) };
  }
}

/** The state of an item. */
type Item =
  | MessageItem
  /** `begun` is true once a piece of its arguments has been emitted. */
  | { readonly type: "call"; readonly index: number; begun: boolean }
  | { readonly type: "reasoning"; summarized: boolean }
  /** Emitted in one piece when it is complete. */
  | { readonly type: "whole" }
  /** Emitted already. */
  | typeof OVER;

const OVER = { type: "over" } as const;

interface MessageItem {
  readonly type: "message";
  readonly commentary: boolean;
  /** The start of each part in the text of the message, by index. */
  readonly parts: Map<unknown, number>;
  /** Whether the current part has deltas but no end yet. */
  partIsOpen: boolean;
  readonly annotations: [annotation: unknown, at: number][];
  readonly logprobs: JsonObject[];
  length: number;
  /** Whether its text is buffered, and that text. */
  buffered: boolean;
  text: string;
  /** The start of its text in the content; undefined until some of it has been emitted. */
  start: number | undefined;
  refused: boolean;
}

function newMessage(commentary: boolean): MessageItem {
  return {
    type: "message",
    commentary,
    parts: new Map(),
    partIsOpen: false,
    annotations: [],
    logprobs: [],
    length: 0,
    buffered: false,
    text: "",
    start: undefined,
    refused: false,
  };
}

function closeCall(item: Extract<Item, { type: "call" }>, text: unknown): ChunkChoice[] {
  if (item.begun || !isText(text)) return [];
  item.begun = true;
  return [pieceOf(item.index, text)];
}

function closeRefusal(message: MessageItem, refusal: unknown): ChunkChoice[] {
  if (message.refused || !isText(refusal)) return [];
  message.refused = true;
  return [toChoice({ refusal })];
}

function pieceOf(index: number, text: string): ChunkChoice {
  return toChoice({ tool_calls: [{ index, function: { arguments: text } }] });
}

function toChoice(delta: Delta): ChunkChoice {
  return { index: 0, delta };
}

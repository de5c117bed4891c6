/**
 * The stream of OpenAI's Responses API, folded into chat chunks.
 *
 * Events: `ResponseStreamEvent` of https://github.com/openai/openai-openapi
 * (v2.3.0, 2026-08-21). What the `.done` events and the last one repeat is
 * taken only where no delta brought it.
 */

import {
  type ChunkBody,
  type ChunkChoice,
  type Delta,
  isObject,
  type JsonObject,
  type ToolCallDelta,
} from "../../chat/chat.ts";
import type { Frame } from "../contract/frames.ts";
import { type Call, NOTHING, type Step, type StreamDecoder } from "../contract/adapter.ts";
import { toResponsesVerdict } from "./responses_errors.ts";
import {
  asText,
  BREAK,
  isText,
  isUndeclaredParallel,
  toCitations,
  toDetail,
  toEnding,
  toEnvelope,
  toFinishReason,
  toLogprobs,
  toThoughts,
  toToolCalls,
} from "./responses_output.ts";

/** Reads one stream. Items are known by their place: some relays change their ids on the way. */
export class ResponseDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #items = new Map<unknown, Item>();
  #envelope: Pick<ChunkBody, "id" | "created" | "model"> = {};
  /** Tool calls begun, which is also the index of the next. */
  #tools = 0;
  /**
   * Sealed reasoning, told all at once in the end: OpenAI's own client for
   * JavaScript keeps only the last delta of a member it does not know.
   */
  readonly #details: JsonObject[] = [];
  /** Text that has been content so far. */
  #length = 0;
  /** The message whose text was content last. */
  #speaker: Item | undefined;
  /** The part of reasoning that was told last. */
  #thought: string | undefined;
  /** Commentary that is content or reasoning, as what follows will show. */
  #held: MessageItem[] = [];

  constructor(call: Call) {
    this.#call = call;
  }

  push(frame: Frame): Step {
    if (frame.data === "" || frame.data === "[DONE]") return NOTHING;
    let event: unknown;
    try {
      event = JSON.parse(frame.data);
    } catch {
      return failed("sent an event that is not JSON");
    }
    if (!isObject(event)) return failed("sent an event that is not an object");
    const type = String(event.type ?? frame.event);
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
      case "response.function_call_arguments.delta":
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        if (typeof event.delta !== "string") return malformed(type);
        return this.#step(this.#onDelta(type, event, event.delta));
      case "response.output_text.done":
      case "response.refusal.done":
      case "response.function_call_arguments.done":
        return this.#step(this.#onDone(type, event));
      case "response.output_text.annotation.added":
        this.#onAnnotation(event);
        return NOTHING;
      case "response.output_item.added":
        if (!isObject(event.item)) return malformed(type);
        if (this.#items.has(event.output_index)) return NOTHING;
        return this.#step(this.#onItem(event.output_index, event.item));
      case "response.output_item.done":
        if (!isObject(event.item)) return malformed(type);
        return this.#step(this.#onItemDone(event.output_index, event.item));
      case "response.created":
        if (isObject(event.response)) this.#envelope = toEnvelope(event.response);
        return NOTHING;
      case "response.completed":
      case "response.incomplete":
        return isObject(event.response) ? this.#finish(event.response, type) : malformed(type);
      case "response.failed":
      case "error":
        return {
          chunks: [],
          failure: toResponsesVerdict({ where: "stream", body: event }),
        };
      default:
        return NOTHING;
    }
  }

  /** Without the last event no choice has come to a finish, which the gateway notices. */
  end(): Step {
    return NOTHING;
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
        return delta === "" ? [] : [told({ refusal: delta })];
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
    // Relays may number a part otherwise here than in its deltas.
    const known = message.partIsOpen || message.parts.has(event.content_index);
    message.partIsOpen = false;
    return known ? [] : this.#onText(message, event, asText(event.text));
  }

  #onItem(place: unknown, item: JsonObject): ChunkChoice[] {
    switch (item.type) {
      case "message": {
        const message = newMessage(item.phase === "commentary");
        this.#items.set(place, message);
        // The answer follows, and may say it all again.
        if (!message.commentary) return this.#release("reasoning");
        message.held = true;
        this.#held.push(message);
        return [];
      }
      case "function_call":
        // A call without a name is none.
        if (!isText(item.name)) {
          this.#items.set(place, OVER);
          return [];
        }
        if (isUndeclaredParallel(asText(item.name), this.#call.request)) break;
        return [...this.#release("content"), this.#openCall(place, item)];
      case "reasoning":
        this.#items.set(place, { type: "reasoning", summarised: false });
        return [];
      case "custom_tool_call":
        break;
      default:
        return [];
    }
    this.#items.set(place, { type: "whole" });
    return this.#release("content");
  }

  /** The whole of an item: what its deltas did not bring is taken from here. */
  #onItemDone(place: unknown, item: JsonObject): ChunkChoice[] {
    const begun = this.#items.get(place);
    if (begun === undefined) {
      const opened = this.#onItem(place, item);
      return this.#items.has(place) ? [...opened, ...this.#onItemDone(place, item)] : opened;
    }
    switch (begun.type) {
      case "call":
        return closeCall(begun, item.arguments);
      case "whole":
        this.#items.set(place, OVER);
        return this.#handOver(item);
      case "reasoning":
        this.#items.set(place, OVER);
        return this.#onReasoning(place, item);
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
    // The deltas may have counted parts that the list of the whole item leaves out: a text under
    // an index that the list lacks stands for the first text under an index that had no delta.
    const listed = new Set<unknown>(texts.map(({ content_index }) => content_index));
    const shifted = [...message.parts.keys()].filter((index) => !listed.has(index)).length;
    const untold = texts.filter(({ content_index }) => !message.parts.has(content_index));
    return [
      ...untold.slice(shifted).flatMap(({ content_index, text }) =>
        this.#onText(message, { content_index }, asText(text))
      ),
      ...refusals,
    ];
  }

  #openCall(place: unknown, item: JsonObject): ChunkChoice {
    const index = this.#tools++;
    const id = isText(item.call_id) ? item.call_id : this.#call.newId("call_");
    this.#items.set(place, { type: "call", index, begun: false });
    const called = { name: asText(item.name), arguments: "" };
    return told({ tool_calls: [{ index, id, type: "function", function: called }] });
  }

  /** Calls that are handed over in one piece: chunks know no other shape for them. */
  #handOver(item: JsonObject): ChunkChoice[] {
    const calls = toToolCalls(item, this.#call)
      .map((made): ToolCallDelta => ({ ...made, index: this.#tools++ }));
    return calls.length === 0 ? [] : [told({ tool_calls: calls })];
  }

  #onReasoning(place: unknown, item: JsonObject): ChunkChoice[] {
    const choices: ChunkChoice[] = [];
    if (!this.#thought?.startsWith(`${place}/`)) {
      const thoughts = toThoughts(item, true);
      thoughts.forEach((text, part) => choices.push(this.#think(`${place}/${part}`, text)));
    }
    const detail = toDetail(item, this.#details.length, this.#call);
    if (detail !== undefined) this.#details.push(detail);
    return choices;
  }

  #onThought(type: string, event: JsonObject, delta: string): ChunkChoice[] {
    const item = this.#items.get(event.output_index);
    const summary = type === "response.reasoning_summary_text.delta";
    if (item?.type === "reasoning") {
      // The reasoning itself is of use only where there is no summary of it.
      if (summary) item.summarised = true;
      else if (item.summarised) return [];
    }
    if (delta === "") return [];
    const part = summary ? event.summary_index : event.content_index;
    return [this.#think(`${event.output_index}/${part}`, delta)];
  }

  /** @param part names what the text is a part of: others are set apart from it */
  #think(part: string, text: string): ChunkChoice {
    const apart = this.#thought !== undefined && this.#thought !== part;
    this.#thought = part;
    return told({ reasoning_content: apart ? BREAK + text : text });
  }

  #onText(message: MessageItem, event: JsonObject, text: string): ChunkChoice[] {
    const known = message.parts.get(event.content_index);
    if (known === undefined) message.parts.set(event.content_index, message.length);
    message.length += text.length;
    const logprobs = Array.isArray(event.logprobs) ? event.logprobs.filter(isObject) : [];
    if (message.held) {
      message.text += text;
      for (const one of logprobs) message.logprobs.push(one);
      return [];
    }
    return text === "" ? [] : [this.#say(message, text, logprobs)];
  }

  #say(message: MessageItem, text: string, logprobs: readonly JsonObject[]): ChunkChoice {
    const apart = this.#speaker !== undefined && this.#speaker !== message;
    const content = apart ? BREAK + text : text;
    if (this.#speaker !== message) message.start = this.#length + (apart ? BREAK.length : 0);
    this.#speaker = message;
    this.#length += content.length;
    return logprobs.length === 0
      ? told({ content })
      : { ...told({ content }), logprobs: toLogprobs(logprobs) };
  }

  /** Tells commentary that was held back. */
  #release(as: "content" | "reasoning"): ChunkChoice[] {
    if (this.#held.length === 0) return [];
    const held = this.#held;
    this.#held = [];
    for (const message of held) message.held = false;
    return held.filter(({ text }) => text !== "").map((message) =>
      as === "content"
        ? this.#say(message, message.text, message.logprobs)
        : this.#think("commentary", message.text)
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

  /** The message that an event belongs to; relays may leave out the event that begins it. */
  #messageAt({ output_index }: JsonObject): MessageItem {
    const item = this.#items.get(output_index);
    if (item?.type === "message") return item;
    const message = newMessage(false);
    this.#items.set(output_index, message);
    return message;
  }

  #finish(response: JsonObject, type: string): Step {
    const output = Array.isArray(response.output) ? response.output : [];
    // Some relays send nothing but the end.
    const late = this.#items.size > 0
      ? []
      : output.flatMap((item: unknown, place) =>
        isObject(item) ? this.#onItemDone(place, item) : []
      );
    const annotations = this.#annotations();
    const step = this.#step([
      ...late,
      ...this.#release("content"),
      ...(annotations.length > 0 ? [told({ annotations })] : []),
      ...(this.#details.length > 0 ? [told({ reasoning_details: this.#details })] : []),
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

/** An item that has begun. */
type Item =
  | MessageItem
  /** `begun` once a piece of its arguments was told. */
  | { readonly type: "call"; readonly index: number; begun: boolean }
  | { readonly type: "reasoning"; summarised: boolean }
  /** Told in one piece when it is complete. */
  | { readonly type: "whole" }
  /** Told, and not to be told again. */
  | typeof OVER;

const OVER = { type: "over" } as const;

interface MessageItem {
  readonly type: "message";
  readonly commentary: boolean;
  /** Where each part begins in the message's text, by its index. */
  readonly parts: Map<unknown, number>;
  /** Whether deltas of a text came whose end did not. */
  partIsOpen: boolean;
  readonly annotations: [annotation: unknown, at: number][];
  readonly logprobs: JsonObject[];
  length: number;
  /** Whether its text is held back, and that text. */
  held: boolean;
  text: string;
  /** Where its text begins in the content; absent while none of it is there. */
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
    held: false,
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
  return [told({ refusal })];
}

function pieceOf(index: number, text: string): ChunkChoice {
  return told({ tool_calls: [{ index, function: { arguments: text } }] });
}

function told(delta: Delta): ChunkChoice {
  return { index: 0, delta };
}

function failed(what: string): Step {
  return { chunks: [], failure: { kind: "upstream_error", message: `The provider ${what}` } };
}

function malformed(what: unknown): Step {
  return failed(`sent a malformed '${what}' event`);
}

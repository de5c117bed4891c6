/** Writes a stream of chunks as the typed events of the Responses API. */

import { hasTexts, writeJson } from "../../core/json/number_texts.ts";
import {
  type AnswerSummary,
  type Envelope,
  PendingDetails,
  type StreamWriter,
} from "../chat/caller_format.ts";
import {
  type ChunkBody,
  type ChunkChoice,
  type FinishReason,
  isObject,
  type JsonObject,
  type ToolCallDelta,
  type Usage,
} from "../../contract/chat.ts";
import { type WebSearchCall, webSearchesOf } from "../chat/web_search.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isText, toList } from "../../core/json/values.ts";
import { isMarked } from "../chat/call_ids.ts";
import { ItemIds, type ItemStatus, toAnnotations, tokensOf } from "./output_items.ts";
import { ended, type Ending, toEnding, toResponse } from "./response_object.ts";
import {
  type BegunMessage,
  OpenCall,
  type OpenItem,
  OpenMessage,
  OpenReasoning,
  writeSearch,
} from "./stream_items.ts";
import type { ToolNames } from "./tools.ts";
import { includesPages, type ResponsesRequest } from "./request.ts";
import { writeFailure } from "./errors.ts";

/** The parts of a stream that do not come from its chunks. */
export interface StreamContext {
  readonly request: ResponsesRequest;
  readonly names: ToolNames;
  /** Milliseconds since the Unix epoch. */
  readonly wallTime: () => number;
  /** Called with the whole response at the end of a complete stream. */
  readonly onEnd: (response: JsonObject) => void;
}

/** A response whose last item is an incomplete message. */
export interface BegunResponse {
  /** The response in the last event that contained one. */
  readonly response: JsonObject;
  /** The whole items, by their position in the output. */
  readonly output: readonly JsonObject[];
  /** The number of the next event. */
  readonly sequence: number;
  readonly message: BegunMessage & { readonly index: number };
}

/** An item of the stream and its position in the output. */
interface IndexedItem<Item extends OpenItem> {
  readonly item: Item;
  readonly index: number;
}

/** The maximum length of an answer in UTF-16 units: many times the output of any model. */
const MAX_LENGTH = 8 * 1024 * 1024;
/** The index of a call in the chunks, or another item. */
type ItemKey = number | "message" | "reasoning" | "search";

/** An item that has not begun, and the writer of its pieces. */
interface HeldItem {
  readonly key: ItemKey;
  readonly pieces: (() => void)[];
}

export class ResponsesStreamWriter implements StreamWriter {
  started = false;
  usage: Usage | undefined;
  serviceTier: string | undefined;
  /** False: each event has its own `sequence_number`. */
  readonly isRepeatable = false;
  /** The last events repeat the answer several times, and are written at once. */
  readonly maxLength = MAX_LENGTH;
  readonly details = new PendingDetails();
  readonly #context: StreamContext;
  readonly #envelope: Envelope;
  readonly #ids: ItemIds;
  /** The whole items, by their position in the output. */
  readonly #output: JsonObject[] = [];
  /** The number of items that have begun. */
  #begun = 0;
  #response: JsonObject | undefined;
  #sequence = 0;
  #text = "";
  #reasoning: IndexedItem<OpenReasoning> | undefined;
  #message: IndexedItem<OpenMessage> | undefined;
  #call: (IndexedItem<OpenCall> & { readonly key: number }) | undefined;
  /** The calls that have begun, by their index in the chunks. */
  readonly #calls = new Set<number>();
  /** Long members of the response as JSON, serialized once because every event repeats them. */
  #repeated: Readonly<Record<string, string>> | undefined;
  /** The items that wait until the open call is complete. */
  #held: HeldItem[] = [];
  readonly #heldCalls = new Map<number, HeldItem>();
  /** Whether call IDs carry the state. */
  #isCarried = false;
  #reason: FinishReason | undefined;
  #refused = false;

  /** @param begun the part that another writer has written, to continue a response */
  constructor(envelope: Envelope, context: StreamContext, begun?: BegunResponse) {
    this.#envelope = envelope;
    this.#context = context;
    this.#ids = new ItemIds(envelope);
    if (begun === undefined) return;
    const { message, output, response, sequence } = begun;
    const { index } = message;
    this.#response = response;
    this.#output.push(...output);
    this.#sequence = sequence;
    this.#message = { item: new OpenMessage(this.#emit, this.#ids, index, message), index };
    this.#begun = index + 1;
  }

  get complete(): boolean {
    return this.#reason !== undefined;
  }

  get summary(): AnswerSummary {
    const { id, model } = this.#envelope;
    return { id, model, finishReasons: this.#reason === undefined ? [] : [this.#reason] };
  }

  write({ model, choices, usage, service_tier: tier }: ChunkBody): string {
    if (usage) this.usage = usage;
    if (isText(tier)) this.serviceTier = tier;
    for (const choice of choices) if (choice.index === 0) this.#onChoice(choice, model);
    return this.#take();
  }

  end(): string {
    this.#begin(undefined);
    const ending = toEnding(this.#reason ?? "stop", this.#refused, this.#context.wallTime());
    const isCut = ending.status === "incomplete";
    if (this.#begun === 0 && !isCut) this.#openMessage().openText();
    this.#closeAll(isCut ? "incomplete" : "completed");
    const response = this.#end(ending);
    this.#context.onEnd(response);
    return this.#take();
  }

  /** The last events of a stream that failed. */
  fail(error: GatewayError): Uint8Array<ArrayBuffer> {
    const begun = this.#response ?? toResponse(this.#context.request, this.#envelope);
    const response = { ...begun, output: this.#output.filter(isObject) };
    return writeFailure(error, response, this.#sequence);
  }

  #onChoice({ delta, finish_reason, logprobs }: ChunkChoice, model: string | undefined): void {
    const { content, refusal, reasoning_content, reasoning_details, tool_calls } = delta;
    const annotations = toAnnotations(delta.annotations);
    const searches = webSearchesOf(delta);
    const details = toList(reasoning_details);
    const calls = toList(tool_calls) as readonly ToolCallDelta[];
    if (
      !content && !refusal && !reasoning_content && details.length === 0 && calls.length === 0 &&
      annotations.length === 0 && searches.length === 0 && !finish_reason
    ) return;
    this.#begin(model);
    if (details.length > 0) this.details.push(details);
    if (isText(reasoning_content)) {
      this.#inTurn("reasoning", () => this.#openReasoning().think(reasoning_content));
    }
    if (content) {
      this.#inTurn("message", () => this.#openMessage().say(content, tokensOf(logprobs)));
    }
    if (refusal) {
      this.#refused = true;
      this.#inTurn("message", () => this.#openMessage().refuse(refusal));
    }
    if (annotations.length > 0) {
      this.#inTurn("message", () => this.#openMessage().annotate(annotations));
    }
    for (const search of searches) this.#inTurn("search", () => this.#onSearch(search));
    for (const call of calls) this.#inTurn(call.index, () => this.#onCall(call));
    if (finish_reason) this.#reason ??= finish_reason;
  }

  /**
   * Writes a piece of an item, or holds it until the open call is complete: clients expect one item
   * at a time, but some vendors interleave the arguments of parallel calls.
   */
  #inTurn(key: ItemKey, write: () => void): void {
    const call = this.#call;
    if (call === undefined || call.key === key || call.item.isWhole && this.#held.length === 0) {
      write();
      if (call?.key === key && call.item.isWhole) this.#release();
      return;
    }
    const place = typeof key === "number" ? this.#heldCalls.get(key) : this.#held.at(-1);
    if (place?.key === key) return void place.pieces.push(write);
    if (typeof key === "number" && this.#calls.has(key)) return;
    const held = { key, pieces: [write] };
    this.#held.push(held);
    if (typeof key === "number") this.#heldCalls.set(key, held);
  }

  /** Writes the items that were held, up to the next incomplete call. */
  #release(isEnd = false): void {
    let written = 0;
    for (const { key, pieces } of this.#held) {
      if (!isEnd && this.#call?.item.isWhole === false) break;
      written++;
      if (typeof key === "number") this.#heldCalls.delete(key);
      for (const write of pieces) write();
    }
    if (written > 0) this.#held = this.#held.slice(written);
  }

  /**
   * Writes the first events. They are delayed until the first item, because a stream may fail
   * before it.
   */
  #begin(model: string | undefined): void {
    if (this.#response !== undefined) return;
    const envelope = model === undefined ? this.#envelope : { ...this.#envelope, model };
    const response = this.#response = toResponse(this.#context.request, envelope);
    this.started = true;
    this.#emitResponse("response.created", response);
    this.#emitResponse("response.in_progress", response);
  }

  /**
   * Writes an event with the response. Members that repeat the request are serialized once for all
   * events.
   */
  #emitResponse(type: string, response: JsonObject): void {
    if (hasTexts(response)) return this.#emit(type, { response });
    const repeated = this.#repeated ??= repeatedTexts(response);
    const members: string[] = [];
    for (const name of Object.keys(response)) {
      const text = repeated[name] ?? JSON.stringify(response[name]);
      if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
    }
    const begin = `"type":"${type}","sequence_number":${this.#sequence++}`;
    this.#text += `event: ${type}\ndata: {${begin},"response":{${members.join(",")}}}\n\n`;
  }

  #openReasoning(): OpenReasoning {
    if (this.#reasoning !== undefined) return this.#reasoning.item;
    this.#closeMessage("completed");
    this.#closeCall("completed");
    const index = this.#begun++;
    // The state after an item belongs to the same message as the item.
    const item = new OpenReasoning(this.#emit, this.#ids, index, index > 0);
    this.#reasoning = { item, index };
    return item;
  }

  #openMessage(): OpenMessage {
    if (this.#message !== undefined) return this.#message.item;
    this.#closeReasoning();
    this.#closeCall("completed");
    this.#writeState();
    const index = this.#begun++;
    const item = new OpenMessage(this.#emit, this.#ids, index);
    this.#message = { item, index };
    return item;
  }

  /** An item for the state that the vendor sent without reasoning text. */
  #writeState(): void {
    const details = this.details.take();
    if (details.length === 0) return;
    this.#openReasoning().keep(details);
    this.#closeReasoning();
  }

  #onSearch(search: WebSearchCall): void {
    this.#closeReasoning();
    this.#closeMessage("completed");
    this.#closeCall("completed");
    this.#writeState();
    const index = this.#begun++;
    const hasPages = includesPages(this.#context.request);
    this.#output[index] = writeSearch(this.#emit, this.#ids, index, search, hasPages);
  }

  #onCall({ index: key, id, function: called, custom }: ToolCallDelta): void {
    const text = called?.arguments ?? custom?.input ?? "";
    if (!this.#calls.has(key)) {
      const callId = id ?? `call_${this.#envelope.id}_${this.#begun}`;
      this.#isCarried ||= isMarked(callId);
      this.#closeReasoning();
      this.#closeMessage("completed");
      this.#closeCall("completed");
      if (!this.#isCarried) this.#writeState();
      const index = this.#begun++;
      const name = called?.name ?? custom?.name ?? "";
      const { names } = this.#context;
      const item = new OpenCall(this.#emit, this.#ids, index, { callId, name }, names);
      this.#calls.add(key);
      this.#call = { item, index, key };
    }
    // Only white space follows the arguments of a completed call.
    if (text !== "" && this.#call?.key === key) this.#call.item.write(text, custom === undefined);
  }

  #closeCall(status: ItemStatus): void {
    if (this.#call === undefined) return;
    const { item, index } = this.#call;
    this.#call = undefined;
    this.#output[index] = item.close(status);
  }

  #closeReasoning(): void {
    if (this.#reasoning === undefined) return;
    const { item, index } = this.#reasoning;
    this.#reasoning = undefined;
    item.keep(this.details.take());
    this.#output[index] = item.close();
  }

  #closeMessage(status: ItemStatus): void {
    if (this.#message === undefined) return;
    const { item, index } = this.#message;
    this.#message = undefined;
    this.#output[index] = item.close(status);
  }

  /** Ends the open item. Only an item that is still open may have been truncated. */
  #closeAll(status: ItemStatus): void {
    this.#release(true);
    const isMessage = this.#message !== undefined;
    this.#closeReasoning();
    this.#closeMessage(status);
    this.#closeCall(status);
    // Clients would show an item after the answer, and vendors do not need such state after text.
    if (!isMessage && !this.#isCarried) this.#writeState();
  }

  #end(ending: Ending): JsonObject {
    const whole = this.#output.filter(isObject);
    const response = ended(this.#response ?? {}, ending, whole, this.usage);
    this.#emitResponse(`response.${ending.status}`, response);
    return response;
  }

  readonly #emit = (type: string, members: JsonObject): void => {
    const event = { type, sequence_number: this.#sequence++, ...members };
    this.#text += `event: ${type}\ndata: ${writeJson(event)}\n\n`;
  };

  #take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}

function repeatedTexts({ instructions, tools, metadata }: JsonObject): Record<string, string> {
  const texts = { instructions, tools, metadata };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, JSON.stringify(value)]]
    ),
  );
}

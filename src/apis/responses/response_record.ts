/** Records a native stream of a response, so that it can be continued. */

import type { JsonObject } from "../../core/json/object.ts";
import { isText, toCount, toList, toObject, toText } from "../../core/json/values.ts";
import type { GatewayError } from "../../core/errors.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import { parsePassedEvent, RecordedText, type StreamRecord } from "../stream_record.ts";
import { ResponsesStreamWriter, type StreamContext } from "./stream_writer.ts";

/**
 * Records one response. It can be continued as long as its last item is an open message with text.
 */
export class ResponseRecord implements StreamRecord {
  readonly #text = new RecordedText();
  #response: JsonObject = {};
  /** The whole items, by their position in the output. */
  readonly #output: JsonObject[] = [];
  #message: { readonly item: JsonObject; readonly index: number } | undefined;
  #sequence = 0;
  #writer: ResponsesStreamWriter | undefined;

  get text(): string | undefined {
    return this.#text.text;
  }

  push({ event, data }: Frame): void {
    if (!this.#text.isPlain) return;
    const body = parsePassedEvent(data);
    const sequence = Number(body.sequence_number);
    this.#sequence = Number.isSafeInteger(sequence) ? sequence + 1 : this.#sequence + 1;
    const type = toText(body.type) || (event ?? "");
    switch (type) {
      case "keepalive":
        return;
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        this.#response = toObject(body.response);
        return;
      case "response.output_item.added":
        return this.#open(toCount(body.output_index), toObject(body.item));
      case "response.output_item.done":
        return this.#close(toCount(body.output_index), toObject(body.item));
      case "response.content_part.added":
        return this.#openPart(toCount(body.output_index), body.content_index, toObject(body.part));
      case "response.output_text.delta":
        return this.#add(body);
      default:
        if (!REASONING.test(type) || this.#message !== undefined) this.#text.drop();
    }
  }

  /** Writes the rest of the response. */
  createWriter(context: StreamContext): ResponsesStreamWriter {
    const { id, model, created_at } = this.#response;
    const envelope = { id: toText(id), created: toCount(created_at), model: toText(model) };
    const { item = {}, index = 0 } = this.#message ?? {};
    return this.#writer = new ResponsesStreamWriter(envelope, context, {
      response: this.#response,
      output: this.#output,
      sequence: this.#sequence,
      message: { item, index, text: this.text ?? "" },
    });
  }

  /** The last events after the continuation failed; undefined without one. */
  fail(error: GatewayError): Uint8Array<ArrayBuffer> | undefined {
    return this.#writer?.fail(error);
  }

  #open(index: number, item: JsonObject): void {
    if (this.#message !== undefined) return this.#text.drop();
    const isNext = index === this.#output.length;
    // After a commentary, a response calls tools.
    if (isNext && item.type === "message" && item.phase !== "commentary") {
      this.#message = { item, index };
    } else if (item.type !== "reasoning" || item.encrypted_content) this.#text.drop();
  }

  /** After its message, a response may only end or call a tool. */
  #close(index: number, item: JsonObject): void {
    const isNext = index === this.#output.length;
    if (isNext && item.type === "reasoning" && !item.encrypted_content) this.#output.push(item);
    else this.#text.drop();
  }

  #openPart(index: number, place: unknown, { type, text }: JsonObject): void {
    // The reasoning part of an open-weight model.
    if (this.#message === undefined && type === "reasoning_text") return;
    if (this.#message?.index !== index || place !== 0 || type !== "output_text") {
      return this.#text.drop();
    }
    this.#text.add(toText(text));
  }

  #add({ output_index: index, delta, logprobs }: JsonObject): void {
    const isOwn = this.#message?.index === toCount(index);
    if (isOwn && isText(delta) && toList(logprobs).length === 0) this.#text.add(delta);
    else this.#text.drop();
  }
}

/** Events of reasoning. */
const REASONING = /^response\.(reasoning(_summary)?(_text|_part)?|content_part)\.\w+$/;

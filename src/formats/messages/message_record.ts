/** The state of a native stream of messages: where a continuation begins. */

import type { StreamWriter } from "../../chat/caller_format.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { isText, toCount, toList, toObject, toText } from "../../core/json/values.ts";
import type { Frame } from "../../providers/contract/frames.ts";
import { parseEvent } from "../event_data.ts";
import { RecordedText } from "../recorded_text.ts";
import type { StreamRecord } from "../stream_record.ts";
import type { WriteOptions } from "./answer_parts.ts";
import { MessageWriter } from "./stream_writer.ts";

/** Records one message. It is plain as long as its last block is an open block of text. */
export class MessageRecord implements StreamRecord {
  readonly #text = new RecordedText();
  #id = "";
  #model = "";
  /** The index of the block of text. */
  #index: number | undefined;

  get text(): string | undefined {
    return this.#text.text;
  }

  push({ event, data }: Frame): void {
    if (!this.#text.isPlain) return;
    const body = parseEvent(data);
    switch (event ?? body.type) {
      case "ping":
        return;
      case "message_start":
        return this.#begin(toObject(body.message));
      case "content_block_start":
        return this.#open(toCount(body.index), toObject(body.content_block));
      case "content_block_delta":
        return this.#add(toObject(body.delta));
      case "content_block_stop":
        // After its text, a message may only end or call a tool.
        if (this.#index !== undefined) this.#text.drop();
        return;
      default:
        this.#text.drop();
    }
  }

  /** Writes the rest of the message. */
  createWriter(options: WriteOptions): StreamWriter {
    const envelope = { id: this.#id, created: 0, model: this.#model };
    const { text = "" } = this;
    return new MessageWriter(envelope, options, { index: this.#index ?? 0, length: text.length });
  }

  #begin({ id, model }: JsonObject): void {
    this.#id = toText(id);
    this.#model = toText(model);
  }

  #open(index: number, { type, text, signature, citations }: JsonObject): void {
    const isPlain = type === "thinking"
      ? !signature
      : type === "text" && toList(citations).length === 0;
    if (!isPlain || this.#index !== undefined) return this.#text.drop();
    if (type !== "text") return;
    this.#index = index;
    this.#text.add(toText(text));
  }

  #add({ type, text, signature }: JsonObject): void {
    if (type === "text_delta" && this.#index !== undefined && isText(text)) this.#text.add(text);
    else if (type !== "thinking_delta" && !(type === "signature_delta" && !signature)) {
      this.#text.drop();
    }
  }
}

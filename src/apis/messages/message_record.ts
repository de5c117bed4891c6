/**
 * Records a native stream of the Messages API, so that it can be continued; and marks the IDs of
 * containers.
 */

import type { StreamWriter } from "../chat/caller_format.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toCount, toList, toObject, toText } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import { parseEvent, RecordedText, type StreamRecord } from "../stream_record.ts";
import type { WriteOptions } from "./answer_parts.ts";
import { MessageWriter } from "./stream_writer.ts";
import { writeJson } from "../../core/json/number_texts.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";
import { type IdMarker, ownContainerId, type ProviderIds } from "../responses/provider_ids.ts";
import { parsePassed } from "../../core/json/reader.ts";

/** Records one message. It can be continued as long as its last block is an open text block. */
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

// IDs of containers in which a vendor runs code. Vendors scope them to an account, so they are
// bound to the service key that received them, like IDs of the Responses API.

/** Whether the answer to a request may name a container. */
export function usesContainer({ container, tools }: JsonObject): boolean {
  const runsCode = (tool: unknown) => isObject(tool) && /code_execution/.test(toText(tool.type));
  return container != null || toList(tools).some(runsCode);
}

/**
 * Restores the provider's ID of the container in a body.
 *
 * @throws {GatewayError} `response_not_found` for a container that does not belong to the caller.
 */
export function withOwnContainer(body: JsonObject, ids: ProviderIds, provider: string): JsonObject {
  const { container } = body;
  const context = { ids, provider };
  if (isText(container)) {
    return { ...body, container: ownContainerId(container, "container", context) };
  }
  if (!isObject(container) || !isText(container.id)) return body;
  const id = ownContainerId(container.id, "container.id", context);
  return { ...body, container: { ...container, id } };
}

/** The same answers with marked container IDs. */
export function withMarkedContainers(answers: NativeAnswers, marker: IdMarker): NativeAnswers {
  return {
    createReader: () => markContainers(answers.createReader(), marker),
    readAnswer(body) {
      const read = answers.readAnswer(body);
      if ("error" in read || !isObject(body.container)) return read;
      return { ...read, text: writeJson(withMarked(body, marker)) };
    },
  };
}

/** Only the first and the last event of a stream name the container. */
function markContainers(reader: NativeStreamReader, marker: IdMarker): NativeStreamReader {
  return {
    get started() {
      return reader.started;
    },
    get complete() {
      return reader.complete;
    },
    get usage() {
      return reader.usage;
    },
    get serviceTier() {
      return reader.serviceTier;
    },
    get summary() {
      return reader.summary;
    },
    get outputChars() {
      return reader.outputChars;
    },
    rewrites: true,
    push(frame) {
      const read = reader.push(frame);
      if (read !== undefined || frame.event === "content_block_delta") return read;
      if (!frame.data.includes('"container"')) return undefined;
      const event = parsePassed(frame.data);
      if (!isObject(event)) return undefined;
      const { message, delta } = event;
      const marked = {
        ...event,
        ...(isObject(message) && { message: withMarked(message, marker) }),
        ...(isObject(delta) && { delta: withMarked(delta, marker) }),
      };
      return { data: writeJson(marked) };
    },
  };
}

function withMarked(object: JsonObject, marker: IdMarker): JsonObject {
  const { container } = object;
  if (!isObject(container) || !isText(container.id)) return object;
  return { ...object, container: { ...container, id: marker.id(container.id) } };
}

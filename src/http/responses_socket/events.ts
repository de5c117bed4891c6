/** The events of one answer: a body of server-sent events as messages. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { parseEvent, parsePassedEvent } from "../../formats/stream_record.ts";
import type { Frame } from "../../providers/contract/frames.ts";
import { createFrameReader } from "../../streaming/frame_readers.ts";

/** Reads the messages of one answer, and what the next request may refer to. */
export class AnswerEvents {
  readonly #reader = createFrameReader("sse");
  /** The items of the output that are complete, as JSON. */
  readonly items: string[] = [];
  /** The ID of the response, once it ended with an answer. */
  id: string | undefined;

  /** The messages of the events that these bytes complete. */
  push(bytes: Uint8Array): readonly string[] {
    return this.#read(this.#reader.push(bytes));
  }

  /** The messages of a last event without its end. */
  end(): readonly string[] {
    return this.#read(this.#reader.end());
  }

  #read(frames: readonly Frame[]): readonly string[] {
    for (const { event, data } of frames) {
      // Servers may leave out the name.
      if (event === undefined || LAST_EVENTS.has(event)) this.#keep(parsePassedEvent(data));
    }
    return frames.map(({ data }) => data);
  }

  #keep({ type, item, response }: JsonObject): void {
    if (!LAST_EVENTS.has(String(type))) return;
    if (isObject(item)) this.items.push(JSON.stringify(item));
    if (isObject(response) && isText(response.id)) this.id = response.id;
  }
}

/** The events of complete items, and of responses that ended with an answer. */
const LAST_EVENTS: ReadonlySet<string> = new Set([
  "response.output_item.done",
  "response.completed",
  "response.incomplete",
]);

/**
 * The message of an error. Codex takes `status_code` for another name of `status`, and ignores
 * messages that have both: https://github.com/openai/codex,
 * codex-rs/codex-api/src/endpoint/responses_websocket.rs (0.169.0, 2026-11-26).
 *
 * @param body the body of the error's response
 */
export function toErrorMessage(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const { error } = parseEvent(body);
  return JSON.stringify({ type: "error", status, error, headers });
}

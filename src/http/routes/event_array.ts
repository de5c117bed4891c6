/**
 * A stream of events as one JSON array, which Gemini's `streamGenerateContent` sends without
 * `alt=sse`: each entry is the data of an event.
 */

import type { RouteResponse } from "./route.ts";

const encoder = new TextEncoder();

/** The same response with an array. A response that is not streamed stays as it is. */
export function toJsonArray(response: RouteResponse): RouteResponse {
  const { body, headers } = response;
  if (!(body instanceof ReadableStream)) return response;
  return {
    ...response,
    headers: { ...headers, "content-type": "application/json; charset=utf-8" },
    body: arrayOf(body),
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads from the events only when the caller reads, and ends them when the caller leaves. */
function arrayOf(events: ReadableStream<Bytes>): ReadableStream<Bytes> {
  const reader = events.getReader();
  const splitter = new EventArray();
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const { done, value } = await reader.read();
      const text = done ? splitter.end() : splitter.push(value);
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (done) controller.close();
      // A packet that completes no event still shows that the connection is alive.
      else if (text === "") controller.enqueue(encoder.encode(" "));
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Converts the bytes of events to pieces of an array, however they are cut. Exported for tests. */
export class EventArray {
  readonly #decoder = new TextDecoder();
  /** The pieces of a line that is not complete: they are joined once. */
  #pieces: string[] = [];
  #isEmpty = true;

  /** The entries of the events that these bytes complete. */
  push(bytes: Uint8Array): string {
    const [first = "", ...others] = this.#decoder.decode(bytes, { stream: true }).split("\n");
    this.#pieces.push(first);
    let text = "";
    for (const next of others) {
      const line = this.#pieces.join("");
      this.#pieces = [next];
      if (!line.startsWith("data:")) continue;
      text += `${this.#isEmpty ? "[" : ",\r\n"}${line.slice("data:".length).trim()}`;
      this.#isEmpty = false;
    }
    return text;
  }

  /** The end of the array. */
  end(): string {
    return this.#isEmpty ? "[]" : "]";
  }
}

/** Model methods in Gemini's API. */

import { GatewayError } from "../../core/errors.ts";
import { GEMINI_METHODS } from "../../gateway/execute/gemini/gemini_endpoints.ts";
import { answerModelRequest, nameModel } from "./model_routes.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

const encoder = new TextEncoder();

/** Converts a response's events to an array. A response that is not streamed is not changed. */
function toJsonArray(response: RouteResponse): RouteResponse {
  const { body, headers } = response;
  if (!(body instanceof ReadableStream)) return response;
  return {
    ...response,
    headers: { ...headers, "content-type": "application/json; charset=utf-8" },
    body: arrayOf(body),
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads events only when the caller reads, and stops when the caller disconnects. */
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

/**
 * Converts the bytes of events, which may be split anywhere, to pieces of an array. Exported for
 * tests.
 */
export class EventArray {
  readonly #decoder = new TextDecoder();
  /** The pieces of an incomplete line, which are joined once. */
  #pieces: string[] = [];
  #isEmpty = true;

  /** The entries for the events completed by these bytes. */
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

const METHODS = new Map(GEMINI_METHODS.map(({ name, read }) => [name, read]));

/**
 * Calls a model's method: the path ends in `{model}:{method}`.
 *
 * @throws {GatewayError} `route_not_found` for a method that the gateway does not have.
 */
export async function callGeminiModel(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const call = context.params.get("model_id") ?? "";
  const colon = call.lastIndexOf(":");
  const model = call.slice(0, Math.max(colon, 0));
  const method = call.slice(colon + 1);
  const read = colon === -1 ? undefined : METHODS.get(method);
  if (read === undefined) {
    throw new GatewayError(
      "route_not_found",
      "Unknown method; a path in Gemini's API is /v1beta/models/{model}:{method}, with the " +
        `method ${[...METHODS.keys()].join(", ")}`,
    );
  }
  const response = await answerModelRequest(request, context, (body) => {
    // The path names the model; a model in the body is ignored.
    nameModel(context, model);
    return read(body, model, () => context.noteEstimate());
  });
  const isArray = method === "streamGenerateContent" && !asksEvents(request.url);
  return isArray ? toJsonArray(response) : response;
}

/** Whether the query requests server-sent events. */
function asksEvents(url: string): boolean {
  const start = url.indexOf("?");
  return start !== -1 && new URLSearchParams(url.slice(start)).get("alt") === "sse";
}

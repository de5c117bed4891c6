/** Errors for answers and streams that are not what the vendor documents. */

import { GatewayError } from "../../core/errors.ts";
import { parsePassed } from "../../core/json/passed_json.ts";
import type { UpstreamError } from "../contract/adapter.ts";
import type { Step } from "../contract/stream_decoder.ts";

/**
 * Creates the error for an answer that cannot be read.
 *
 * @param what the end of a sentence that begins with "The provider's answer"
 */
export function brokenAnswer(what: string): GatewayError {
  return new GatewayError("upstream_error", `The provider's answer ${what}`);
}

/**
 * Creates the error for a stream that cannot be read.
 *
 * @param what the end of a sentence that begins with "The provider"
 */
export function streamError(what: string): UpstreamError {
  return { kind: "upstream_error", message: `The provider ${what}` };
}

/** The step that ends a stream with {@linkcode streamError}. */
export function failed(what: string): Step {
  return { chunks: [], failure: streamError(what) };
}

/** The step that ends a stream at an event without the members that its type has. */
export function malformedEvent(type: unknown): Step {
  return failed(`sent a malformed '${type}' event`);
}

/** The JSON value of an event's data; undefined when the data is not JSON. */
export function parseEvent(data: string): unknown {
  try {
    return parsePassed(data);
  } catch {
    return undefined;
  }
}

/**
 * The step that ends a stream at an event whose data is not a JSON object.
 *
 * @param value the event as {@linkcode parseEvent} returns it
 * @param what the format's name for an event, with its article
 */
export function unreadableEvent(value: unknown, what = "an event"): Step {
  return failed(`sent ${what} that is not ${value === undefined ? "JSON" : "an object"}`);
}

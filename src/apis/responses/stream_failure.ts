/** The last events of a stream that failed. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import type { GatewayError } from "../../core/errors.ts";
import { errorOf, toFailureCode } from "./errors.ts";
import { ended } from "./response_object.ts";

const encoder = new TextEncoder();

/**
 * Writes an `error` event, in both forms that clients read, and `response.failed`: some clients read
 * only one of the events.
 *
 * @param response the response as it began, if it did
 * @param sequence the number of the next event
 */
export function writeFailure(
  error: GatewayError,
  response: JsonObject | undefined,
  sequence: number,
): Uint8Array<ArrayBuffer> {
  const { message, type, code, param } = errorOf(error);
  const ending = {
    status: "failed",
    incomplete_details: null,
    error: { code: toFailureCode(error), message },
  } as const;
  const begun = response ?? { id: "resp_failed", object: "response", output: [] };
  const output = Array.isArray(begun.output) ? begun.output.filter(isObject) : [];
  const events: JsonObject[] = [
    { type: "error", code, message, param, error: { type, code, message, param } },
    { type: "response.failed", response: ended(begun, ending, output, undefined) },
  ];
  return encoder.encode(
    events.map(({ type: name, ...members }, index) => {
      const event = { type: name, sequence_number: sequence + index, ...members };
      return `event: ${name}\ndata: ${JSON.stringify(event)}\n\n`;
    }).join(""),
  );
}

/**
 * Errors as the Responses API writes them.
 *
 * Codex retries any answer with a status of 500 or above, regardless of its headers, and then its
 * whole turn, unless the status is 503 and the code says that the server is overloaded
 * (https://github.com/openai/codex, codex-rs/codex-api/src/api_bridge.rs, 2026-11-24).
 */

import { ERROR_KINDS, type GatewayError } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../contract/chat.ts";
import { ended } from "./response_object.ts";

/** OpenAI's code for a 503: clients give up at once, or after a few requests. */
const OVERLOADED = "server_is_overloaded";

/** Whether the gateway has already retried, so that clients must not. */
function isRepeated({ kind, status, headers }: GatewayError): boolean {
  return status >= 500 && ERROR_KINDS[kind].retryable && headers["x-should-retry"] === "false";
}

/** The status of an error: 503 for a failure that the gateway has already retried. */
export function statusOf(error: GatewayError): number {
  return isRepeated(error) ? 503 : error.status;
}

/** The members of an error. */
function errorOf(error: GatewayError): ReturnType<GatewayError["toDetails"]> {
  const details = error.toDetails();
  return isRepeated(error) ? { ...details, code: OVERLOADED } : details;
}

/** The body of an error answer. */
export function writeError(error: GatewayError): string {
  return JSON.stringify({ error: errorOf(error) });
}

/** The code of a failed response. Clients use it to decide whether to retry. */
function toFailureCode(error: GatewayError): string {
  const { kind, code, status } = error;
  switch (kind) {
    case "rate_limited":
    case "quota":
    case "context_length":
      return code ?? kind;
    case "content_filter":
      return "invalid_prompt";
  }
  if (isRepeated(error)) return OVERLOADED;
  return status >= 500 ? "server_error" : "invalid_prompt";
}

const encoder = new TextEncoder();

/**
 * Writes an `error` event, in both forms that clients read, and `response.failed`: some clients
 * read only one of the events.
 *
 * @param response the response at its start, if it has started
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

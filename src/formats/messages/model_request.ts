/** Requests of `POST /v1/messages`. */

import { type ModelRequest, toConversionDeps } from "../../routing/model_request.ts";
import { MessagesOperation } from "./operation.ts";
import { readOutline } from "./schema.ts";

/**
 * Reads a request.
 *
 * @param headers the caller's headers that are part of the format
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readMessageRequest(
  body: unknown,
  headers: ReadonlyMap<string, string>,
): ModelRequest {
  const outline = readOutline(body);
  return {
    models: { model: outline.model, models: outline.models ?? undefined },
    stream: outline.stream ?? false,
    createOperation: (context) =>
      new MessagesOperation(outline, { ...toConversionDeps(context), headers }),
  };
}

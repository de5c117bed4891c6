/** Requests of `POST /v1/messages` and of `POST /v1/messages/count_tokens`. */

import { messages } from "../../formats/messages/format.ts";
import type { ApiKind } from "../../gateway/feature.ts";
import type { ModelRequest } from "../../routing/model_request.ts";
import { createChatOperation } from "../conversion_deps.ts";
import { KeyProviderIds } from "../responses/key_provider_ids.ts";
import { CountOperation } from "../counting.ts";
import { toMessagesCount } from "./count.ts";
import { MessagesOperation } from "./operation.ts";
import { readCountOutline, readOutline } from "../../formats/messages/schema.ts";

const MESSAGES: ApiKind = { format: messages.name, idPrefix: messages.idPrefix, operation: "chat" };
const COUNT: ApiKind = { ...MESSAGES, asksNoModel: true };

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
  const stream = outline.stream ?? false;
  return {
    models: { model: outline.model, models: outline.models ?? undefined },
    stream,
    caller: { api: MESSAGES, body: outline, formatHeaders: headers },
    createOperation(context) {
      return createChatOperation(context, outline, (body, deps) => {
        const ids = context.config.hasOneOwner ? undefined : new KeyProviderIds(context);
        return new MessagesOperation(body, { ...deps, headers, ids });
      });
    },
  };
}

/**
 * Reads a request to count tokens.
 *
 * @param headers as for a message
 * @param onEstimate called if the answer is an estimate
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readCountRequest(
  body: unknown,
  headers: ReadonlyMap<string, string>,
  onEstimate: () => void,
): ModelRequest {
  const outline = readCountOutline(body);
  return {
    models: { model: outline.model, models: outline.models ?? undefined },
    stream: false,
    caller: { api: COUNT, body: outline },
    createOperation(context) {
      return createChatOperation(
        context,
        outline,
        (body, deps) => new CountOperation(toMessagesCount(body, headers, deps), onEstimate),
      );
    },
  };
}

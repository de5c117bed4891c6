/** Requests of `POST /v1/messages` and of `POST /v1/messages/count_tokens`. */

import { messages } from "../../../apis/messages/format.ts";
import { json, jsonOrEvents, toSchema } from "../../../apis/openapi.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import { type ConversionDeps, createChatOperation } from "../conversion_deps.ts";
import { KeyProviderIds } from "../responses/key_provider_ids.ts";
import {
  CountOperation,
  type CountRequest,
  toChatCounting,
  toNativeCounting,
} from "../counting.ts";
import { MessagesOperation } from "./messages_operation.ts";
import {
  type CountOutline,
  messagesRequest,
  readCountOutline,
  readOutline,
} from "../../../apis/messages/schema.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import { withoutOwnState } from "../../../apis/messages/native_answers.ts";
import { readMessagesRequest } from "../../../apis/messages/read_request.ts";
import type { OperationEndpoint } from "../../operation_kind.ts";
import { withVendorIds } from "../../../apis/chat/call_ids.ts";

/**
 * The count of a request of the Messages API.
 *
 * @param outline the body with the members that every target needs checked
 * @param headers the caller's headers that are part of the format, by their names in lower case
 */
function toMessagesCount(
  outline: CountOutline,
  headers: ReadonlyMap<string, string>,
  { features }: Pick<ConversionDeps, "features">,
): CountRequest {
  const { models: _, ...body } = outline;
  return {
    body,
    async toCounting(target, context) {
      const { adapter, settings } = target.provider;
      const api = adapter.native?.("messages", target.model, settings) ?? adapter.messagesCounter;
      if (api !== undefined) {
        const request = { body: withoutOwnState(body), headers, features };
        return toNativeCounting(api, request, target, context);
      }
      const convert = () => {
        const converted = readMessagesRequest(body, false);
        context.changes.include(converted.changes);
        return converted;
      };
      return await toChatCounting(convert, features, target, context);
    },
    estimate(family) {
      const { system, messages, tools } = withVendorIds(body);
      return countInput([system, messages], [tools]).tokens(family);
    },
    write: (tokens) => ({ input_tokens: tokens }),
  };
}

const API: ApiKind = { format: messages.name, idPrefix: messages.idPrefix, operation: "chat" };
const COUNT: ApiKind = { ...API, asksNoModel: true };

/**
 * Reads a request.
 *
 * @param headers the caller's headers that are part of the format
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readMessageRequest(
  body: unknown,
  headers: ReadonlyMap<string, string>,
): ParsedRequest {
  const outline = readOutline(body);
  const stream = outline.stream ?? false;
  return {
    models: { model: outline.model, models: outline.models ?? undefined },
    stream,
    caller: { api: API, body: outline, formatHeaders: headers },
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
function readCountRequest(
  body: unknown,
  headers: ReadonlyMap<string, string>,
  onEstimate: () => void,
): ParsedRequest {
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

/** The headers that belong to the format, in lower case. */
const HEADERS = ["anthropic-version", "anthropic-beta"];

const EXAMPLE = { messages: [{ role: "user", content: "Hello" }] };

/** `POST /v1/messages` and the endpoints below it. */
export const MESSAGES: readonly OperationEndpoint[] = [
  {
    path: "/v1/messages",
    explainedAs: "messages",
    schema: messagesRequest,
    describe() {
      const schema = toSchema(messagesRequest);
      const required = [...schema.required as readonly string[], "max_tokens"];
      return {
        tag: "Chat",
        summary: "Create a message in Anthropic's format",
        request: ["MessageRequest", { ...schema, required }],
        answers: jsonOrEvents("Message"),
        events: "MessageEvent",
        error: "MessagesError",
        example: { ...EXAMPLE, max_tokens: 100 },
      };
    },
    format: messages,
    read: (body, context) => readMessageRequest(body, context.formatHeaders(HEADERS)),
  },
  {
    path: "/v1/messages/count_tokens",
    explainedAs: "count_tokens",
    schema: messagesRequest,
    describe: () => ({
      tag: "Chat",
      summary: "Count the input tokens of a message",
      request: ["MessageTokenCountRequest", toSchema(messagesRequest)],
      answers: json("MessageTokenCount"),
      error: "MessagesError",
      example: EXAMPLE,
    }),
    format: messages,
    read: (body, context) =>
      readCountRequest(body, context.formatHeaders(HEADERS), () => context.noteEstimate()),
  },
];

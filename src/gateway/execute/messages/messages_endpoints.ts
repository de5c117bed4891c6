/** Requests of `POST /v1/messages` and of `POST /v1/messages/count_tokens`. */

import type { ConvertedRequest } from "../../../apis/chat/caller_format.ts";
import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { countInput, inputEstimate } from "../../../apis/chat/token_estimate.ts";
import { withVendorIds } from "../../../apis/chat/call_ids.ts";
import type { WriteOptions } from "../../../apis/messages/answer_parts.ts";
import { messages, messagesFormat } from "../../../apis/messages/format.ts";
import {
  MessageRecord,
  usesContainer,
  withMarkedContainers,
  withOwnContainer,
} from "../../../apis/messages/message_record.ts";
import { nativeAnswers, withoutOwnState } from "../../../apis/messages/native_answers.ts";
import { readMessagesRequest } from "../../../apis/messages/read_request.ts";
import {
  type CountOutline,
  messagesRequest,
  readCountOutline,
  readOutline,
} from "../../../apis/messages/schema.ts";
import { asksWebSearch } from "../../../apis/messages/web_search.ts";
import { json, jsonOrEvents, toSchema } from "../../../apis/openapi.ts";
import type { ProviderIds } from "../../../apis/responses/provider_ids.ts";
import { mayThinkUnasked, tokenFamilyOf } from "../../../apis/token_families.ts";
import type { Target } from "../../../config/config.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import type { ChatRequest } from "../../../contract/chat.ts";
import { withinDepth } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { ApiKind } from "../../feature.ts";
import type { OperationEndpoint } from "../../operation_kind.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import { isPlain, type NativeStreamParts } from "../continuation/continuation.ts";
import { createChatOperation } from "../create_operation.ts";
import { CountOperation, type CountRequest } from "../counting.ts";
import { type FormatChat, NativeOrConverted } from "../native_or_converted.ts";
import { KeyProviderIds } from "../responses/key_provider_ids.ts";

/** The parts of a request outside its body. */
interface MessageContext {
  /** The caller's headers that are part of the format, by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The vendor IDs that the caller may use; undefined if all service keys share them. */
  readonly ids: ProviderIds | undefined;
}

/** A request for a message. */
function toMessageChat(
  { models: _, ...body }: CountOutline,
  { headers, ids }: MessageContext,
): FormatChat {
  const { messages, system, tools } = body;
  const stream = body.stream === true;
  const input = inputEstimate(() => countInput([system, messages], [tools]));
  const optionsFor = (model: string): WriteOptions => ({
    stops: Array.isArray(body.stop_sequences) ? body.stop_sequences : [],
    omitsThinking: isObject(body.thinking) && body.thinking.display === "omitted",
    searches: asksWebSearch(body),
    estimate: () => input(tokenFamilyOf(model)),
  });
  let nativeBody: JsonObject | undefined;
  return {
    api: "messages",
    body,
    stream,
    estimate: (family) => ({ input: input(family), ...requestedOutput(body) }),
    readyFormat: () => messagesFormat(optionsFor("")),
    toNative({ provider }) {
      const shared = nativeBody ??= withoutOwnState(body);
      const own = ids === undefined ? shared : withOwnContainer(shared, ids, provider.settings.id);
      return { body: own, headers, stream };
    },
    readNative({ provider, model }, { record }) {
      const answers = ids === undefined || !usesContainer(body)
        ? nativeAnswers
        : withMarkedContainers(nativeAnswers, ids.marker(provider.settings.id));
      const recorded = record.continuesStreams
        ? toRecorded(body, optionsFor(model.base))
        : undefined;
      return { answers, recorded };
    },
    variantOf: (target) => `${takesMarkers(target.provider.adapter)} ${limitOf(body, target)}`,
    convert(target) {
      const converted = readMessagesRequest(body, takesMarkers(target.provider.adapter));
      return withLimit(converted, limitOf(body, target));
    },
    formatFor({ model }, changes) {
      const options = optionsFor(model.base);
      // Callers that did not request thinking expect none from models that think by default.
      const isOmitted = !asksThinking(body) && mayThinkUnasked(model.base);
      const onOmitted = () => changes.rename("thinking", "omitted");
      return messagesFormat(isOmitted ? { ...options, onOmitted } : options);
    },
  };
}

/** Records a stream, so that another target can continue it. */
function toRecorded(body: JsonObject, options: WriteOptions): NativeStreamParts {
  const record = new MessageRecord();
  const own = asksThinking(body) ? options : { ...options, onOmitted() {} };
  return {
    record,
    isPlain() {
      try {
        return isPlain(withinDepth(() => readMessagesRequest(body, false)).chat);
      } catch {
        return false;
      }
    },
    format: messagesFormat(options),
    createWriter: () => record.createWriter(own),
  };
}

function asksThinking({ thinking }: JsonObject): boolean {
  return isObject(thinking) && thinking.type !== "disabled";
}

/** Agents send the same `max_tokens` for every model, so it is reduced to the model's limit. */
function limitOf({ max_tokens }: JsonObject, { model: { facts } }: Target): number | undefined {
  const { max_output_tokens: most } = facts;
  return most !== undefined && typeof max_tokens === "number" && max_tokens > most
    ? most
    : undefined;
}

/** The converted request with the limit of a model. */
function withLimit(
  converted: ConvertedRequest,
  limit: number | undefined,
): ConvertedRequest {
  const { chat, changes } = converted;
  if (limit === undefined || chat.max_tokens === undefined) return converted;
  changes.convert("max_tokens", chat.max_tokens, limit);
  return { ...converted, chat: { ...chat, max_tokens: limit } as ChatRequest };
}

/** Whether an adapter places cache markers; servers of OpenAI's dialect may refuse them. */
function takesMarkers({ supports: { extensions } }: Adapter): boolean {
  return extensions !== "all" && Object.hasOwn(extensions, "cache_control");
}

/** A request to count the tokens of a message. */
function toMessageCount(
  outline: CountOutline,
  headers: ReadonlyMap<string, string>,
): CountRequest {
  const chat = toMessageChat(outline, { headers, ids: undefined });
  const input = inputEstimate(() => {
    const { messages, system, tools } = withVendorIds(chat.body);
    return countInput([system, messages], [tools]);
  });
  return {
    chat: {
      ...chat,
      estimate: (family) => ({ input: input(family), maxOutput: undefined }),
      convert: () => readMessagesRequest(chat.body, false),
    },
    counterOf: ({ provider: { adapter } }) => adapter.messagesCounter,
    write: (tokens) => ({ input_tokens: tokens }),
  };
}

const API: ApiKind = { format: messages.name, idPrefix: messages.idPrefix, operation: "chat" };
const COUNT: ApiKind = { ...API, callsNoModel: true };

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
        return new NativeOrConverted(toMessageChat(body, { headers, ids }), deps);
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
        (body, { features }) =>
          new CountOperation(toMessageCount(body, headers), features, onEstimate),
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

/** What the readers of both kinds of requests share: the checks of every body, and the chat. */

import type { ChatRequest, Message, Tool } from "../../chat/chat.ts";
import { FieldPaths, type MessagePaths } from "../../chat/field_paths.ts";
import { addTraits } from "../../chat/traits.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { copyTexts } from "../../core/json/number_texts.ts";
import { isText, present } from "../../core/json/values.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import { FIELDS, toParameters } from "./read_options.ts";

/** A converted request. */
export interface ConvertedRequest {
  readonly chat: ChatRequest;
  readonly origins: FieldPaths;
  /** What the conversion ignored or changed. */
  readonly receipt: Receipt;
}

/** A body whose members that every target needs are checked. */
export interface CheckedBody {
  readonly body: JsonObject;
  readonly model: string;
  /** Ollama streams unless told not to. */
  readonly stream: boolean;
}

/**
 * Checks the members that every target needs.
 *
 * @throws {GatewayError} `invalid_value` with the path of the fault in `param`.
 */
export function checkBody(body: unknown): CheckedBody {
  if (!isObject(body)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object");
  }
  // Older clients of some endpoints send `name`.
  const model = body.model ?? body.name;
  if (!isText(model)) throw invalidValue("model", "is required");
  const { stream } = body;
  if (stream != null && typeof stream !== "boolean") {
    throw invalidValue("stream", "must be true or false");
  }
  return { body, model, stream: stream ?? true };
}

/** The conversation of a request: messages, where each comes from, and tools. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly origins: readonly MessagePaths[];
  /** The path of the conversation in the body. */
  readonly path: string;
  readonly tools?: readonly Tool[] | undefined;
  readonly toolPaths?: readonly string[];
}

/** Creates the chat request of a conversation, with the settings of its body. */
export function toConverted(
  { body, model, stream }: CheckedBody,
  { messages, origins, path, tools, toolPaths = [] }: Conversation,
  receipt: Receipt,
): ConvertedRequest {
  const chat = present({
    model,
    messages,
    stream: stream || undefined,
    // The last line of every stream has the usage.
    stream_options: stream ? { include_usage: true } : undefined,
    tools,
    ...toParameters(body, receipt),
  });
  copyTexts(body, chat);
  const { think } = body;
  addTraits(chat, {
    isConverted: true,
    relaxesStrict: true,
    showsReasoning: think === true || isText(think),
  });
  return {
    chat: chat as unknown as ChatRequest,
    origins: new FieldPaths({
      messages: origins,
      tools: toolPaths,
      parameters: "parameters",
      conversation: path,
      fields: FIELDS,
    }),
    receipt,
  };
}

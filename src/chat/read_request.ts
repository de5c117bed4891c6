/** Validates and normalizes a request: null members and empty lists are removed. */

import { invalidValue } from "../core/invalid_value.ts";
import { type ChatRequest, chatRequestSchema, isObject, type JsonObject } from "./chat.ts";
import { GatewayError } from "../core/errors.ts";
import { withTextsOf } from "../core/json/number_texts.ts";
import { toPlainRequest } from "./plain_request.ts";
import { sentenceOf, shortPathOf, worstIssue } from "../core/validation_messages.ts";

/**
 * Validates a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readChatRequest(body: unknown): ChatRequest {
  if (!isObject(body)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object");
  }
  const plain = toPlainRequest(body);
  if (plain !== undefined) return plain;
  const result = chatRequestSchema.safeParse(body, { reportInput: true });
  if (result.success) return normalized(withTextsOf(body, result.data as ChatRequest));
  const issue = worstIssue(result.error.issues);
  throw invalidValue(shortPathOf(issue.path), sentenceOf(issue));
}

/** Removes null members, except `content`, for which OpenAI documents null. */
function normalized(request: ChatRequest): ChatRequest {
  dropNulls(request);
  for (const message of request.messages) normalizeMessage(message);
  for (const tool of request.tools ?? []) if (tool.type === "function") dropNulls(tool.function);
  for (const definition of request.functions ?? []) dropNulls(definition);
  dropNulls(request.stream_options);
  dropNulls(request.response_format?.json_schema);
  if (request.tools?.length === 0) delete request.tools;
  if (request.functions?.length === 0) delete request.functions;
  if (Array.isArray(request.stop) && request.stop.length === 0) delete request.stop;
  if (!request.stream) delete request.stream_options;
  return request;
}

function normalizeMessage(message: ChatRequest["messages"][number]): void {
  for (const key in message) if (message[key] === null && key !== "content") delete message[key];
  if (message.role === "assistant" && message.tool_calls?.length === 0) delete message.tool_calls;
  if (!Array.isArray(message.content)) return;
  for (const part of message.content) {
    if (part.type === "image_url") dropNulls(part.image_url);
    if (part.type === "file") dropNulls(part.file);
  }
}

function dropNulls(object: JsonObject | null | undefined): void {
  for (const key in object) if (object[key] === null) delete object[key];
}

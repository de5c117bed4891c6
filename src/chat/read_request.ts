/** Checks what a caller sends, and tidies it: null is absent, and so is an empty list. */

import { type ChatRequest, chatRequestSchema, isObject, type JsonObject } from "./chat.ts";
import { GatewayError } from "../core/errors.ts";
import { sentenceOf, shortPathOf, worstIssue } from "../core/validation_messages.ts";

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readChatRequest(body: unknown): ChatRequest {
  if (!isObject(body)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object");
  }
  const result = chatRequestSchema.safeParse(body, { reportInput: true });
  if (result.success) return tidied(result.data as ChatRequest);
  const issue = worstIssue(result.error.issues);
  const param = shortPathOf(issue.path);
  throw new GatewayError("invalid_value", `Invalid value for '${param}': ${sentenceOf(issue)}`, {
    param,
  });
}

/** Null stands for absent everywhere but in `content`, where OpenAI documents it. */
function tidied(request: ChatRequest): ChatRequest {
  dropNulls(request);
  for (const turn of request.messages) tidyTurn(turn);
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

function tidyTurn(turn: ChatRequest["messages"][number]): void {
  for (const key in turn) if (turn[key] === null && key !== "content") delete turn[key];
  if (turn.role === "assistant" && turn.tool_calls?.length === 0) delete turn.tool_calls;
  if (!Array.isArray(turn.content)) return;
  for (const part of turn.content) {
    if (part.type === "image_url") dropNulls(part.image_url);
    if (part.type === "file") dropNulls(part.file);
  }
}

function dropNulls(object: JsonObject | null | undefined): void {
  for (const key in object) if (object[key] === null) delete object[key];
}

/**
 * Chat requests of clients that mix formats: `input` of the Responses API in place of `messages`, and
 * tools in the shape of the Responses API or of Anthropic. Cursor sends such requests
 * (https://github.com/BerriAI/litellm/pull/34029, 2026-07-20). The answers are chat completions.
 */

import { type ChatRequest, isObject, type JsonObject } from "../../chat/chat.ts";
import type { FieldPaths } from "../../chat/field_paths.ts";
import { addTraits, traitsOf } from "../../chat/traits.ts";
import { chatCompletions } from "../../formats/chat_completions/format.ts";
import { inputItemsOf, readResponsesRequest } from "../../formats/responses/request.ts";
import { toChatRequest } from "../../formats/responses/to_chat.ts";
import { GatewayError } from "../../core/errors.ts";
import { isText, present } from "../../core/json/values.ts";
import { Receipt } from "../../providers/contract/receipt.ts";

/** A chat request, however the client wrote it. */
export interface ReadRequest {
  readonly chat: ChatRequest;
  /** The client's own fields, if they have other names. */
  readonly origins?: FieldPaths;
  /** What was converted; undefined for a request of this format. */
  readonly receipt?: Receipt;
}

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readLooseRequest(body: unknown): ReadRequest {
  if (!isObject(body)) return { chat: chatCompletions.readRequest(body) };
  const isResponses = body.input != null && body.messages == null;
  if (!isResponses && !hasLooseTools(body)) return { chat: chatCompletions.readRequest(body) };
  const receipt = new Receipt();
  if (isResponses) return readResponses(body, receipt);
  receipt.convert("tools");
  return { chat: chatCompletions.readRequest(withChatTools(body)), receipt };
}

function readResponses(body: JsonObject, receipt: Receipt): ReadRequest {
  const param = "previous_response_id";
  if (isText(body[param])) {
    throw new GatewayError(
      "unsupported_parameter",
      `'${param}' works only with POST /v1/responses: send the whole conversation`,
      { param },
    );
  }
  const request = readResponsesRequest(withFlatTools(body));
  const items = inputItemsOf(request).map((item, at) => ({ item, path: `input[${at}]` }));
  const { chat, ignored, origins } = toChatRequest(request, items);
  const merged: JsonObject = { ...chatMembers(body), ...chat };
  if (chat.max_completion_tokens !== undefined) delete merged.max_tokens;
  receipt.rename("input", "messages");
  for (const name of ignored) if (merged[name] === undefined) receipt.ignore(name);
  const { showsReasoning = false, webSearch } = traitsOf(chat);
  if (webSearch !== undefined) receipt.ignore(webSearch.tool);
  const read = chatCompletions.readRequest(merged);
  addTraits(read, { showsReasoning });
  return { chat: read, origins, receipt };
}

/** Members of chat completions that the Responses API names otherwise, or does not have. */
const CHAT_MEMBERS = [
  ...["max_tokens", "max_completion_tokens", "stop", "n", "seed", "stream_options"],
  ...["frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs"],
  ...["response_format", "reasoning_effort", "verbosity", "models", "provider"],
];

/** The members of a body that only chat completions have. */
function chatMembers(body: JsonObject): JsonObject {
  const members: JsonObject = {};
  for (const name of CHAT_MEMBERS) if (body[name] != null) members[name] = body[name];
  return members;
}

function hasLooseTools({ tools, tool_choice }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some(isLooseTool) || isLooseChoice(tool_choice);
}

/** Whether a tool has its name beside its type: as in the Responses API, or as in Anthropic's. */
function isLooseTool(tool: unknown): tool is JsonObject {
  if (!isObject(tool) || !isText(tool.name)) return false;
  const { type, function: called, custom } = tool;
  if (called !== undefined || custom !== undefined) return false;
  return type === undefined || type === null || type === "function" || type === "custom";
}

function isLooseChoice(choice: unknown): choice is JsonObject {
  if (!isObject(choice)) return false;
  const { type, name, function: called, custom } = choice;
  if (type === "auto" || type === "any" || type === "none") return true;
  return isText(name) && called === undefined && custom === undefined &&
    (type === "tool" || type === "function" || type === "custom");
}

/** The request with its tools in the shape of chat completions. */
function withChatTools(body: JsonObject): JsonObject {
  const { tools, tool_choice } = body;
  return {
    ...body,
    ...(Array.isArray(tools) && {
      tools: tools.map((tool) => isLooseTool(tool) ? toChatTool(tool) : tool),
    }),
    ...(isLooseChoice(tool_choice) && { tool_choice: toChatChoice(tool_choice) }),
  };
}

function toChatTool(tool: JsonObject): JsonObject {
  const { type, name, description, strict, format } = tool;
  if (isCustom(tool)) return { type, custom: present({ name, description, format }) };
  const parameters = tool.parameters ?? tool.input_schema;
  const { cache_control } = tool;
  return present({
    type: "function",
    function: present({ name, description, parameters, strict }),
    cache_control,
  });
}

/** Whether a tool takes text. Anthropic's functions may have the same type, and a schema. */
function isCustom({ type, input_schema }: JsonObject): boolean {
  return type === "custom" && input_schema === undefined;
}

function toChatChoice({ type, name }: JsonObject): unknown {
  switch (type) {
    case "auto":
    case "none":
      return type;
    case "any":
      return "required";
    case "custom":
      return { type, custom: { name } };
    default:
      return { type: "function", function: { name } };
  }
}

/** The request with its tools in the shape of the Responses API. */
function withFlatTools(body: JsonObject): JsonObject {
  const { tools, tool_choice } = body;
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: tools.map(toFlatTool) }),
    ...(isObject(tool_choice) && { tool_choice: toFlatChoice(tool_choice) }),
  };
}

function toFlatTool(tool: unknown): unknown {
  if (!isObject(tool)) return tool;
  if (isObject(tool.function)) return { type: "function", ...tool.function };
  if (!isLooseTool(tool) || isCustom(tool)) return tool;
  const { input_schema, ...rest } = tool;
  return present({ ...rest, type: "function", parameters: tool.parameters ?? input_schema });
}

function toFlatChoice(choice: JsonObject): unknown {
  if (isObject(choice.function)) return { type: "function", name: choice.function.name };
  if (!isLooseChoice(choice)) return choice;
  const chat = toChatChoice(choice);
  return isObject(chat)
    ? { type: choice.type === "custom" ? "custom" : "function", name: choice.name }
    : chat;
}

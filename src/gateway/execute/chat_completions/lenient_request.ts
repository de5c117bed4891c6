/**
 * Chat requests of clients that mix formats: `input` of the Responses API in place of `messages`,
 * and tools in the shape of the Responses API or of Anthropic. Cursor sends such requests
 * (https://github.com/BerriAI/litellm/pull/34029, 2026-07-20). The answers are chat completions.
 */

import { type ChatRequest, isObject, type JsonObject } from "../../../contract/chat.ts";
import type { FieldPaths } from "../../../apis/chat/field_paths.ts";
import { addTraits, traitsOf } from "../../../apis/chat/web_search.ts";
import { chatCompletions } from "../../../apis/chat_completions/format.ts";
import { toChatRequest } from "../../../apis/responses/to_chat.ts";
import { GatewayError } from "../../../core/errors.ts";
import { isText, present, toText } from "../../../core/json/values.ts";
import { toTextInput } from "../../../apis/chat/text_tools.ts";
import { RequestChanges } from "../../../contract/request_changes.ts";
import { inputItemsOf, readResponsesRequest } from "../../../apis/responses/request.ts";

/** A chat request in any of these forms. */
export interface LenientRequest {
  readonly chat: ChatRequest;
  /** The client's fields, if their names differ. */
  readonly origins?: FieldPaths;
  /** The conversions; undefined for a request of this format. */
  readonly changes?: RequestChanges;
}

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readLenientRequest(body: unknown): LenientRequest {
  if (!isObject(body)) return { chat: chatCompletions.readRequest(body) };
  const isResponses = body.input != null && body.messages == null;
  if (!isResponses && !hasLenientTools(body)) return { chat: chatCompletions.readRequest(body) };
  const changes = new RequestChanges();
  if (isResponses) return readResponses(body, changes);
  changes.convert("tools");
  return { chat: chatCompletions.readRequest(withChatTools(body)), changes };
}

function readResponses(body: JsonObject, changes: RequestChanges): LenientRequest {
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
  const { chat, changes: { ignored }, origins } = toChatRequest(request, items);
  const merged: JsonObject = { ...chatMembers(body), ...withCustomTools(chat, request.tools) };
  if (chat.max_completion_tokens !== undefined) delete merged.max_tokens;
  changes.rename("input", "messages");
  for (const name of ignored) if (merged[name] === undefined) changes.ignore(name);
  const { showsReasoning = false, webSearch } = traitsOf(chat);
  if (webSearch !== undefined) changes.ignore(webSearch.tool);
  const read = chatCompletions.readRequest(merged);
  addTraits(read, { isConverted: true, showsReasoning });
  return { chat: read, origins, changes };
}

/** Members of chat completions that have other names in the Responses API or do not exist there. */
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

function hasLenientTools({ tools, tool_choice }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some(isLenientTool) || isLenientChoice(tool_choice);
}

/** Whether a tool has its name next to its type, as in the Responses API or Anthropic's. */
function isLenientTool(tool: unknown): tool is JsonObject {
  if (!isObject(tool) || !isText(tool.name)) return false;
  const { type, function: called, custom } = tool;
  if (called !== undefined || custom !== undefined) return false;
  return type === undefined || type === null || type === "function" || type === "custom";
}

function isLenientChoice(choice: unknown): choice is JsonObject {
  if (!isObject(choice)) return false;
  const { type, name, function: called, custom } = choice;
  if (type === "auto" || type === "any" || type === "none") return true;
  return isText(name) && called === undefined && custom === undefined &&
    (type === "tool" || type === "function" || type === "custom");
}

/** The request with its tools in the shape of chat completions. */
function withChatTools(body: JsonObject): JsonObject {
  const { tools, tool_choice, messages } = body;
  const custom = customNames(tools);
  return {
    ...body,
    ...(custom.size > 0 && { messages: withCustomCalls(messages, custom) }),
    ...(Array.isArray(tools) && {
      tools: tools.map((tool) => isLenientTool(tool) ? toChatTool(tool) : tool),
    }),
    ...(isLenientChoice(tool_choice) && { tool_choice: toChatChoice(tool_choice) }),
  };
}

function toChatTool(tool: JsonObject): JsonObject {
  const { type, name, description, strict, format } = tool;
  if (isCustom(tool)) {
    return { type, custom: present({ name, description, format: toChatFormat(format) }) };
  }
  const parameters = tool.parameters ?? tool.input_schema;
  const { cache_control } = tool;
  return present({
    type: "function",
    function: present({ name, description, parameters, strict }),
    cache_control,
  });
}

/** The format of a custom tool, whose grammar is one level deeper in chat completions. */
function toChatFormat(format: unknown): unknown {
  if (!isObject(format) || format.type !== "grammar" || isObject(format.grammar)) return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

/** The names of custom tools in any shape. */
function customNames(tools: unknown): ReadonlySet<unknown> {
  const custom = (Array.isArray(tools) ? tools : []).filter(isObject).filter(isCustom);
  return new Set(custom.map((tool) => isObject(tool.custom) ? tool.custom.name : tool.name));
}

/**
 * Messages with calls of custom tools as such. Cursor returns them as function calls whose
 * arguments are the input (https://github.com/icebear0828/codex-proxy/pull/708, 2026-08-14).
 */
function withCustomCalls(messages: unknown, names: ReadonlySet<unknown>): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message) =>
    isObject(message) && Array.isArray(message.tool_calls)
      ? { ...message, tool_calls: message.tool_calls.map((call) => toCustomCall(call, names)) }
      : message
  );
}

function toCustomCall(call: unknown, names: ReadonlySet<unknown>): unknown {
  if (!isObject(call)) return call;
  const { function: called, ...others } = call;
  if (isObject(others.custom)) return others;
  if (!isObject(called) || !names.has(called.name)) return call;
  const { name, arguments: input } = called;
  return { ...others, type: "custom", custom: { name, input: toTextInput(toText(input)) } };
}

/** A converted request with its custom tools instead of the functions that replace them. */
function withCustomTools(chat: ChatRequest, given: readonly unknown[] | undefined): ChatRequest {
  const custom = customNames(given);
  if (custom.size === 0) return chat;
  const tools = new Map(given?.filter(isObject).filter(isCustom).map((tool) => [tool.name, tool]));
  const { tool_choice: choice } = chat;
  const chosen = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
  return {
    ...chat,
    messages: withCustomCalls(chat.messages, custom),
    tools: chat.tools?.map((tool) => {
      const own = tool.type === "function" ? tools.get(tool.function.name) : undefined;
      return own === undefined ? tool : toChatTool(own);
    }),
    ...(custom.has(chosen) && { tool_choice: { type: "custom", custom: { name: chosen } } }),
  } as ChatRequest;
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
  if (!isLenientTool(tool) || isCustom(tool)) return tool;
  const { input_schema, ...rest } = tool;
  return present({ ...rest, type: "function", parameters: tool.parameters ?? input_schema });
}

function toFlatChoice(choice: JsonObject): unknown {
  if (isObject(choice.function)) return { type: "function", name: choice.function.name };
  if (!isLenientChoice(choice)) return choice;
  const chat = toChatChoice(choice);
  return isObject(chat)
    ? { type: choice.type === "custom" ? "custom" : "function", name: choice.name }
    : chat;
}

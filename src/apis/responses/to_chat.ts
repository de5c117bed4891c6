/** Converts a Responses request to a chat request. */

import type { ChatRequest, Message } from "../../contract/chat.ts";
import { RequestChanges } from "../../contract/request_changes.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { ConvertedRequest } from "../chat/caller_format.ts";
import { type FieldName, FieldPaths, type MessagePaths } from "../chat/field_paths.ts";
import { addTraits } from "../chat/web_search.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { copyTexts } from "../../core/json/number_texts.ts";
import { isText } from "../../core/json/values.ts";
import { ConversationReader, type PlacedItem } from "./conversation.ts";
import { convertChoice, convertTools, type ToolList, type ToolNames } from "./tools.ts";
import { INCLUDE_PAGES, type ResponsesRequest } from "./request.ts";

/** A request for targets that have only chat. */
export interface ConvertedResponses extends ConvertedRequest {
  readonly names: ToolNames;
  /** Whether the answer is a summary of the conversation. */
  readonly compacts: boolean;
}

/** Members that have the same meaning in a chat request. */
const SAME = [
  "model",
  "stream",
  "temperature",
  "top_p",
  "parallel_tool_calls",
  "metadata",
  "service_tier",
  "user",
  "safety_identifier",
  "prompt_cache_key",
] as const;

/** The names of chat parameters here. */
const FIELDS: readonly FieldName[] = [
  ["max_completion_tokens", "max_output_tokens"],
  ["max_tokens", "max_output_tokens"],
  ["reasoning_effort", "reasoning.effort"],
  ["response_format.json_schema", "text.format", "same"],
  ["response_format", "text.format"],
  ["verbosity", "text.verbosity"],
  ["logprobs", "top_logprobs"],
  ["top_logprobs", "top_logprobs"],
  ["tool_choice", "tool_choice"],
  ...SAME.map((name): FieldName => [name, name, "same"]),
];

/** Members that are converted, or that the gateway handles itself. */
const HANDLED = new Set<string>([
  ...SAME,
  "models",
  "input",
  "instructions",
  "max_output_tokens",
  "top_logprobs",
  "tools",
  "tool_choice",
  "text",
  "reasoning",
  "include",
  "store",
  "previous_response_id",
  // It only affects members that the vendor adds to its stream.
  "stream_options",
]);

/** Default values. */
const DEFAULTS = new Map<string, unknown>([["background", false], ["truncation", "disabled"]]);

/** Members that require a vendor with this API. */
const NATIVE_ONLY = ["conversation", "prompt"] as const;

/**
 * Converts a request.
 *
 * @param items the conversation, including earlier answers
 * @throws {GatewayError} `invalid_value` for a fault, `unsupported_parameter` and
 * `unsupported_content` for features that only a target with this API has.
 */
export function toChatRequest(
  request: ResponsesRequest,
  items: readonly PlacedItem[],
): ConvertedResponses {
  refuseNativeOnly(request);
  const converted = convertTools(toolListsOf(request, items));
  const choice = convertChoice(request, converted);
  const { tools, names, dropped, webSearch } = converted;
  const { messages, ignored, origins, compacts } = toMessages(request, items);
  const chat: JsonObject = { messages };
  for (const name of SAME) if (request[name] !== undefined) chat[name] = request[name];
  if (tools.length > 0) chat.tools = tools;
  else delete chat.parallel_tool_calls;
  // Tools are kept, so that the conversation matches the vendors' caches.
  if (compacts && tools.length > 0) chat.tool_choice = "none";
  else if (choice !== undefined) chat.tool_choice = choice;
  if (request.max_output_tokens !== undefined) {
    chat.max_completion_tokens = request.max_output_tokens;
  }
  Object.assign(chat, toText(request), toReasoning(request), toLogprobs(request));
  copyTexts(request, chat);
  const { summary, generate_summary: older } = request.reasoning ?? {};
  addTraits(chat, { isConverted: true, showsReasoning: isText(summary ?? older), webSearch });
  const changes = new RequestChanges();
  for (const name of ignored) changes.ignore(name);
  for (const type of dropped) changes.ignore(`tools.${type}`);
  for (const name of ignoredMembers(request)) changes.ignore(name);
  const search: readonly FieldName[] = webSearch === undefined
    ? []
    : [["web_search_options", webSearch.tool, "same"]];
  const parts = { messages: origins, tools: converted.paths, fields: [...search, ...FIELDS] };
  return {
    chat: chat as ChatRequest,
    names,
    origins: new FieldPaths({ ...parts, parameters: "parameters", conversation: "input" }),
    changes,
    compacts,
  };
}

function refuseNativeOnly(request: ResponsesRequest): void {
  const given = NATIVE_ONLY.find((name) => request[name] !== undefined);
  const name = given ?? (request.background === true ? "background" : undefined);
  if (name === undefined) return;
  throw new GatewayError(
    "unsupported_parameter",
    `'${name}' works only with a provider that has the Responses API itself: the model ` +
      "that the caller requested is reached through another API",
    { param: name },
  );
}

function toolListsOf(
  { tools = [] }: ResponsesRequest,
  items: readonly PlacedItem[],
): readonly ToolList[] {
  const further = items.filter(({ item }) => item.type === "additional_tools")
    .map(({ item, path }) => ({
      path: `${path}.tools`,
      tools: Array.isArray(item.tools) ? item.tools : [],
    }));
  return [{ path: "tools", tools }, ...further];
}

function toMessages(
  { instructions }: ResponsesRequest,
  items: readonly PlacedItem[],
): ToldConversation {
  const reader = new ConversationReader(instructions);
  for (const item of items) reader.push(item);
  const messages = reader.end();
  const { compacts, ignored, origins } = reader;
  return { messages, compacts, ignored, origins };
}

interface ToldConversation {
  readonly messages: readonly Message[];
  readonly origins: readonly MessagePaths[];
  readonly ignored: ReadonlySet<string>;
  readonly compacts: boolean;
}

function toText({ text = {} }: ResponsesRequest): JsonObject {
  const { format, verbosity } = text;
  return {
    ...(isText(verbosity) && { verbosity }),
    ...(format && format.type !== "text" && { response_format: toFormat(format) }),
  };
}

/** A schema has its name and flags next to the type here; other formats pass unchanged. */
function toFormat(format: JsonObject): JsonObject {
  const { type, ...schema } = format;
  if (type !== "json_schema") return format;
  if (!isText(schema.name)) throw invalidValue("text.format.name", "is required");
  return { type, json_schema: withoutNulls(schema) };
}

function withoutNulls(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** Reasoning is always returned as a summary, so `summary` is not converted. */
function toReasoning({ reasoning }: ResponsesRequest): JsonObject {
  const effort = reasoning?.effort;
  return isText(effort) ? { reasoning_effort: effort } : {};
}

const INCLUDE_LOGPROBS = "message.output_text.logprobs";
/** Reasoning state is always returned. */
const INCLUDE_STATE = "reasoning.encrypted_content";

const INCLUDED = new Set<unknown>([INCLUDE_LOGPROBS, INCLUDE_STATE, INCLUDE_PAGES]);

function toLogprobs({ top_logprobs, include = [] }: ResponsesRequest): JsonObject {
  if (!top_logprobs && !include.includes(INCLUDE_LOGPROBS)) return {};
  return { logprobs: true, ...(top_logprobs !== undefined && { top_logprobs }) };
}

function* ignoredMembers(request: ResponsesRequest): Iterable<string> {
  for (const name of Object.keys(request)) {
    if (HANDLED.has(name) || request[name] === undefined) continue;
    if (!DEFAULTS.has(name) || DEFAULTS.get(name) !== request[name]) yield name;
  }
  for (const entry of request.include ?? []) {
    if (!INCLUDED.has(entry)) yield `include.${entry}`;
  }
  const { effort: _, summary: _asked, generate_summary: _older, ...others } = isObject(
      request.reasoning,
    )
    ? request.reasoning
    : {};
  for (const name of Object.keys(others)) yield `reasoning.${name}`;
}

/** Renames the tools of a chat request whose names a vendor refuses. */

import {
  type ChatRequest,
  isObject,
  isServerTool,
  type JsonObject,
  type Message,
  type ToolCall,
  type ToolChoice,
} from "../../../chat/chat.ts";
import type { NameRule } from "../../contract/refusals.ts";
import { uniquely } from "../unique_names.ts";

/** Names that a vendor accepts, by the caller's names. */
export type SentNames = ReadonlyMap<string, string>;

/** The name that a vendor accepts; `fallback` if nothing is left. */
function toAcceptedName(name: string, rule: NameRule, fallback = "tool"): string {
  const plain = name.replace(rule.refused, "_");
  const begun = rule.start === undefined || rule.start.test(plain) ? plain : `_${plain}`;
  return begun.slice(0, rule.maxLength) || fallback;
}

/**
 * The new names of those that the vendor refuses. No two names become equal, and the same list
 * always gives the same names.
 */
export function renameRefused(names: readonly string[], rule: NameRule): SentNames {
  if (names.every((name) => isAccepted(name, rule))) return NO_NAMES;
  const unique = uniquely((name) => toAcceptedName(name, rule), rule.maxLength ?? Infinity);
  const distinct = new Set(names);
  // Names that stay the same are taken first.
  for (const name of distinct) if (isAccepted(name, rule)) unique(name);
  const refused = [...distinct].filter((name) => !isAccepted(name, rule));
  return new Map(refused.map((name) => [name, unique(name)]));
}

function isAccepted(name: string, { refused, start, maxLength = Infinity }: NameRule): boolean {
  return name !== "" && name.length <= maxLength && name.search(refused) === -1 &&
    (start === undefined || start.test(name));
}

const NO_NAMES: SentNames = new Map();

/** Whether a request has tools, or calls of tools. */
export function usesTools({ tools, functions, messages }: ChatRequest): boolean {
  return tools !== undefined || functions !== undefined || messages.some(calls);
}

function calls(message: Message): boolean {
  return message.role === "assistant" &&
    (message.tool_calls != null || message.function_call != null);
}

/** The new names of the tools that the vendor refuses: of defined tools, then of earlier calls. */
export function toSentNames(request: ChatRequest, rule: NameRule): SentNames {
  return renameRefused([...namesIn(request)], rule);
}

function* namesIn({ tools = [], functions = [], messages }: ChatRequest): Iterable<string> {
  for (const tool of tools) {
    if (isServerTool(tool)) continue;
    yield tool.type === "function" ? tool.function.name : tool.custom.name;
  }
  for (const { name } of functions) yield name;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) {
      yield call.type === "function" ? call.function.name : call.custom.name;
    }
    if (message.function_call?.name) yield message.function_call.name;
  }
}

/** The request with new names of tools. */
export function withToolNames(request: ChatRequest, names: SentNames): ChatRequest {
  const { tools, functions, tool_choice, function_call, messages } = request;
  return {
    ...request,
    messages: messages.map((message) => withNamesOfTurn(message, names)),
    ...(tools && {
      tools: tools.map((tool) => isServerTool(tool) ? tool : withInnerName(tool, names)),
    }),
    ...(functions && { functions: functions.map((one) => withName(one, names)) }),
    ...(tool_choice && { tool_choice: withNameOfChoice(tool_choice, names) }),
    ...(isObject(function_call) && { function_call: withName(function_call, names) }),
  };
}

function withNamesOfTurn(message: Message, names: SentNames): Message {
  if (message.role === "tool" || message.role === "function") return withName(message, names);
  if (message.role !== "assistant" || !calls(message)) return message;
  const { tool_calls, function_call } = message;
  return {
    ...message,
    ...(tool_calls && {
      tool_calls: tool_calls.map((call): ToolCall => withInnerName(call, names)),
    }),
    ...(function_call && { function_call: withName(function_call, names) }),
  };
}

function withNameOfChoice(choice: ToolChoice, names: SentNames): ToolChoice {
  if (typeof choice === "string") return choice;
  if (choice.type !== "allowed_tools") return withInnerName(choice, names);
  const { allowed_tools } = choice;
  const tools = allowed_tools.tools.map((tool) => withName(withInnerName(tool, names), names));
  return { ...choice, allowed_tools: { ...allowed_tools, tools } };
}

/** Renames `{type: "function", function: {name}}`, and the same with `custom`. */
function withInnerName<Owner extends JsonObject>(owner: Owner, names: SentNames): Owner {
  const member = owner.type === "custom" ? "custom" : "function";
  const inner = owner[member];
  if (!isObject(inner)) return owner;
  const renamed = withName(inner, names);
  return renamed === inner ? owner : { ...owner, [member]: renamed };
}

function withName<Owner extends JsonObject>(owner: Owner, names: SentNames): Owner {
  const name = typeof owner.name === "string" ? names.get(owner.name) : undefined;
  return name === undefined ? owner : { ...owner, name };
}

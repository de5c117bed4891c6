/** Decides whether the mock calls a tool, and with which arguments. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { toValue } from "./schema.ts";
import { lastTextOf } from "./words.ts";

/** A call of a tool. */
export interface MockCall {
  readonly name: string;
  readonly arguments: string;
}

/** The UTF-16 units of a prompt that are searched for tool names. */
const MAX_SEARCHED = 10_000;

/**
 * Calls the tool that `tool_choice` names, the first one if it requires a call, else the first one
 * that the user's last text names. The arguments match its schema.
 */
export function toCall(body: JsonObject, messages: readonly JsonObject[]): MockCall | undefined {
  if (messages.at(-1)?.role === "tool" || !Array.isArray(body.tools)) return undefined;
  const tools = new Map<string, JsonObject>();
  for (const { function: tool } of body.tools.filter(isObject)) {
    if (isObject(tool) && !tools.has(String(tool.name))) tools.set(String(tool.name), tool);
  }
  const tool = chosen(body.tool_choice, tools, messages);
  if (tool === undefined) return undefined;
  const values = isObject(tool.parameters) ? toValue(tool.parameters) : {};
  return { name: String(tool.name), arguments: JSON.stringify(isObject(values) ? values : {}) };
}

function chosen(
  choice: unknown,
  tools: ReadonlyMap<string, JsonObject>,
  messages: readonly JsonObject[],
): JsonObject | undefined {
  if (choice === "none") return undefined;
  const named = namedIn(messages.findLast(({ role }) => role === "user"), tools);
  if (choice === "required") return named ?? first(tools);
  if (!isObject(choice)) return named;
  if (isObject(choice.function)) return tools.get(String(choice.function.name)) ?? first(tools);
  return choice.type === "any" ? named ?? first(tools) : named;
}

function first(tools: ReadonlyMap<string, JsonObject>): JsonObject | undefined {
  return tools.values().next().value;
}

/** The first tool that a message names, as a whole word. */
function namedIn(
  message: JsonObject | undefined,
  tools: ReadonlyMap<string, JsonObject>,
): JsonObject | undefined {
  const words = lastTextOf(message?.content).slice(0, MAX_SEARCHED).match(/[\w-]+/g) ?? [];
  const name = words.find((word) => tools.has(word));
  return name === undefined ? undefined : tools.get(name);
}

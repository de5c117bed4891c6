/**
 * The legacy `functions` and `function_call`. Every answer has `tool_calls`, and OpenAI's answers
 * also have `function_call`. Callers may send back either or both.
 */

import { type ChatRequest, isObject, type JsonObject, type Message } from "../../chat/chat.ts";
import { isText } from "../../core/json/values.ts";

/**
 * Converts `function_call` and messages of role `function` to tool calls and results. Every message
 * keeps its index, so that paths in errors remain valid.
 */
export function withoutLegacy(messages: readonly Message[]): readonly Message[] {
  let id = "";
  return withoutDuplicateCalls(messages).map((message, index): Message => {
    if (message.role === "assistant" && message.function_call != null) {
      const { function_call, ...turn } = message;
      id = `call_${index}`;
      const call = { id, type: "function" as const, function: function_call };
      return { ...turn, tool_calls: [...(turn.tool_calls ?? []), call] };
    }
    if (message.role !== "function") return message;
    return { role: "tool", tool_call_id: id, content: message.content ?? "" };
  });
}

/**
 * Removes duplicate calls: a message with `function_call` and `tool_calls` keeps the one that its
 * result refers to.
 */
export function withoutDuplicateCalls(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(hasFunctionCall)) return messages;
  return messages.map((message, index): Message => {
    if (message.role !== "assistant" || message.function_call == null) return message;
    const { function_call, tool_calls, ...turn } = message;
    // Some servers send an empty call with every answer. A call without a name is ignored.
    if (function_call.name === "") return tool_calls == null ? turn : { ...turn, tool_calls };
    if (tool_calls == null) return message;
    return messages[index + 1]?.role === "function"
      ? { ...turn, function_call }
      : { ...turn, tool_calls };
  });
}

/**
 * Adds `tool_calls` for a legacy `function_call`, since every answer must have them. Removes a call
 * without a name, except in a delta, which may continue an earlier call.
 */
export function addToolCalls(message: JsonObject, isDelta: boolean): void {
  const { function_call: call } = message;
  if (!isObject(call)) return;
  if (!isText(call.name) && !(isDelta && call.arguments)) delete message.function_call;
  else if (!Array.isArray(message.tool_calls)) message.tool_calls = [{ function: call }];
}

/** Records that legacy fields are sent under their current names. */
export function noteLegacyTools({ request, receipt }: LegacyCall): void {
  if (request.functions === undefined) return;
  receipt.rename("functions", "tools");
  if (request.function_call !== undefined) receipt.rename("function_call", "tool_choice");
}

function hasFunctionCall(message: Message): boolean {
  return message.role === "assistant" && message.function_call != null;
}

interface LegacyCall {
  readonly request: ChatRequest;
  readonly receipt: { rename(parameter: string, to: string): void };
}

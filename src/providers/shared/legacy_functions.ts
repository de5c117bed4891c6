/**
 * The `functions` of old: every answer has `tool_calls`, and OpenAI's own a
 * `function_call` beside them; callers may come back with either, or with both.
 */

import { type ChatRequest, isObject, type JsonObject, type Message } from "../../chat/chat.ts";

/**
 * The messages with `function_call` and role `function` told as tool calls and
 * results. Every message keeps its place, so that paths stay right.
 */
export function withoutLegacy(messages: readonly Message[]): readonly Message[] {
  let id = "";
  return withoutTwins(messages).map((message, index): Message => {
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
 * The messages with each call told once: those of our answers that say it by
 * its old and its new name keep the one that their result goes by.
 */
export function withoutTwins(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(hasFunctionCall)) return messages;
  return messages.map((message, index): Message => {
    if (message.role !== "assistant" || message.function_call == null) return message;
    const { function_call, tool_calls, ...turn } = message;
    // Some servers send an empty call with every answer: without a name it is none.
    if (function_call.name === "") return tool_calls == null ? turn : { ...turn, tool_calls };
    if (tool_calls == null) return message;
    return messages[index + 1]?.role === "function"
      ? { ...turn, function_call }
      : { ...turn, tool_calls };
  });
}

/**
 * Tells a function call of old as a tool call too, which is what callers are promised. A call
 * without a name is none, and is left out; a delta without one may add to a call that has begun.
 */
export function tellFunctionCall(message: JsonObject, isDelta: boolean): void {
  const { function_call: call } = message;
  if (!isObject(call)) return;
  if (!isText(call.name) && !(isDelta && call.arguments)) delete message.function_call;
  else if (!Array.isArray(message.tool_calls)) message.tool_calls = [{ function: call }];
}

/** Notes the old names of tools, which every vendor gets under the new ones. */
export function noteLegacyTools({ request, receipt }: LegacyCall): void {
  if (request.functions === undefined) return;
  receipt.rename("functions", "tools");
  if (request.function_call !== undefined) receipt.rename("function_call", "tool_choice");
}

function hasFunctionCall(message: Message): boolean {
  return message.role === "assistant" && message.function_call != null;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

interface LegacyCall {
  readonly request: ChatRequest;
  readonly receipt: { rename(parameter: string, to: string): void };
}

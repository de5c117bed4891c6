/** Converts a conversation to Cohere's messages. */

import { type JsonObject, type Message, textOf } from "../../contract/chat.ts";
import { type ConversionPlan, thinks } from "./plan.ts";
import { contentPath, withoutLegacy } from "../shared/messages.ts";
import { type PairedCall, pairTools, resultsByCall } from "../../apis/tool_pairing.ts";
import { present } from "../../core/json/values.ts";
import { unsupportedContent } from "../shared/errors.ts";
import type { Call } from "../../contract/vendor_request.ts";
import { invalidValue } from "../../core/errors.ts";

/**
 * Converts the messages: nothing is empty, and tool results follow their calls in order. Records in
 * the receipt how the answer becomes JSON.
 */
export function toMessages(call: Call, plan: ConversionPlan): readonly JsonObject[] {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, (id) => id || "call");
  const results = resultsByCall(pairing);
  const sent: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.changes.ignore("messages.name");
    if (message.role === "tool") continue;
    const calls = pairing.calls.get(index) ?? [];
    if (calls.length > 0) sent.push(toCallTurn(message, index, calls, call));
    else {
      const role = message.role === "developer" ? "system" : message.role;
      const content = toContent(message, index);
      if (content !== undefined) sent.push({ role, content });
    }
    for (const toolCall of calls) {
      const answer = messages[results.get(toolCall) ?? -1];
      if (answer) sent.push(toResult(answer, results.get(toolCall) ?? -1, toolCall, call));
    }
  }
  if (sent.length === 0) {
    throw invalidValue("messages", "at least one message must contain text");
  }
  return withHint(sent, call, plan);
}

/** Adds the instruction about JSON after the caller's first instructions. */
function withHint(
  sent: JsonObject[],
  { request, changes }: Call,
  { json }: ConversionPlan,
): JsonObject[] {
  const type = request.response_format?.type;
  if (json.by === "instruction") changes.rename("response_format", "messages");
  else if (json.by === "format" && type === "json_schema") {
    changes.convert("response_format", type, "json_object");
    if (json.changed) changes.convert("response_format.json_schema");
  } else if (json.by === "nothing" && type !== undefined && type !== "text") {
    changes.ignore("response_format");
  }
  if (json.hint === undefined) return sent;
  changes.add("messages");
  const first = sent.findIndex(({ role }) => role !== "system");
  const hint = { role: "system", content: json.hint };
  return sent.toSpliced(first === -1 ? sent.length : first, 0, hint);
}

/** The content without blank texts, which the vendor rejects; undefined when nothing remains. */
function toContent(message: Message, index: number): unknown {
  const { role, content } = message;
  if (typeof content === "string" && content.trim() !== "") return content;
  const parts: JsonObject[] = [];
  const addText = (text: string) => void (text.trim() !== "" && parts.push({ type: "text", text }));
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    if (part.type === "text") addText(part.text);
    else if (part.type === "refusal") addText(part.refusal);
    else if (part.type === "image_url" && role === "user") {
      const { url, detail } = part.image_url;
      parts.push({ type: "image_url", image_url: present({ url, detail: detail ?? undefined }) });
    } else {
      throw unsupportedContent(
        contentPath(index, at),
        `messages of role '${role}' may contain only text`,
      );
    }
  }
  if (role === "assistant" && message.refusal) addText(message.refusal);
  return parts.length > 0 ? parts : undefined;
}

/**
 * Converts a message with tool calls. `tool_plan` contains its plan, which callers receive as
 * reasoning if there is no text. Thinking models need their past thinking:
 * https://docs.cohere.com/docs/reasoning (2026-08).
 */
function toCallTurn(
  message: Message,
  index: number,
  calls: readonly PairedCall[],
  call: Call,
): JsonObject {
  const { model: { base, facts } } = call;
  const content = toContent(message, index);
  const joinedText = Array.isArray(content) ? content.map(({ text }) => text).join("") : content;
  const { reasoning_content } = message;
  const reasoning = typeof reasoning_content === "string" && reasoning_content.trim() !== ""
    ? reasoning_content
    : undefined;
  const thinking = reasoning !== undefined && thinks(base, facts);
  return present({
    role: "assistant",
    tool_plan: joinedText ?? (thinking ? undefined : reasoning),
    content: thinking ? [{ type: "thinking", thinking: reasoning }] : undefined,
    tool_calls: calls.map((toolCall, at) => ({
      id: toolCall.id,
      type: "function",
      function: {
        name: toolCall.name,
        arguments: toArguments(message, at, toolCall),
      },
    })),
  });
}

/** The original text of the arguments if it is an object, since parsing may lose digits. */
function toArguments(message: Message, at: number, { input }: PairedCall): string {
  const toolCall = message.role === "assistant" ? message.tool_calls?.[at] : undefined;
  const text = toolCall?.type === "function" ? toolCall.function.arguments : "";
  // Malformed arguments are a member of the input.
  const isObjectText = text.trimStart().startsWith("{") && input.arguments !== text;
  return isObjectText ? text : JSON.stringify(input);
}

function toResult(
  message: Message,
  index: number,
  { id }: PairedCall,
  { changes }: Call,
): JsonObject {
  // Rejects all content except text.
  toContent(message, index);
  const text = textOf(message.content);
  if (text.trim() === "") changes.add("messages");
  const content = text.trim() === "" ? EMPTY_RESULT : text;
  return { role: "tool", tool_call_id: id, content };
}

const EMPTY_RESULT = "(empty)";

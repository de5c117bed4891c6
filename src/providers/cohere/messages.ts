/** A conversation in Cohere's messages. */

import { isObject, type JsonObject, type Message, textOf } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Call } from "../contract/adapter.ts";
import { type Plan, thinks, toName } from "./plan.ts";
import { withoutLegacy } from "../shared/legacy_functions.ts";
import { contentPath, pairTools, present, resultsByCall, unsupported } from "../shared/turns.ts";
import type { PairedCall } from "../shared/turns.ts";

/**
 * The messages in the vendor's form: nothing empty, and the results of a turn
 * behind its calls, in their order. Tells the receipt how the answer is JSON.
 */
export function toMessages(call: Call, plan: Plan): readonly JsonObject[] {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, (id) => id || "call");
  const results = resultsByCall(pairing);
  const sent: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.receipt.ignore("messages.name");
    if (message.role === "tool") continue;
    const calls = pairing.calls.get(index) ?? [];
    if (calls.length > 0) sent.push(toCallTurn(message, index, calls, call, plan));
    else {
      const role = message.role === "developer" ? "system" : message.role;
      const content = toContent(message, index);
      if (content !== undefined) sent.push({ role, content });
    }
    for (const asked of calls) {
      const answer = messages[results.get(asked) ?? -1];
      if (answer) sent.push(toResult(answer, results.get(asked) ?? -1, asked, call));
    }
  }
  if (sent.length === 0) {
    const text = "Invalid value for 'messages': at least one message must hold text";
    throw new GatewayError("invalid_value", text, { param: "messages" });
  }
  return withHint(sent, call, plan);
}

/** What the prompt has to say of JSON comes after the caller's own first instructions. */
function withHint(sent: JsonObject[], { request, receipt }: Call, { json }: Plan): JsonObject[] {
  const type = request.response_format?.type;
  if (json.by === "instruction") receipt.rename("response_format", "messages");
  else if (json.by === "format" && type === "json_schema") {
    receipt.convert("response_format", type, "json_object");
    if (json.changed) receipt.convert("response_format.json_schema");
  } else if (json.by === "nothing" && type !== undefined && type !== "text") {
    receipt.ignore("response_format");
  }
  if (json.hint === undefined) return sent;
  receipt.add("messages");
  const first = sent.findIndex(({ role }) => role !== "system");
  const hint = { role: "system", content: json.hint };
  return sent.toSpliced(first === -1 ? sent.length : first, 0, hint);
}

/** A message's content without what is blank, which the vendor refuses; undefined when all is. */
function toContent(message: Message, index: number): unknown {
  const { role, content } = message;
  if (typeof content === "string" && content.trim() !== "") return content;
  const parts: JsonObject[] = [];
  const say = (text: string) => void (text.trim() !== "" && parts.push({ type: "text", text }));
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    if (part.type === "text") say(part.text);
    else if (part.type === "refusal") say(part.refusal);
    else if (part.type === "image_url" && role === "user") {
      const { url, detail } = part.image_url;
      parts.push({ type: "image_url", image_url: present({ url, detail: detail ?? undefined }) });
    } else {
      throw unsupported(contentPath(index, at), `messages of role '${role}' hold text only`);
    }
  }
  if (role === "assistant" && message.refusal) say(message.refusal);
  return parts.length > 0 ? parts : undefined;
}

/**
 * A turn that calls tools says what it is about to do in `tool_plan`, which
 * callers get as reasoning where there is no text beside the calls. Models that
 * think want their thinking back: https://docs.cohere.com/docs/reasoning (2026-08).
 */
function toCallTurn(
  message: Message,
  index: number,
  calls: readonly PairedCall[],
  call: Call,
  plan: Plan,
): JsonObject {
  const { model: { base, facts } } = call;
  const content = toContent(message, index);
  const said = Array.isArray(content) ? content.map(({ text }) => text).join("") : content;
  const { reasoning_content } = message;
  const reasoning = typeof reasoning_content === "string" && reasoning_content.trim() !== ""
    ? reasoning_content
    : undefined;
  const thinking = reasoning !== undefined && thinks(base, facts);
  return present({
    role: "assistant",
    tool_plan: said ?? (thinking ? undefined : reasoning),
    content: thinking ? [{ type: "thinking", thinking: reasoning }] : undefined,
    tool_calls: calls.map((asked, at) => ({
      id: asked.id,
      type: "function",
      function: {
        name: plan.names.get(asked.name) ?? toName(asked.name),
        arguments: toArguments(message, at, asked),
      },
    })),
  });
}

/** As the model wrote them where that is an object, since numbers may exceed what we can read. */
function toArguments(message: Message, at: number, { input }: PairedCall): string {
  const made = message.role === "assistant" ? message.tool_calls?.[at] : undefined;
  const text = made?.type === "function" ? made.function.arguments : "";
  return isObjectText(text) ? text : JSON.stringify(input);
}

function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function toResult(
  message: Message,
  index: number,
  { id }: PairedCall,
  { receipt }: Call,
): JsonObject {
  // Refuses what is no text.
  toContent(message, index);
  const text = textOf(message.content);
  if (text.trim() === "") receipt.add("messages");
  const content = text.trim() === "" ? EMPTY_RESULT : text;
  return { role: "tool", tool_call_id: id, content };
}

const EMPTY_RESULT = "(empty)";

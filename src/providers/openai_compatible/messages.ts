/** Adapts messages to OpenAI-compatible vendors. */

import { type Content, isObject, type JsonObject, type Message } from "../../contract/chat.ts";
import type { Rewrite } from "./rewrites.ts";
import { withoutLegacy } from "../shared/messages.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** Which messages a vendor accepts. */
export interface MessageRules {
  /** The member in which past reasoning is sent back; if absent, it is omitted. */
  readonly replays?: "reasoning_content" | "reasoning";
  /** Whether past `reasoning_details` are also sent back. */
  readonly replaysDetails?: boolean;
  /** Whether messages may have a `name`. Default: true. */
  readonly names?: boolean;
  /** Whether text may be a list of parts. Default: true. */
  readonly textParts?: boolean;
  /** Whether an assistant message may have neither text nor calls. Default: true. */
  readonly emptyTurns?: boolean;
}

/** Converts messages to the common form, without legacy members and other vendors' state. */
export function withPlainMessages(rules: MessageRules): Rewrite {
  return (body, call) => {
    const messages = withoutLegacy(call.request.messages)
      .map((message) => toPlainMessage(message, rules, call));
    return {
      ...body,
      messages: rules.emptyTurns === false ? messages.flatMap(withoutNothing) : messages,
      ...(isObject(body.stream_options) && {
        stream_options: { include_usage: body.stream_options.include_usage },
      }),
    };
  };
}

function toPlainMessage(message: Message, rules: MessageRules, call: Call): JsonObject {
  const { name, ...rest } = message;
  const turn: JsonObject = rest;
  if (name && rules.names !== false) turn.name = name;
  else if (name) call.changes.ignore("messages.name");
  const plain = message.role === "assistant" ? toAssistantTurn(turn, rules) : turn;
  return rules.textParts === false ? withOneText(plain) : plain;
}

/** Joins text parts into one text. Content with other parts stays unchanged. */
function withOneText(turn: JsonObject): JsonObject {
  const { role, content } = turn;
  if (!Array.isArray(content) || !content.every(isTextPart)) return turn;
  const texts = content.map(({ text }) => text).filter((text) => text !== "");
  // The parts of a tool result are one document; the parts of other messages are separate texts.
  return { ...turn, content: texts.join(role === "tool" ? "" : "\n\n") };
}

function isTextPart({ type }: JsonObject): boolean {
  return type === "text";
}

/** An assistant message without empty texts; an empty list if nothing remains. */
function withoutNothing(turn: JsonObject): readonly JsonObject[] {
  const { role, content, tool_calls } = turn;
  if (role !== "assistant") return [turn];
  const said = Array.isArray(content)
    ? content.filter(({ type, text }: JsonObject) => type !== "text" || text !== "")
    : typeof content === "string"
    ? content
    : "";
  if (said.length > 0) return [{ ...turn, content: said }];
  return tool_calls === undefined ? [] : [{ ...turn, content: "" }];
}

/** Members that only answers have. */
const ANSWER_ONLY = [
  "refusal",
  "annotations",
  "audio",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
];

function toAssistantTurn(turn: JsonObject, rules: MessageRules): JsonObject {
  const { replays, replaysDetails } = rules;
  const { refusal, reasoning, reasoning_content = reasoning, tool_calls } = turn;
  const plain = { ...turn };
  for (const member of ANSWER_ONLY) delete plain[member];
  if (refusal && plain.content == null) plain.content = refusal;
  if (Array.isArray(plain.content)) plain.content = plain.content.map(toPlainPart);
  if (replays && typeof reasoning_content === "string") plain[replays] = reasoning_content;
  const details = replaysDetails ? toOwnDetails(turn.reasoning_details) : [];
  if (details.length > 0) plain.reasoning_details = details;
  if (Array.isArray(tool_calls)) plain.tool_calls = tool_calls.map(toPlainCall);
  return plain;
}

/**
 * Details from the router, without those of other adapters. Entries with a provider belong only to
 * that provider.
 */
export function toOwnDetails(details: unknown): JsonObject[] {
  return Array.isArray(details)
    ? details.filter(isObject).filter(({ type, provider }) =>
      typeof type === "string" && type.startsWith("reasoning.") && provider === undefined
    )
    : [];
}

function toPlainPart(part: Exclude<Content, string>[number]): JsonObject {
  return part.type === "refusal" ? { type: "text", text: part.refusal } : part;
}

function toPlainCall({ id, function: made, custom }: JsonObject): JsonObject {
  const { name, input } = isObject(custom) ? custom : {};
  return {
    id,
    type: "function",
    function: made ?? { name, arguments: JSON.stringify({ input }) },
  };
}

/** Messages as vendors of OpenAI's dialect take them. */

import { type Content, isObject, type JsonObject, type Message } from "../../chat/chat.ts";
import type { Call } from "../contract/adapter.ts";
import type { Rewrite } from "./rewrites.ts";
import { withoutLegacy } from "../shared/legacy_functions.ts";

/** How a vendor wants its messages. */
export interface MessageRules {
  /** Where the reasoning of past turns is sent back; it is left out when absent. */
  readonly replays?: "reasoning_content" | "reasoning";
  /** Whether `reasoning_details` of past turns are sent back as well. */
  readonly replaysDetails?: boolean;
  /** Whether the vendor takes an author's name on messages. True unless said otherwise. */
  readonly names?: boolean;
  /** Whether the vendor tells a developer's message from the system's. */
  readonly developer?: boolean;
  /** Whether text may come in parts. True unless said otherwise. */
  readonly textParts?: boolean;
  /** Whether a turn of the assistant's may say nothing and call nothing. True unless said otherwise. */
  readonly emptyTurns?: boolean;
}

/** Messages in the words that every vendor knows: no legacy, no state of other vendors. */
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
  else if (name) call.receipt.ignore("messages.name");
  if (message.role === "developer" && !rules.developer) turn.role = "system";
  const plain = message.role === "assistant" ? toAssistantTurn(turn, rules) : turn;
  return rules.textParts === false ? withOneText(plain) : plain;
}

/** Text in parts as one text; content that holds anything else stays as it is. */
function withOneText(turn: JsonObject): JsonObject {
  const { role, content } = turn;
  if (!Array.isArray(content) || !content.every(isTextPart)) return turn;
  const texts = content.map(({ text }) => text).filter((text) => text !== "");
  // The pieces of a result are one document, while others are said one after the other.
  return { ...turn, content: texts.join(role === "tool" ? "" : "\n\n") };
}

function isTextPart({ type }: JsonObject): boolean {
  return type === "text";
}

/** A turn of the assistant's without empty texts; none where nothing else is left. */
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

/** Members of our own answers, and of other vendors', that are no part of a question. */
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

/** What the router gave, and not what our own adapters did. */
function toOwnDetails(details: unknown): JsonObject[] {
  return Array.isArray(details)
    ? details.filter(isObject).filter(({ type }) =>
      typeof type === "string" && type.startsWith("reasoning.")
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

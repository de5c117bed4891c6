/** Messages of the Messages API as messages of the chat request. */

import type { ContentPart, Message, ToolCall } from "../../chat/chat.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { REASONING_FORMAT } from "../../providers/anthropic/messages.ts";
import { isOwnSignature, readSignature } from "./carried_state.ts";
import { markerOf, type Reading, toContent, toParts, toTextParts } from "./read_content.ts";
import {
  isKnownBlock,
  type KnownBlock,
  type MessagesBlock,
  type MessagesBody,
  type MessagesTurn,
} from "./schema.ts";

/**
 * The whole conversation: `system` first, then each message in its place.
 *
 * @throws {GatewayError} `unsupported_content` for content that only Anthropic can read.
 */
export function toChatMessages({ system, messages }: MessagesBody, reading: Reading): Message[] {
  const chat: Message[] = [];
  if (system != null) {
    const blocks = typeof system === "string" ? [{ type: "text" as const, text: system }] : system;
    const said = blocks.filter(({ text }, index) => index > 0 || !text.startsWith(BILLING_HEADER));
    const content = toSystem(said, reading);
    if (content.length > 0) chat.push({ role: "system", content });
  }
  messages.forEach((turn, index) => {
    const path = `messages[${index}].content`;
    for (const message of toTurn(turn, path, reading)) chat.push(message);
  });
  return chat;
}

/** A client's own line for Anthropic's billing, which is not an instruction. */
const BILLING_HEADER = "x-anthropic-billing-header:";

function toSystem(
  blocks: readonly ({ readonly type: "text"; readonly text: string } & JsonObject)[],
  reading: Reading,
): string | ContentPart[] {
  const parts = blocks.flatMap((block) => toTextParts(block.text, block, reading));
  if (parts.some((part) => part.cache_control !== undefined)) return parts;
  // Not every server takes the system message in parts.
  return parts.map((part) => part.type === "text" ? part.text : "").join("\n\n");
}

function toTurn({ role, content }: MessagesTurn, path: string, reading: Reading): Message[] {
  if (typeof content === "string") return [{ role, content }];
  if (role === "assistant") return [toAssistantTurn(content, reading)];
  if (role === "system") {
    const blocks = content.filter(isKnownBlock).filter((block) => block.type === "text");
    return [{ role, content: toSystem(blocks, reading) }];
  }
  const results: Message[] = [];
  const parts: ContentPart[] = [];
  for (const [at, block] of content.entries()) {
    if (isKnownBlock(block) && block.type === "tool_result") {
      results.push(toResult(block, `${path}[${at}]`, reading));
    } else {
      for (const part of toUserParts(block, `${path}[${at}]`, reading)) parts.push(part);
    }
  }
  // Results come right after the calls, and what else was said after them.
  if (results.length > 0 && parts.length === 0) return results;
  return [...results, { role: "user", content: toContent(parts) }];
}

function toUserParts(block: MessagesBlock, path: string, reading: Reading): ContentPart[] {
  if (!isKnownBlock(block)) {
    reading.receipt.ignore(`messages.${block.type}`);
    return [];
  }
  switch (block.type) {
    case "text":
    case "image":
    case "document":
    case "search_result":
      return toParts(block, path, reading);
    default:
      // Assistant blocks are not valid in a user message.
      reading.receipt.ignore(`messages.${block.type}`);
      return [];
  }
}

type ToolResult = Extract<KnownBlock, { type: "tool_result" }>;

function toResult(block: ToolResult, path: string, reading: Reading): Message {
  const { content, tool_use_id, is_error } = block;
  const blocks = typeof content === "string"
    ? [{ type: "text" as const, text: content }]
    : content ?? [];
  const parts = blocks.flatMap((inner, at) => toParts(inner, `${path}.content[${at}]`, reading));
  return {
    role: "tool",
    tool_call_id: tool_use_id,
    content: toContent(is_error ? marked(parts) : parts),
    ...markerOf(block, reading),
  };
}

/** Other vendors have no flag for a failed call, so the text of the result says it. */
function marked(parts: readonly ContentPart[]): ContentPart[] {
  const [first, ...rest] = parts;
  if (first?.type !== "text") return [{ type: "text", text: "Error" }, ...parts];
  return [{ ...first, text: `Error: ${first.text}` }, ...rest];
}

function toAssistantTurn(blocks: readonly MessagesBlock[], reading: Reading): Message {
  let text = "";
  let reasoning = "";
  let marker: JsonObject = {};
  const details: unknown[] = [];
  const extras = new Map<string, JsonObject>();
  const calls: ToolCall[] = [];
  for (const block of blocks) {
    marker = { ...marker, ...markerOf(block, reading) };
    if (!isKnownBlock(block)) {
      const { type, content }: JsonObject = block;
      if (type === "compaction" && isText(content)) text += content;
      else reading.receipt.ignore(`messages.${block.type}`);
      continue;
    }
    switch (block.type) {
      case "text":
        text += block.text;
        break;
      case "thinking": {
        reasoning += block.thinking;
        const state = toState(block);
        details.push(...state.details);
        for (const [id, extra] of state.calls) extras.set(id, extra);
        break;
      }
      case "redacted_thinking":
        details.push({ format: REASONING_FORMAT, type: block.type, data: block.data });
        break;
      case "tool_use":
        calls.push(toCall(block));
        break;
      default:
        reading.receipt.ignore(`messages.${block.type}`);
    }
  }
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({ ...call, ...extras.get(call.id) })),
    }),
    ...marker,
  };
}

/**
 * The state in a thinking block: another vendor's, if the gateway wrote the signature, else
 * Anthropic's.
 */
function toState({ thinking, signature }: Extract<KnownBlock, { type: "thinking" }>) {
  if (!isText(signature)) return { details: [], calls: new Map<string, JsonObject>() };
  if (isOwnSignature(signature)) return readSignature(signature);
  const detail = { format: REASONING_FORMAT, type: "thinking", thinking, signature };
  return { details: [detail], calls: new Map<string, JsonObject>() };
}

function toCall({ id, name, input }: Extract<KnownBlock, { type: "tool_use" }>): ToolCall {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** Messages of the Messages API as messages of the chat request. */

import type { ContentPart, Message, ToolCall } from "../../contract/chat.ts";
import type { MessagePaths } from "../chat/field_paths.ts";
import { JsonError } from "../../core/json/limits.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import {
  type DocumentBlock,
  type ImageBlock,
  isKnownBlock,
  type KnownBlock,
  type MessagesBlock,
  type MessagesBody,
  type MessagesTurn,
  REASONING_FORMAT,
  type ResultBlock,
  type SearchResultBlock,
} from "./schema.ts";
import { type CarriedState, isOwnSignature, readSignature } from "./answer_parts.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import type { InnerJson, InnerText } from "../../core/json/inner_json.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";

/** The options of a conversion, and its receipt. */
export interface Reading {
  /** Records what the conversion drops. */
  readonly changes: RequestChanges;
  /** Whether cache markers are kept: only some targets accept them. */
  readonly markers: boolean;
  /** Limits all state in signatures. */
  readonly stateJson: InnerJson;
  /** Limits the inputs of all tool calls, which become texts. */
  readonly inputs: InnerText;
}

/** A cache marker, if markers are kept and there is one. */
export function markerOf(
  { cache_control: marker }: JsonObject,
  { markers }: Reading,
): { readonly cache_control?: JsonObject } {
  return markers && isObject(marker) ? { cache_control: marker } : {};
}

/** A text part; none for an empty text, which most vendors reject. */
function toTextParts(text: string, source: JsonObject, reading: Reading): ContentPart[] {
  return text === "" ? [] : [{ type: "text", text, ...markerOf(source, reading) }];
}

/** Parts as the content of a message: a string for one text without a marker. */
function toContent(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts;
  if (first === undefined) return "";
  const isPlain = parts.length === 1 && first.type === "text" && first.cache_control === undefined;
  return isPlain ? first.text : parts;
}

/**
 * Converts one block of a user message or a tool result to parts.
 *
 * @param path of the block in the request
 * @throws {GatewayError} `unsupported_content` for a file that only Anthropic can read.
 */
function toParts(block: ResultBlock, path: string, reading: Reading): ContentPart[] {
  switch (block.type) {
    case "text":
      if (block.citations !== undefined) noteCitations(block, reading);
      return toTextParts(block.text, block, reading);
    case "image":
      return [toImagePart(block, path, reading)];
    case "document":
      return toDocumentParts(block, path, reading);
    case "search_result":
      return toTextParts(searchResultText(block), block, reading);
    default:
      return toTextParts(unknownText(block), block, reading);
  }
}

function toImagePart({ source, ...block }: ImageBlock, path: string, reading: Reading) {
  switch (source.type) {
    case "file":
      throw fileById(path);
    case "url":
    case "base64": {
      const url = source.type === "url"
        ? source.url
        : `data:${source.media_type};base64,${source.data}`;
      return { type: "image_url" as const, image_url: { url }, ...markerOf(block, reading) };
    }
  }
}

function toDocumentParts(block: DocumentBlock, path: string, reading: Reading): ContentPart[] {
  const { source, title, context } = block;
  noteCitations(block, reading);
  const marker = markerOf(block, reading);
  switch (source.type) {
    case "file":
      throw fileById(path);
    case "text": {
      const text = [title, context, source.data].filter(isText).join("\n\n");
      return toTextParts(text, block, reading);
    }
    case "content": {
      const head = toTextParts([title, context].filter(isText).join("\n\n"), {}, reading);
      if (typeof source.content === "string") {
        return [...head, ...toTextParts(source.content, block, reading)];
      }
      const inside = `${path}.source.content`;
      return [
        ...head,
        ...source.content.flatMap((part, at) => toParts(part, `${inside}[${at}]`, reading)),
      ];
    }
    case "url":
      return [
        ...toTextParts(context ?? "", {}, reading),
        { type: "file_url", file_url: { url: source.url }, ...marker },
      ];
    case "base64": {
      const file_data = `data:${source.media_type};base64,${source.data}`;
      const filename = title || (source.media_type === "application/pdf" ? "document.pdf" : "file");
      return [
        ...toTextParts(context ?? "", {}, reading),
        { type: "file", file: { file_data, filename }, ...marker },
      ];
    }
  }
}

function noteCitations({ citations }: JsonObject, { changes }: Reading): void {
  const isOn = Array.isArray(citations)
    ? citations.length > 0
    : isObject(citations) && citations.enabled === true;
  if (isOn) changes.ignore("citations");
}

function searchResultText({ title, source, content }: SearchResultBlock): string {
  return [title, source, ...content.map(({ text }) => text)].filter(isText).join("\n");
}

/** A block of a type that chat does not support is sent to the model as text. */
function unknownText(block: JsonObject): string {
  if (block.type === "tool_reference") return `Tool: ${String(block.tool_name)}`;
  const { cache_control: _, ...rest } = block;
  return JSON.stringify(rest);
}

function fileById(path: string): GatewayError {
  return new GatewayError(
    "unsupported_content",
    `'${path}' names a file by the ID that Anthropic gave it, which this target cannot read`,
    { param: path },
  );
}

/** A chat message, and its path in the request. */
interface PlacedMessage {
  readonly message: Message;
  readonly origin: MessagePaths;
}

/**
 * The whole conversation: `system` first, then each message in its place.
 *
 * @throws {GatewayError} `unsupported_content` for content that only Anthropic can read.
 */
export function toChatMessages(
  { system, messages }: MessagesBody,
  reading: Reading,
): PlacedMessage[] {
  const chat: PlacedMessage[] = [];
  if (system != null) {
    const blocks = typeof system === "string" ? [{ type: "text" as const, text: system }] : system;
    const said = blocks.filter(({ text }, index) => index > 0 || !text.startsWith(BILLING_HEADER));
    const content = toSystem(said, reading);
    if (content.length > 0) {
      chat.push({ message: { role: "system", content }, origin: { path: "system" } });
    }
  }
  messages.forEach((turn, index) => {
    for (const placed of toTurn(turn, `messages[${index}]`, reading)) chat.push(placed);
  });
  return chat;
}

/** A line that a client adds for Anthropic's billing; not an instruction. */
const BILLING_HEADER = "x-anthropic-billing-header:";

function toSystem(
  blocks: readonly ({ readonly type: "text"; readonly text: string } & JsonObject)[],
  reading: Reading,
): string | ContentPart[] {
  const parts = blocks.flatMap((block) => toTextParts(block.text, block, reading));
  if (parts.some((part) => part.cache_control !== undefined)) return parts;
  // Some servers do not accept a system message in parts.
  return parts.map((part) => part.type === "text" ? part.text : "").join("\n\n");
}

function toTurn({ role, content }: MessagesTurn, path: string, reading: Reading): PlacedMessage[] {
  if (typeof content === "string") {
    return [{ message: { role, content }, origin: { path, content: `${path}.content` } }];
  }
  if (role === "assistant") return [toAssistantTurn(content, path, reading)];
  if (role === "system") {
    const blocks = content.filter(isKnownBlock).filter((block) => block.type === "text");
    return [{ message: { role, content: toSystem(blocks, reading) }, origin: { path } }];
  }
  const results: PlacedMessage[] = [];
  const parts: ContentPart[] = [];
  const paths: string[] = [];
  for (const [at, block] of content.entries()) {
    const place = `${path}.content[${at}]`;
    if (isKnownBlock(block) && block.type === "tool_result") {
      results.push(toResult(block, place, reading));
      continue;
    }
    for (const part of toUserParts(block, place, reading)) {
      parts.push(part);
      paths.push(place);
    }
  }
  // Tool results must directly follow the calls; other content comes after them.
  if (results.length > 0 && parts.length === 0) return results;
  const message: Message = { role: "user", content: toContent(parts) };
  return [...results, { message, origin: { path, parts: paths } }];
}

function toUserParts(block: MessagesBlock, path: string, reading: Reading): ContentPart[] {
  if (!isKnownBlock(block)) {
    reading.changes.ignore(`messages.${block.type}`);
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
      reading.changes.ignore(`messages.${block.type}`);
      return [];
  }
}

type ToolResult = Extract<KnownBlock, { type: "tool_result" }>;

function toResult(block: ToolResult, path: string, reading: Reading): PlacedMessage {
  const { content, tool_use_id, is_error } = block;
  const blocks = typeof content === "string"
    ? [{ type: "text" as const, text: content }]
    : content ?? [];
  const paths: string[] = [];
  const parts = blocks.flatMap((inner, at) => {
    const place = `${path}.content[${at}]`;
    const own = toParts(inner, place, reading);
    for (const _ of own) paths.push(place);
    return own;
  });
  const said = is_error ? marked(parts) : parts;
  if (said.length > parts.length) paths.unshift(path);
  const message: Message = {
    role: "tool",
    tool_call_id: tool_use_id,
    content: toContent(said),
    ...markerOf(block, reading),
  };
  return { message, origin: { path, parts: paths } };
}

/** Other vendors have no flag for a failed call, so the text of the result indicates it. */
function marked(parts: readonly ContentPart[]): ContentPart[] {
  const [first, ...rest] = parts;
  if (first?.type !== "text") return [{ type: "text", text: "Error" }, ...parts];
  return [{ ...first, text: `Error: ${first.text}` }, ...rest];
}

function toAssistantTurn(
  blocks: readonly MessagesBlock[],
  path: string,
  reading: Reading,
): PlacedMessage {
  let text = "";
  let reasoning = "";
  let marker: JsonObject = {};
  const details: unknown[] = [];
  const extras = new Map<string, JsonObject>();
  const calls: ToolCall[] = [];
  const callPaths: string[] = [];
  for (const [at, block] of blocks.entries()) {
    marker = { ...marker, ...markerOf(block, reading) };
    if (!isKnownBlock(block)) {
      const { type, content }: JsonObject = block;
      if (type === "compaction" && isText(content)) text += content;
      else reading.changes.ignore(`messages.${block.type}`);
      continue;
    }
    switch (block.type) {
      case "text":
        text += block.text;
        break;
      case "thinking": {
        reasoning += block.thinking;
        const state = toState(block, `${path}.content[${at}]`, reading);
        details.push(...state.details);
        for (const [id, extra] of state.calls) extras.set(id, extra);
        break;
      }
      case "redacted_thinking":
        details.push({ format: REASONING_FORMAT, type: block.type, data: block.data });
        break;
      case "tool_use":
        calls.push(toCall(block, `${path}.content[${at}]`, reading));
        callPaths.push(`${path}.content[${at}]`);
        break;
      default:
        reading.changes.ignore(`messages.${block.type}`);
    }
  }
  const withExtras = calls.map((call) => ({ ...call, ...extras.get(call.id) }));
  const message = { ...toAssistantMessage(text, reasoning, details, withExtras), ...marker };
  return { message, origin: { path, calls: callPaths } };
}

function toAssistantMessage(
  text: string,
  reasoning: string,
  details: readonly unknown[],
  calls: ToolCall[],
): Message {
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/**
 * The state in a thinking block: another vendor's if the gateway wrote the signature, otherwise
 * Anthropic's.
 */
function toState(
  { thinking, signature }: Extract<KnownBlock, { type: "thinking" }>,
  path: string,
  { stateJson }: Reading,
): CarriedState {
  if (!isText(signature)) return { details: [], calls: new Map<string, JsonObject>() };
  if (isOwnSignature(signature)) {
    try {
      return readSignature(signature, stateJson);
    } catch (thrown) {
      if (!(thrown instanceof JsonError)) throw thrown;
      const why = `the state of all thinking blocks may have ${thrown.message}`;
      throw invalidValue(`${path}.signature`, why);
    }
  }
  const detail = { format: REASONING_FORMAT, type: "thinking", thinking, signature };
  return { details: [detail], calls: new Map<string, JsonObject>() };
}

function toCall(
  { id, name, input }: Extract<KnownBlock, { type: "tool_use" }>,
  path: string,
  { inputs }: Reading,
): ToolCall {
  try {
    inputs.add(input);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw invalidValue(`${path}.input`, `the inputs of all tool calls may have ${thrown.message}`);
  }
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

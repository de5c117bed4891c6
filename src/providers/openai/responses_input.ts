/**
 * Converts a conversation to the input items of OpenAI's Responses API.
 *
 * Shapes: `EasyInputMessage`, `Item` and `ReasoningItem` of
 * https://github.com/openai/openai-openapi (v2.3.0, 2026-08-21). Items are sent without the
 * vendor's
 * IDs: an item with an ID requires the items around it, and an ID is useless without `store`
 * (https://github.com/TanStack/ai/issues/1212 and
 * https://github.com/can1357/oh-my-pi/issues/41, 2026-11-20).
 */

import { createHash } from "node:crypto";
import {
  type AssistantTurn,
  type ContentPart,
  type FilePart,
  isObject,
  type JsonObject,
  type Message,
  textOf,
  type ToolCall,
} from "../../contract/chat.ts";
import { isReasoningModel } from "./models.ts";
import { contentPath, withoutLegacy } from "../shared/messages.ts";
import { type PairedCall, pairTools } from "../../apis/tool_pairing.ts";
import { readMedia } from "../../apis/media.ts";
import { unsupportedContent } from "../shared/errors.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** The `format` of encrypted reasoning in `reasoning_details`, which only the vendor can read. */
export const REASONING_FORMAT = "openai-responses";

/**
 * Converts the messages of a request.
 *
 * @throws {GatewayError} for unsupported content, and for tool calls without results.
 */
export function toInput(call: Call): readonly JsonObject[] {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, toCallId);
  const custom = new Set<string>();
  const input: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.changes.ignore("messages.name");
    if (message.role === "assistant") {
      const calls = pairing.calls.get(index) ?? [];
      message.tool_calls?.forEach(({ type }, position) => {
        const id = calls[position]?.id;
        if (type === "custom" && id !== undefined) custom.add(id);
      });
      for (const item of toAssistantItems(message, index, calls, call)) input.push(item);
    } else if (message.role === "tool") {
      const result = pairing.results.get(index);
      if (result !== undefined) input.push(toOutputItem(message, index, result.id, custom));
    } else {
      input.push(toMessageItem(message, index, call));
    }
  }
  // A request without a user or assistant message is rejected.
  const silent = input.every(({ role }) => role === "system" || role === "developer");
  if (silent) {
    input.push({ role: "user", content: "" });
    call.changes.add("input");
  }
  return input;
}

/** The vendor rejects empty IDs and those over 64 characters, which other vendors assign. */
function toCallId(id: string): string {
  if (id !== "" && id.length <= MAX_CALL_ID) return id;
  return `call_${createHash("sha256").update(id).digest("base64url")}`;
}

/** https://github.com/fawney19/Aether/pull/829 (2026). */
const MAX_CALL_ID = 64;

/** Converts a message. Microsoft advises against both roles in one request. */
function toMessageItem(message: Message, index: number, call: Call): JsonObject {
  const role = message.role === "user"
    ? "user"
    : isReasoningModel(call.model)
    ? "developer"
    : "system";
  const { content } = message;
  return { role, content: Array.isArray(content) ? toParts(content, index) : content ?? "" };
}

function toAssistantItems(
  turn: AssistantTurn,
  index: number,
  calls: readonly PairedCall[],
  call: Call,
): readonly JsonObject[] {
  if (isObject(turn.audio)) {
    throw unsupportedContent(`messages[${index}].audio`, "this API takes no audio");
  }
  const spoken = toSpokenItem(turn, index, call);
  const callItems = (turn.tool_calls ?? []).map((call, position) =>
    toCallItem(call, calls[position]?.id ?? call.id)
  );
  const items = spoken === undefined ? callItems : [spoken, ...callItems];
  // Reasoning that is not followed by text or a call may be rejected.
  return items.length === 0 ? [] : [...toThoughts(turn, call), ...items];
}

/** The text of an assistant message, or undefined if empty: empty items are rejected. */
function toSpokenItem(turn: AssistantTurn, index: number, call: Call): JsonObject | undefined {
  const parts = Array.isArray(turn.content) ? turn.content : [];
  parts.forEach((part, position) => {
    if (part.type === "text" || part.type === "refusal") return;
    throw unsupportedContent(
      contentPath(index, position),
      "an assistant message can contain only text",
    );
  });
  const refused = parts.flatMap((part) => part.type === "refusal" ? part.refusal : []);
  const refusal = [...refused, turn.refusal ?? ""].join("");
  const spoken = parts.filter((part) => part.type !== "refusal");
  const text = textOf(Array.isArray(turn.content) ? spoken : turn.content);
  if (refusal !== "") {
    const texts = text === "" ? [] : [{ type: "output_text", text }];
    return { role: "assistant", content: [...texts, { type: "refusal", refusal }] };
  }
  if (text === "") return undefined;
  if (!PHASED.test(call.model.base)) return { role: "assistant", content: text };
  const phase = turn.tool_calls?.length ? "commentary" : "final_answer";
  call.changes.add("input.phase");
  return { role: "assistant", content: text, phase };
}

/**
 * Models that distinguish commentary from the final answer. Their quality degrades when past turns
 * do not (`EasyInputMessage.phase` of the API's description, 2026-08-21).
 */
const PHASED = /^(?:ft:)?(?:gpt-5\.3-codex|gpt-5\.(?:[4-9]|\d\d)|gpt-(?:[6-9]|1\d))/;

function toCallItem(call: ToolCall, call_id: string): JsonObject {
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return { type: "custom_tool_call", call_id, name, input };
  }
  const { name, arguments: text } = call.function;
  return { type: "function_call", call_id, name, arguments: text };
}

/**
 * Reasoning that the caller sent back. It is encrypted for one account: that of another provider
 * would be rejected (https://github.com/BerriAI/litellm/issues/40364, 2026-11-20).
 */
function toThoughts({ reasoning_details }: AssistantTurn, call: Call): readonly JsonObject[] {
  if (!Array.isArray(reasoning_details) || !isReasoningModel(call.model)) return [];
  return reasoning_details.flatMap((entry: unknown) => {
    if (!isObject(entry) || entry.format !== REASONING_FORMAT) return [];
    if (entry.provider !== call.provider.id || typeof entry.data !== "string") return [];
    return [{ type: "reasoning", summary: [], encrypted_content: entry.data }];
  });
}

function toOutputItem(
  { content }: Message,
  index: number,
  call_id: string,
  custom: ReadonlySet<string>,
): JsonObject {
  const plain = !Array.isArray(content) || content.every((part) => part.type === "text");
  return {
    type: custom.has(call_id) ? "custom_tool_call_output" : "function_call_output",
    call_id,
    // Some servers accept only text (https://github.com/BerriAI/litellm/pull/18226, 2026-11-20).
    output: plain ? textOf(content) : toParts(content, index),
  };
}

function toParts(parts: readonly ContentPart[], index: number): readonly JsonObject[] {
  return parts.map((part, position) => {
    const marker = part.prompt_cache_breakpoint;
    const sent = toPart(part, contentPath(index, position));
    return marker == null ? sent : { ...sent, prompt_cache_breakpoint: marker };
  });
}

function toPart(part: ContentPart, path: string): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "input_text", text: part.text };
    case "refusal":
      return { type: "input_text", text: part.refusal };
    case "image_url": {
      const { url, detail } = part.image_url;
      return { type: "input_image", image_url: url, ...(detail && { detail }) };
    }
    case "file":
      return { type: "input_file", ...toFile(part, path) };
    case "file_url":
      return { type: "input_file", file_url: part.file_url.url };
    default:
      throw unsupportedContent(path, "this API takes no audio");
  }
}

function toFile(part: FilePart, path: string): JsonObject {
  const { file_id, file_data, file_url, filename } = part.file;
  if (file_id) return { file_id };
  if (!file_data && typeof file_url === "string") return { file_url };
  if (file_data && /^data:/i.test(file_data)) {
    const type = file_data.slice("data:".length, file_data.search(/[;,]|$/));
    return { filename: filename || nameFor(type), file_data };
  }
  const media = readMedia(part, path);
  if ("url" in media) return { file_url: media.url };
  const { data, mediaType } = media;
  return {
    filename: filename || nameFor(mediaType),
    file_data: `data:${mediaType};base64,${data}`,
  };
}

/** A file name for data: data without a name is rejected. */
function nameFor(mediaType: string): string {
  const extension = EXTENSIONS.get(mediaType.trim().toLowerCase());
  return extension === undefined ? "file" : `file.${extension}`;
}

const EXTENSIONS = new Map([
  ["application/pdf", "pdf"],
  ["application/json", "json"],
  ["text/plain", "txt"],
  ["text/csv", "csv"],
  ["text/markdown", "md"],
]);

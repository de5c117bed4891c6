/**
 * A conversation as the input items of OpenAI's Responses API.
 *
 * Shapes: `EasyInputMessage`, `Item` and `ReasoningItem` of
 * https://github.com/openai/openai-openapi (v2.3.0, 2026-08-21). Items never
 * carry the ids that the vendor gave them: an id obliges one to send the
 * neighbours it was made with, and means nothing without `store`
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
} from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Call } from "../contract/adapter.ts";
import { isReasoningModel } from "./models.ts";
import { withoutLegacy } from "../shared/legacy_functions.ts";
import { contentPath, type PairedCall, pairTools, readMedia } from "../shared/turns.ts";

/** The tag of reasoning state in `reasoning_details`: what the vendor sealed, for its eyes only. */
export const REASONING_FORMAT = "openai-responses";

/**
 * The input items of a request.
 *
 * @throws {GatewayError} for content that has no place among them, and calls without results.
 */
export function toInput(call: Call): readonly JsonObject[] {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, toCallId);
  const custom = new Set<string>();
  const input: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.receipt.ignore("messages.name");
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
  // A request without a turn of the user's or the assistant's is refused.
  const silent = input.every(({ role }) => role === "system" || role === "developer");
  if (silent) {
    input.push({ role: "user", content: "" });
    call.receipt.add("input");
  }
  return input;
}

/** The vendor refuses empty ids and those over 64 characters, which other vendors do give. */
function toCallId(id: string): string {
  if (id !== "" && id.length <= MAX_CALL_ID) return id;
  return `call_${createHash("sha256").update(id).digest("base64url")}`;
}

/** https://github.com/fawney19/Aether/pull/829 (2026). */
const MAX_CALL_ID = 64;

/** Microsoft advises against using both roles in one request. */
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
    throw unsupported(`messages[${index}].audio`, "this API takes no audio");
  }
  const spoken = toSpokenItem(turn, index, call);
  const called = (turn.tool_calls ?? []).map((made, position) =>
    toCallItem(made, calls[position]?.id ?? made.id)
  );
  const items = spoken === undefined ? called : [spoken, ...called];
  // Thoughts that led to nothing may be refused, and say nothing.
  return items.length === 0 ? [] : [...toThoughts(turn, call), ...items];
}

/** What the assistant said, if anything: empty items are refused. */
function toSpokenItem(turn: AssistantTurn, index: number, call: Call): JsonObject | undefined {
  const parts = Array.isArray(turn.content) ? turn.content : [];
  parts.forEach((part, position) => {
    if (part.type === "text" || part.type === "refusal") return;
    throw unsupported(contentPath(index, position), "an assistant's message holds text alone");
  });
  const refused = parts.flatMap((part) => part.type === "refusal" ? part.refusal : []);
  const refusal = [...refused, turn.refusal ?? ""].join("");
  const spoken = parts.filter((part) => part.type !== "refusal");
  const text = textOf(Array.isArray(turn.content) ? spoken : turn.content);
  if (refusal !== "") {
    const said = text === "" ? [] : [{ type: "output_text", text }];
    return { role: "assistant", content: [...said, { type: "refusal", refusal }] };
  }
  if (text === "") return undefined;
  if (!PHASED.test(call.model.base)) return { role: "assistant", content: text };
  const phase = turn.tool_calls?.length ? "commentary" : "final_answer";
  call.receipt.add("input.phase");
  return { role: "assistant", content: text, phase };
}

/**
 * Models that tell what they say on the way from what they answer in the end,
 * and do worse when a past turn does not (`EasyInputMessage.phase` of the API's
 * description, 2026-08-21).
 */
const PHASED = /^(?:ft:)?(?:gpt-5\.3-codex|gpt-5\.(?:[4-9]|\d\d)|gpt-(?:[6-9]|1\d))/;

function toCallItem(made: ToolCall, call_id: string): JsonObject {
  if (made.type === "custom") {
    const { name, input } = made.custom;
    return { type: "custom_tool_call", call_id, name, input };
  }
  const { name, arguments: text } = made.function;
  return { type: "function_call", call_id, name, arguments: text };
}

/**
 * Reasoning that the caller brought back. It is sealed for one account: another
 * provider's would be refused (https://github.com/BerriAI/litellm/issues/40364, 2026-11-20).
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
    // Some servers take text alone (https://github.com/BerriAI/litellm/pull/18226, 2026-11-20).
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
      throw unsupported(path, "this API takes no audio");
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

/** Data without a file name is refused. */
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

function unsupported(param: string, why: string): GatewayError {
  const message = `Unsupported content in '${param}': ${why}`;
  return new GatewayError("unsupported_content", message, { param });
}

/** Content blocks of the Messages API, and the decisions that both directions of a call share. */

import { type ContentPart, isObject, type JsonObject, type Message } from "../../contract/chat.ts";
import { isText, present } from "../../core/json/values.ts";
import type { Refusals } from "../../contract/refusals.ts";
import type { Block, BlockFormat } from "../shared/claude/conversation.ts";
import { type ConversionPlan, planConversion, toValidName } from "../shared/claude/tools.ts";
import { CLAUDE_PROPERTY_NAMES, type ClaudeModel, claudeModel } from "../shared/claude/models.ts";
import { unsupportedContent } from "../shared/errors.ts";
import { decodeText, readMedia } from "../../apis/media.ts";
import type { PairedCall } from "../../apis/tool_pairing.ts";
import { REASONING_FORMAT } from "../../apis/messages/schema.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** The conversion plan for a call to the Messages API. */
export type MessagesPlan = ConversionPlan<ClaudeModel>;

/** Decides how a JSON answer is requested. */
export function toPlan(call: Call): MessagesPlan {
  const { base, facts } = call.model;
  const model = claudeModel(base, facts);
  return planConversion(call, model, { ...model, ...CLAUDE_REFUSALS });
}

/** The content blocks of the Messages API. */
export function messageBlocks(call: Call): BlockFormat {
  return {
    reasoningFormat: REASONING_FORMAT,
    text: (text) => ({ type: "text", text }),
    media: (part, path) => toMediaBlock(part, path, call),
    toolUse: ({ id, name, input }) => ({ type: "tool_use", id, name, input }),
    toolResult: (message, answered, blocks) => [toToolResult(message, answered, blocks)],
    reasoning: toThinkingBlock,
    markCache(blocks, marker) {
      const last = blocks.at(-1);
      if (last && isObject(marker)) last.cache_control ??= marker;
    },
    toCallId: (id) => toValidName(id, MAX_NAME_LENGTH, "call"),
    isReasoning,
    isToolResult: ({ type }) => type === "tool_result",
    isCacheMarker: () => false,
    calledTool: ({ type, name }) => type === "tool_use" ? name : undefined,
  };
}

/** Whether a block contains thinking, visible or redacted. */
export function isReasoning({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** A caller's cache marker; undefined if it is not an object. */
export function cacheMarkerOf({ cache_control }: JsonObject): JsonObject | undefined {
  return isObject(cache_control) ? cache_control : undefined;
}

/** Tool names and call IDs, in characters: https://github.com/home-assistant/core/issues/147760 (2026-11-20). */
const MAX_NAME_LENGTH = 128;

/** The restrictions of Claude's Messages API. */
export const CLAUDE_REFUSALS = {
  toolNames: { refused: /[^a-zA-Z0-9_-]/g, maxLength: MAX_NAME_LENGTH },
  propertyNames: CLAUDE_PROPERTY_NAMES,
} satisfies Refusals;

function toMediaBlock(part: ContentPart, path: string, { changes }: Call): Block {
  const detail = part.type === "image_url" ? part.image_url.detail : undefined;
  if (detail && detail !== "auto") changes.ignore("image_url.detail");
  const media = readMedia(part, path);
  if ("url" in media) {
    if (!/^https:/i.test(media.url)) {
      throw unsupportedContent(path, "addresses must be https or data");
    }
    const type = part.type === "file_url" ? "document" : "image";
    return { type, source: { type: "url", url: media.url } };
  }
  const media_type = media.mediaType === "image/jpg" ? "image/jpeg" : media.mediaType;
  const source = { type: "base64", media_type, data: media.data };
  if (IMAGE_TYPES.has(media_type)) return { type: "image", source };
  const title = media.filename;
  if (media_type === "application/pdf") return present({ type: "document", source, title });
  const isTextual = /^text\/|^application\/json$/.test(media_type);
  const data = isTextual ? decodeText(media.data) : undefined;
  if (!data?.trim()) {
    throw unsupportedContent(path, "only jpeg, png, gif, webp, PDF and text are taken");
  }
  const text = { type: "text", media_type: "text/plain", data };
  return present({ type: "document", source: text, title });
}

/** https://platform.claude.com/docs/en/build-with-claude/vision (2026-11-20). */
const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function toToolResult(message: Message, { id }: PairedCall, blocks: readonly Block[]): Block {
  const { content } = message;
  const unmarked = blocks.map(({ cache_control: _, ...block }): Block => block);
  return present({
    type: "tool_result",
    tool_use_id: id,
    content: blocks.length === 0 ? undefined : typeof content === "string" ? content : unmarked,
    // Rejected inside: https://github.com/caozhiyuan/copilot-api/issues/241 (2026-05-18).
    cache_control: cacheMarkerOf(message) ?? blocks.map(cacheMarkerOf).findLast(isObject),
  });
}

function toThinkingBlock({ type, thinking, signature, data }: JsonObject): Block | undefined {
  if (type === "thinking" && typeof thinking === "string" && isText(signature)) {
    return { type, thinking, signature };
  }
  return type === "redacted_thinking" && isText(data) ? { type, data } : undefined;
}

/**
 * Content blocks of Bedrock's Converse API.
 *
 * Blocks: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 * (2026-11-20).
 */

import { createHash } from "node:crypto";
import { type ContentPart, isObject, type JsonObject, type Message } from "../../contract/chat.ts";
import { isText } from "../../core/json/values.ts";
import type { Block, BlockFormat, BlockTurn } from "../shared/claude/conversation.ts";
import { toValidName } from "../shared/claude/tools.ts";
import { unsupportedContent } from "../shared/errors.ts";
import type { PairedCall } from "../../apis/tool_pairing.ts";
import { readMedia } from "../../apis/media.ts";
import type { BedrockModel } from "./models.ts";
import { type ConversePlan, MAX_NAME_LENGTH, toCachePoint } from "./tools.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** The `format` of `reasoning_details` entries that are sent back to this API. */
export const REASONING_FORMAT = "bedrock";

/** The content blocks of the Converse API: objects with one member, whose name is their kind. */
export function converseBlocks(
  call: Call,
  { model }: Pick<ConversePlan, "model">,
): BlockFormat {
  const documentNames = new DocumentNames();
  const markCache = (blocks: Block[], marker: unknown) => {
    const point = toCachePoint(marker, model);
    if (point && blocks.length > 0 && !isCacheMarker(blocks.at(-1))) blocks.push(point);
  };
  return {
    reasoningFormat: REASONING_FORMAT,
    text: (text) => ({ text }),
    media: (part, path) => toMediaBlock(part, path, call, documentNames),
    toolUse(paired) {
      const { name, input } = paired;
      return { toolUse: { toolUseId: toId(paired, model), name, input } };
    },
    toolResult(message: Message, answered: PairedCall, blocks: readonly Block[]) {
      const content = blocks.filter((block) => !isCacheMarker(block));
      const toolResult = { toolUseId: toId(answered, model), content };
      const result = [{ toolResult }, ...blocks.filter(isCacheMarker).slice(-1)];
      markCache(result, message.cache_control);
      return result;
    },
    reasoning: toReasoningBlock,
    markCache,
    toCallId: (id) => model.shortIds ? id : toCallId(id, model.claude !== undefined),
    isReasoning: ({ reasoningContent }) => reasoningContent !== undefined,
    isToolResult: ({ toolResult }) => toolResult !== undefined,
    isCacheMarker,
    calledTool: ({ toolUse }) => isObject(toolUse) ? toolUse.name : undefined,
  };
}

/** Adds text to a turn with documents, since the vendor rejects documents without text. */
export function withTextForDocuments(turn: BlockTurn, { changes }: Call): BlockTurn {
  const { role, blocks } = turn;
  if (!blocks.some(({ document }) => document) || blocks.some(({ text }) => text)) return turn;
  changes.convert("messages");
  changes.add("messages");
  return { role, blocks: [...blocks, { text: "See the document." }] };
}

function isCacheMarker(block: Block | undefined): boolean {
  return block?.cachePoint !== undefined;
}

/**
 * A call ID with only the characters that the vendor accepts. Claude accepts fewer; Kimi requires
 * its own IDs, such as `functions.look:0`
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html,
 * 2026-11-20).
 */
function toCallId(id: string, isClaude: boolean): string {
  return isClaude
    ? toValidName(id, MAX_NAME_LENGTH, "call")
    : id.replace(/[^\w.:-]/g, "_").slice(0, MAX_NAME_LENGTH) || "call";
}

function toMediaBlock(part: ContentPart, path: string, call: Call, names: DocumentNames): Block {
  const detail = part.type === "image_url" ? part.image_url.detail : undefined;
  if (detail && detail !== "auto") call.changes.ignore("image_url.detail");
  const media = readMedia(part, path);
  if ("url" in media) return toStoredImage(media.url, path);
  const image = IMAGE_FORMATS.get(media.mediaType);
  if (image !== undefined) return { image: { format: image, source: { bytes: media.data } } };
  const { filename = "" } = media;
  const format = DOCUMENT_FORMATS.get(media.mediaType) ?? formatByName(filename, media.mediaType);
  if (format === undefined) {
    throw unsupportedContent(
      path,
      "only images in jpeg, png, gif and webp, and documents are taken",
    );
  }
  const name = names.take(filename);
  return { document: { format, name, source: { bytes: media.data } } };
}

/** The vendor fetches only objects in S3. */
function toStoredImage(url: string, path: string): Block {
  const extension = /^s3:\/\/.*\.(\w+)$/i.exec(url)?.[1]?.toLowerCase();
  const format = IMAGE_FORMATS.get(`image/${extension}`);
  if (format !== undefined) return { image: { format, source: { s3Location: { uri: url } } } };
  throw unsupportedContent(
    path,
    "an image must come as a data URL, or be a jpeg, png, gif or webp in S3",
  );
}

const IMAGE_FORMATS = new Map([
  ["image/jpeg", "jpeg"],
  ["image/jpg", "jpeg"],
  ["image/png", "png"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
]);

const DOCUMENT_FORMATS = new Map([
  ["application/pdf", "pdf"],
  ["text/csv", "csv"],
  ["application/msword", "doc"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["text/html", "html"],
  ["text/markdown", "md"],
  ["application/json", "txt"],
]);
const FORMATS = new Set([...DOCUMENT_FORMATS.values()]);

/** For a generic type, the file's name decides. */
function formatByName(filename: string, mediaType: string): string | undefined {
  const extension = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
  if (FORMATS.has(extension)) return extension;
  return mediaType.startsWith("text/") ? "txt" : undefined;
}

/**
 * Document names: letters, digits, single spaces, hyphens and brackets, unique within a request
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html,
 * 2026-11-20).
 */
class DocumentNames {
  readonly #taken = new Map<string, number>();

  take(filename: string): string {
    const bare = filename.replace(/\.\w+$/, "").replace(/[^a-zA-Z0-9\-()[\]]+/g, " ").trim();
    const name = bare.slice(0, MAX_DOCUMENT_NAME).trim() || "document";
    let unique = name;
    for (let count = this.#taken.get(name) ?? 1; this.#taken.has(unique); count++) {
      unique = `${name} (${count + 1})`;
      this.#taken.set(name, count + 1);
    }
    this.#taken.set(unique, 1);
    return unique;
  }
}

/** Shorter than the vendor's 200, so that there is room for a number. */
const MAX_DOCUMENT_NAME = 180;

/**
 * Mistral's models require nine letters and digits; the IDs within a conversation already differ.
 */
function toId({ id }: PairedCall, { shortIds }: BedrockModel): string {
  if (!shortIds || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return hashOf(id).toString(36).padStart(9, "0").slice(-9);
}

/** The first 64 bits of the SHA-256 digest of a text. */
function hashOf(text: string): bigint {
  return createHash("sha256").update(text).digest().readBigUInt64BE();
}

function toReasoningBlock({ text, signature, redactedContent }: JsonObject): Block | undefined {
  if (typeof text === "string" && isText(signature)) {
    return { reasoningContent: { reasoningText: { text, signature } } };
  }
  return isText(redactedContent) ? { reasoningContent: { redactedContent } } : undefined;
}

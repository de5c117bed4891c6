/** Content blocks as the parts of chat messages. */

import type { ContentPart } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { InnerJson } from "../../core/json/inner_json.ts";
import type { InnerText } from "../../core/json/inner_text.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import type { DocumentBlock, ImageBlock, ResultBlock, SearchResultBlock } from "./schema.ts";

/** The options of a conversion, and its receipt. */
export interface Reading {
  /** Notes what is lost. */
  readonly receipt: Receipt;
  /** Whether cache markers are kept: only some targets take them. */
  readonly markers: boolean;
  /** The budget of all state in signatures. */
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

/** A text part; none for an empty text, which most vendors refuse. */
export function toTextParts(text: string, source: JsonObject, reading: Reading): ContentPart[] {
  return text === "" ? [] : [{ type: "text", text, ...markerOf(source, reading) }];
}

/** Parts as the content of a message: a string for one text without a marker. */
export function toContent(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts;
  if (first === undefined) return "";
  const isPlain = parts.length === 1 && first.type === "text" && first.cache_control === undefined;
  return isPlain ? first.text : parts;
}

/**
 * The parts of one block of a user message or a tool result.
 *
 * @param path of the block in the request
 * @throws {GatewayError} `unsupported_content` for a file that only Anthropic can read.
 */
export function toParts(block: ResultBlock, path: string, reading: Reading): ContentPart[] {
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

function noteCitations({ citations }: JsonObject, { receipt }: Reading): void {
  const isOn = Array.isArray(citations)
    ? citations.length > 0
    : isObject(citations) && citations.enabled === true;
  if (isOn) receipt.ignore("citations");
}

function searchResultText({ title, source, content }: SearchResultBlock): string {
  return [title, source, ...content.map(({ text }) => text)].filter(isText).join("\n");
}

/** A block of a type that chat does not have: the model gets it as text. */
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

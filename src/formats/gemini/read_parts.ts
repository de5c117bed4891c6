/** Parts of a content as those of chat messages. */

import type { ContentPart } from "../../chat/chat.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import { type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import { objectIn, pathIn, stringIn, unsupportedContent } from "../member_faults.ts";
import { memberOf } from "../member_spellings.ts";
import { toStandardBase64 } from "./bytes.ts";

/** Members that say how a part is to be read, which other vendors do not have. */
const HINTS = ["videoMetadata", "mediaResolution", "partMetadata"];

/**
 * Converts a part with text or media. None for an empty text, which most vendors refuse.
 *
 * @throws {GatewayError} `unsupported_content` for a part that only Google's models know.
 */
export function toContentParts(part: JsonObject, path: string, receipt: Receipt): ContentPart[] {
  for (const hint of HINTS) {
    if (memberOf(part, hint) !== undefined) receipt.ignore(`contents.parts.${hint}`);
  }
  const text = stringIn(part, "text", path);
  if (text !== undefined) return text === "" ? [] : [{ type: "text", text }];
  const inline = objectIn(part, "inlineData", path);
  if (inline !== undefined) return [toInline(inline, pathIn(path, part, "inlineData"))];
  const file = objectIn(part, "fileData", path);
  if (file !== undefined) return [toFile(file, pathIn(path, part, "fileData"))];
  const [kind] = Object.keys(part);
  if (kind === undefined) return [];
  throw unsupportedContent(`${path}.${kind}`, "only Google's models know parts of this kind");
}

/** A part with data as base64. */
function toInline(inline: JsonObject, path: string): ContentPart {
  const type = (stringIn(inline, "mimeType", path) ?? "").toLowerCase();
  const sent = stringIn(inline, "data", path);
  if (type === "") throw invalidValue(pathIn(path, inline, "mimeType"), "is required");
  if (!isText(sent)) throw invalidValue(`${path}.data`, "is required");
  const data = toStandardBase64(sent);
  if (!isText(data)) throw invalidValue(`${path}.data`, "must be base64");
  const url = `data:${type};base64,${data}`;
  if (type.startsWith("image/")) return { type: "image_url", image_url: { url } };
  if (type.startsWith("video/")) return { type: "video_url", video_url: { url } };
  if (type.startsWith("audio/")) {
    const format = AUDIO_FORMATS.get(type) ?? type.slice("audio/".length).replace(/^x-/, "");
    return { type: "input_audio", input_audio: { data, format } };
  }
  const filename = stringIn(inline, "displayName", path) ?? defaultName(type);
  return { type: "file", file: { file_data: url, filename } };
}

/** Names of formats in OpenAI's audio parts, where they differ from the media type. */
const AUDIO_FORMATS = new Map([
  ["audio/mpeg", "mp3"],
  ["audio/wave", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/vnd.wave", "wav"],
  ["audio/l16", "pcm16"],
]);

function defaultName(type: string): string {
  const extension = type === "text/plain" ? "txt" : type.split("/").at(-1)?.replace(/[^\w]/g, "");
  return `document.${extension || "bin"}`;
}

/** A part with the address of a file. */
function toFile(file: JsonObject, path: string): ContentPart {
  const url = stringIn(file, "fileUri", path);
  if (!isText(url)) throw invalidValue(pathIn(path, file, "fileUri"), "is required");
  const type = (stringIn(file, "mimeType", path) ?? "").toLowerCase();
  if (type.startsWith("image/")) return { type: "image_url", image_url: { url } };
  if (type.startsWith("video/")) return { type: "video_url", video_url: { url } };
  if (type.startsWith("audio/")) {
    throw unsupportedContent(path, "other vendors take audio only as inline data");
  }
  return { type: "file_url", file_url: { url } };
}

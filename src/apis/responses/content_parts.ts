/** The content of input items as the content of chat messages. */

import { type Content, type ContentPart, isObject, type JsonObject } from "../../contract/chat.ts";
import { isText, toText } from "../../core/json/values.ts";
import { invalidValue } from "../../core/errors.ts";

/** The text and the refusal of an assistant message. */
export interface AssistantContent {
  readonly text: string;
  readonly refusal: string;
}

/**
 * Converts the content of a message, or the output of a tool.
 *
 * @throws {GatewayError} `invalid_value` with the path of a part of unknown form.
 */
export function toContent(content: unknown, path: string): Content {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalidValue(path, "must be a string or an array");
  return content.map((part, index) => toPart(part, `${path}[${index}]`));
}

/**
 * Reads the content of an assistant message, which contains only text.
 *
 * @throws {GatewayError} `invalid_value` with the path of any other part.
 */
export function readAssistantContent(content: unknown, path: string): AssistantContent {
  const parts = toContent(content, path);
  if (typeof parts === "string") return { text: parts, refusal: "" };
  let text = "";
  let refusal = "";
  for (const [index, part] of parts.entries()) {
    if (part.type === "text") text += part.text;
    else if (part.type === "refusal") refusal += part.refusal;
    else throw invalidValue(`${path}[${index}].type`, "must be 'output_text' or 'refusal'");
  }
  return { text, refusal };
}

function toPart(part: unknown, path: string): ContentPart {
  if (!isObject(part)) throw invalidValue(path, "must be an object");
  const { prompt_cache_breakpoint, cache_control } = part;
  return {
    ...toBarePart(part, path),
    ...(isObject(prompt_cache_breakpoint) && { prompt_cache_breakpoint }),
    ...(isObject(cache_control) && { cache_control }),
  };
}

function toBarePart(part: JsonObject, path: string): ContentPart {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
      return { type: "text", text: readText(part.text, `${path}.text`) };
    case "refusal":
      return { type: "refusal", refusal: readText(part.refusal, `${path}.refusal`) };
    case "input_image":
      return toImage(part, path);
    case "input_file":
      return toFile(part, path);
    case "input_audio": {
      const { data, format } = isObject(part.input_audio) ? part.input_audio : part;
      const audio = { data: toText(data), format: toText(format) };
      return { type: "input_audio", input_audio: audio };
    }
  }
  throw invalidValue(
    `${path}.type`,
    "must be 'input_text', 'input_image', 'input_file', 'input_audio', 'output_text' or 'refusal'",
  );
}

function readText(text: unknown, path: string): string {
  if (typeof text !== "string") throw invalidValue(path, "must be a string");
  return text;
}

function toImage({ image_url, file_id, detail }: JsonObject, path: string): ContentPart {
  // Some clients send the object of chat completions.
  const url = isObject(image_url) ? image_url.url : image_url;
  if (isText(url)) {
    return { type: "image_url", image_url: { url, ...(isText(detail) && { detail }) } };
  }
  if (isText(file_id)) return { type: "file", file: { file_id } };
  throw invalidValue(`${path}.image_url`, "is required");
}

function toFile({ file_data, file_id, file_url, filename }: JsonObject, path: string): ContentPart {
  if (isText(file_url)) return { type: "file_url", file_url: { url: file_url } };
  const name = isText(filename) ? { filename } : {};
  if (isText(file_data)) return { type: "file", file: { file_data, ...name } };
  if (isText(file_id)) return { type: "file", file: { file_id, ...name } };
  throw invalidValue(path, "must have 'file_data', 'file_url' or 'file_id'");
}

/**
 * A request of `/api/generate` as a chat request: the prompt is the message of a user.
 *
 * Shapes: https://github.com/ollama/ollama/blob/main/docs/api.md (2026-08).
 */

import type { Message } from "../../chat/chat.ts";
import type { MessagePaths } from "../../chat/field_paths.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { Receipt } from "../../providers/contract/receipt.ts";
import { listIn, stringIn, unsupportedContent } from "../member_faults.ts";
import { checkBody, type ConvertedRequest, toConverted } from "./converted_request.ts";
import { ImageReader } from "./read_images.ts";

/**
 * Converts a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault; `unsupported_content`
 * for a text to fill in, and for the tokens of an earlier conversation.
 */
export function readGenerate(body: unknown): ConvertedRequest {
  const checked = checkBody(body);
  refuseOwnContent(checked.body);
  const prompt = stringIn(checked.body, "prompt", "") ?? "";
  const system = stringIn(checked.body, "system", "") ?? "";
  const images = listIn(checked.body, "images", "") ?? [];
  const messages: Message[] = [];
  const origins: MessagePaths[] = [];
  if (system !== "") {
    messages.push({ role: "system", content: system });
    origins.push({ path: "system" });
  }
  const media = new ImageReader().toParts(images, "images");
  messages.push({
    role: "user",
    content: media.length === 0 ? prompt : [{ type: "text", text: prompt }, ...media],
  });
  origins.push({ path: "prompt", parts: ["prompt", ...images.map((_, at) => `images[${at}]`)] });
  return toConverted(checked, { messages, origins, path: "prompt" }, new Receipt());
}

function refuseOwnContent(body: JsonObject): void {
  if (isText(body.suffix)) {
    throw unsupportedContent("suffix", "only Ollama's own API fills in text before a suffix");
  }
  if (Array.isArray(body.context) && body.context.length > 0) {
    throw unsupportedContent("context", "it is tokens of a model that runs on Ollama");
  }
}

/**
 * A request of `/api/chat` as a chat request, for targets that have another API.
 *
 * Shapes: https://github.com/ollama/ollama/blob/main/api/types.go (2026-08).
 */

import type { ContentPart, Message, Tool, ToolCall } from "../../contract/chat.ts";
import type { ConvertedRequest } from "../chat/caller_format.ts";
import type { MessagePaths } from "../chat/field_paths.ts";
import { JsonError } from "../../core/json/limits.ts";
import { InnerText } from "../../core/json/inner_json.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { RequestChanges } from "../../contract/request_changes.ts";
import { listIn, objectIn, stringIn, unsupportedContent } from "../read_fields.ts";
import { OWN_CALL_ID, UnansweredCalls } from "../calls.ts";
import { checkBody, toConverted } from "./converted_request.ts";
import { sniffMediaType } from "../media.ts";
import { invalidValue } from "../../core/errors.ts";

/**
 * The maximum number of images in a converted request. No other vendor accepts more (Gemini
 * 3,600: https://ai.google.dev/gemini-api/docs/image-understanding, 2026-11), and 90,000 tiny ones
 * in 1.3 MB held the event loop for 140 to 291 ms.
 */
const MAX_IMAGES = 4000;

/** Converts the images of one request. */
class ImageReader {
  #count = 0;

  /**
   * Converts the images of a message. Ollama also accepts audio there.
   *
   * @param path of the list
   * @throws {GatewayError} `invalid_value` for other data, and for too many images.
   */
  toParts(images: readonly unknown[], path: string): ContentPart[] {
    this.#count += images.length;
    if (this.#count > MAX_IMAGES) {
      throw invalidValue(path, `a request may have at most ${MAX_IMAGES} images`);
    }
    return images.map((image, index) => toPart(image, `${path}[${index}]`));
  }
}

function toPart(image: unknown, path: string): ContentPart {
  if (typeof image !== "string" || image === "") {
    throw invalidValue(path, "must be an image as base64");
  }
  const comma = image.startsWith("data:") ? image.indexOf(",") : -1;
  const data = image.slice(comma + 1);
  const type = sniffMediaType(data);
  if (type?.startsWith("image/")) {
    return { type: "image_url", image_url: { url: `data:${type};base64,${data}` } };
  }
  if (isWave(data)) return { type: "input_audio", input_audio: { data, format: "wav" } };
  throw invalidValue(path, "must be a jpeg, png, webp or gif image as base64");
}

/** Whether a file begins like a WAVE file: "RIFF", its size, "WAVE". */
function isWave(base64: string): boolean {
  try {
    return /^RIFF[^]{4}WAVE/.test(atob(base64.slice(0, 16)));
  } catch {
    return false;
  }
}

/**
 * Converts a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault, or
 * `unsupported_content`.
 */
export function readChat(body: unknown): ConvertedRequest {
  const checked = checkBody(body);
  const changes = new RequestChanges();
  const messages: Message[] = [];
  const origins: MessagePaths[] = [];
  const reader = new MessageReader();
  for (const [index, entry] of (listIn(checked.body, "messages", "") ?? []).entries()) {
    const path = `messages[${index}]`;
    if (!isObject(entry)) throw invalidValue(path, "must be an object");
    const { message, origin } = reader.read(entry, path, index);
    messages.push(message);
    origins.push(origin);
  }
  const { tools, toolPaths } = toTools(checked.body, changes);
  return toConverted(checked, { messages, origins, path: "messages", tools, toolPaths }, changes);
}

/** A chat message, and its path in the request. */
interface PlacedMessage {
  readonly message: Message;
  readonly origin: MessagePaths;
}

/** Reads the messages of one conversation in order. */
class MessageReader {
  /** Limits the arguments of all calls, which become texts. */
  readonly #inputs = new InnerText();
  readonly #images = new ImageReader();
  #unanswered = new UnansweredCalls();
  /** Whether the last message is from the assistant. */
  #isModelTurn = false;

  read(entry: JsonObject, path: string, index: number): PlacedMessage {
    const role = stringIn(entry, "role", path)?.toLowerCase();
    const text = stringIn(entry, "content", path) ?? "";
    const images = listIn(entry, "images", path) ?? [];
    const wasModelTurn = this.#isModelTurn;
    this.#isModelTurn = role === "assistant";
    switch (role) {
      case "user":
        return {
          message: { role, ...this.#toContent(text, images, path) },
          origin: toOrigin(text, images, path),
        };
      case "tool":
        return {
          message: { role, ...this.#toContent(text, images, path), ...this.#toResult(entry, path) },
          origin: toOrigin(text, images, path),
        };
      case "system":
        refuseImages(images, path);
        return { message: { role, content: text }, origin: { path } };
      case "assistant":
        refuseImages(images, path);
        if (!wasModelTurn) this.#unanswered = new UnansweredCalls();
        return this.#readTurn(entry, text, path, index);
      default:
        throw invalidValue(`${path}.role`, "must be 'system', 'user', 'assistant' or 'tool'");
    }
  }

  #readTurn(entry: JsonObject, text: string, path: string, index: number): PlacedMessage {
    const calls = (listIn(entry, "tool_calls", path) ?? []).map((call, at) => {
      const place = `${path}.tool_calls[${at}]`;
      return this.#toCall(call, place, `${OWN_CALL_ID}${index}_${at}`);
    });
    const thinking = stringIn(entry, "thinking", path) ?? "";
    const message: Message = {
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      ...(thinking !== "" && { reasoning_content: thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return { message, origin: { path, calls: calls.map((_, at) => `${path}.tool_calls[${at}]`) } };
  }

  #toCall(call: unknown, path: string, newId: string): ToolCall {
    if (!isObject(call)) throw invalidValue(path, "must be an object");
    const called = objectIn(call, "function", path);
    const name = called && stringIn(called, "name", `${path}.function`);
    if (called === undefined || !isText(name)) {
      throw invalidValue(`${path}.function.name`, "is required");
    }
    const given = stringIn(call, "id", path);
    const id = isText(given) ? given : newId;
    this.#unanswered.add(id, name);
    const input = this.#toArguments(called.arguments, `${path}.function.arguments`);
    return { id, type: "function", function: { name, arguments: input } };
  }

  /** The arguments as text. Some clients send text, although servers accept only objects. */
  #toArguments(input: unknown, path: string): string {
    if (typeof input === "string") return input;
    if (input != null && !isObject(input)) throw invalidValue(path, "must be an object");
    try {
      this.#inputs.add(input);
    } catch (thrown) {
      if (!(thrown instanceof JsonError)) throw thrown;
      throw invalidValue(path, `the arguments of all calls may have ${thrown.message}`);
    }
    return JSON.stringify(input ?? {});
  }

  /**
   * The call that a result belongs to: results need no ID, and older servers do not support IDs.
   */
  #toResult(entry: JsonObject, path: string): { readonly tool_call_id: string } {
    const name = stringIn(entry, "tool_name", path) ?? stringIn(entry, "name", path) ?? "";
    return { tool_call_id: this.#unanswered.take(stringIn(entry, "tool_call_id", path), name) };
  }

  #toContent(
    text: string,
    images: readonly unknown[],
    path: string,
  ): { readonly content: string | ContentPart[] } {
    if (images.length === 0) return { content: text };
    const media = this.#images.toParts(images, `${path}.images`);
    return { content: text === "" ? media : [{ type: "text", text }, ...media] };
  }
}

/** The text is the first part, if it is not empty. */
function toOrigin(text: string, images: readonly unknown[], path: string): MessagePaths {
  const media = images.map((_, at) => `${path}.images[${at}]`);
  return { path, parts: text === "" ? media : [`${path}.content`, ...media] };
}

function refuseImages(images: readonly unknown[], path: string): void {
  if (images.length === 0) return;
  throw unsupportedContent(`${path}.images`, "other vendors take images only from users and tools");
}

function toTools(body: JsonObject, changes: RequestChanges) {
  const tools: Tool[] = [];
  const toolPaths: string[] = [];
  for (const [index, tool] of (listIn(body, "tools", "") ?? []).entries()) {
    const path = `tools[${index}]`;
    if (!isObject(tool)) throw invalidValue(path, "must be an object");
    const type = stringIn(tool, "type", path) ?? "function";
    if (type !== "function") {
      changes.ignore(`tools.${type}`);
      continue;
    }
    const definition = objectIn(tool, "function", path);
    const name = definition && stringIn(definition, "name", `${path}.function`);
    if (definition === undefined || !isText(name)) {
      throw invalidValue(`${path}.function.name`, "is required");
    }
    objectIn(definition, "parameters", `${path}.function`);
    tools.push({ type: "function", function: { ...definition, name } });
    toolPaths.push(`${path}.function`);
  }
  return { tools: tools.length > 0 ? tools : undefined, toolPaths };
}

// A request of `/api/generate` as a chat request: the prompt is a user message.
//
// Shapes: https://github.com/ollama/ollama/blob/main/docs/api.md (2026-08).

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
  return toConverted(checked, { messages, origins, path: "prompt" }, new RequestChanges());
}

function refuseOwnContent(body: JsonObject): void {
  if (isText(body.suffix)) {
    throw unsupportedContent("suffix", "only Ollama's own API fills in text before a suffix");
  }
  if (Array.isArray(body.context) && body.context.length > 0) {
    throw unsupportedContent("context", "it is tokens of a model that runs on Ollama");
  }
}

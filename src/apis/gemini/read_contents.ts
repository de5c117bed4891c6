/** The conversation of a request as chat messages. */

import type { ContentPart, Message, ToolCall } from "../../contract/chat.ts";
import type { MessagePaths } from "../chat/field_paths.ts";
import { JsonError } from "../../core/json/limits.ts";
import type { InnerJson, InnerText } from "../../core/json/inner_json.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import { OWN_CALL_ID, UnansweredCalls } from "../calls.ts";
import { isOwnSignature, readSignature, toStandardBase64 } from "./answer_parts.ts";
import {
  listIn,
  memberOf,
  objectIn,
  pathIn,
  stringIn,
  unsupportedContent,
} from "../read_fields.ts";
import { invalidValue } from "../../core/errors.ts";

/** Members that control how a part is read, which other vendors do not support. */
const HINTS = ["videoMetadata", "mediaResolution", "partMetadata"];

/**
 * Converts a part with text or media. Returns none for an empty text, which most vendors reject.
 *
 * @throws {GatewayError} `unsupported_content` for a part that only Google's models support.
 */
function toContentParts(part: JsonObject, path: string, changes: RequestChanges): ContentPart[] {
  for (const hint of HINTS) {
    if (memberOf(part, hint) !== undefined) changes.ignore(`contents.parts.${hint}`);
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

/** The shared state of the conversion of one request. */
export interface Reading {
  readonly changes: RequestChanges;
  /** Limits all state in signatures. */
  readonly stateJson: InnerJson;
  /** Limits the arguments and results of all calls, which become texts. */
  readonly inputs: InnerText;
}

/** A chat message, and its path in the request. */
interface PlacedMessage {
  readonly message: Message;
  readonly origin: MessagePaths;
}

/**
 * Converts the contents.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault; `unsupported_content`.
 */
export function toChatMessages(
  contents: readonly unknown[],
  path: string,
  reading: Reading,
): PlacedMessage[] {
  const placed: PlacedMessage[] = [];
  let open = new UnansweredCalls();
  /**
   * The contents of a model's turn: clients may store each event of a stream as a separate content.
   */
  let turn: { readonly path: string; readonly parts: PlacedPart[] } | undefined;
  const endTurn = () => {
    if (turn === undefined) return;
    const { calls, placed: message } = toModelTurn(turn.parts, turn.path, reading);
    open = calls;
    placed.push(message);
    turn = undefined;
  };
  for (const [index, content] of contents.entries()) {
    const place = `${path}[${index}]`;
    if (!isObject(content)) throw invalidValue(place, "must be an object");
    const parts = toPlacedParts(content, place);
    const role = stringIn(content, "role", place) ?? "user";
    if (role === "model") {
      turn ??= { path: place, parts: [] };
      for (const part of parts) turn.parts.push(part);
    } else if (role === "user" || role === "function" || role === "tool") {
      endTurn();
      placed.push(...toUserTurn(parts, place, open, reading));
    } else throw invalidValue(`${place}.role`, "must be 'user' or 'model'");
  }
  endTurn();
  return placed;
}

/** A part, and its path. */
interface PlacedPart {
  readonly part: JsonObject;
  readonly place: string;
}

function toPlacedParts(content: JsonObject, path: string): PlacedPart[] {
  return (listIn(content, "parts", path) ?? []).map((part, at) => {
    const place = `${path}.parts[${at}]`;
    if (isObject(part)) return { part, place };
    throw invalidValue(place, "must be an object");
  });
}

/** The parts of the system instruction, as a message; undefined if it has no text. */
export function toSystemMessage(
  system: unknown,
  path: string,
  reading: Reading,
): PlacedMessage | undefined {
  if (system === undefined) return undefined;
  const content = typeof system === "string" ? { parts: [{ text: system }] } : system;
  if (!isObject(content)) throw invalidValue(path, "must be an object");
  const parts: ContentPart[] = [];
  const paths: string[] = [];
  for (const { part, place } of toPlacedParts(content, path)) {
    for (const own of toContentParts(part, place, reading.changes)) {
      parts.push(own);
      paths.push(place);
    }
  }
  if (parts.length === 0) return undefined;
  return {
    message: { role: "system", content: toContent(parts) },
    origin: { path, parts: paths },
  };
}

/** Parts as the content of a message: a string for one text. */
function toContent(parts: ContentPart[]): string | ContentPart[] {
  const [first, ...others] = parts;
  if (first === undefined) return "";
  return others.length === 0 && first.type === "text" ? first.text : parts;
}

/** Results directly follow the calls, and the user's other content follows the results. */
function toUserTurn(
  parts: readonly PlacedPart[],
  path: string,
  open: UnansweredCalls,
  reading: Reading,
): PlacedMessage[] {
  const results: PlacedMessage[] = [];
  const said: ContentPart[] = [];
  const paths: string[] = [];
  for (const { part, place } of parts) {
    const response = objectIn(part, "functionResponse", place);
    if (response !== undefined) {
      const inner = pathIn(place, part, "functionResponse");
      results.push(toResult(response, inner, open, reading));
      continue;
    }
    for (const own of toContentParts(part, place, reading.changes)) {
      said.push(own);
      paths.push(place);
    }
  }
  if (results.length > 0 && said.length === 0) return results;
  const message: Message = { role: "user", content: toContent(said) };
  return [...results, { message, origin: { path, parts: paths } }];
}

function toResult(
  response: JsonObject,
  path: string,
  open: UnansweredCalls,
  reading: Reading,
): PlacedMessage {
  const name = stringIn(response, "name", path) ?? "";
  const id = open.take(stringIn(response, "id", path), name);
  const result = memberOf(response, "response") ?? {};
  countInput(result, `${path}.response`, reading);
  const media: ContentPart[] = [];
  for (const { part, place } of toPlacedParts(response, path)) {
    media.push(...toContentParts(part, place, reading.changes));
  }
  const text = toResultText(result);
  const content = media.length === 0 ? text : [{ type: "text" as const, text }, ...media];
  return { message: { role: "tool", tool_call_id: id, content }, origin: { path } };
}

/** The text of a result. Google's libraries put a plain value under `output` or `result`. */
function toResultText(result: unknown): string {
  if (typeof result === "string") return result;
  if (isObject(result)) {
    const [name, ...others] = Object.keys(result);
    const only = name === "output" || name === "result" ? result[name] : undefined;
    if (others.length === 0 && typeof only === "string") return only;
  }
  return JSON.stringify(result);
}

type FunctionCall = Extract<ToolCall, { type: "function" }>;

interface ModelTurn {
  readonly placed: PlacedMessage;
  readonly calls: UnansweredCalls;
}

function toModelTurn(
  parts: readonly PlacedPart[],
  path: string,
  reading: Reading,
): ModelTurn {
  let text = "";
  let reasoning = "";
  const details: unknown[] = [];
  const extras = new Map<string, JsonObject>();
  const calls: FunctionCall[] = [];
  const open = new UnansweredCalls();
  const callPaths: string[] = [];
  for (const { part, place } of parts) {
    const signature = stringIn(part, "thoughtSignature", place);
    const isOwn = isText(signature) && isOwnSignature(signature);
    if (isOwn) {
      const state = toState(signature, pathIn(place, part, "thoughtSignature"), reading);
      for (const detail of state.details) details.push(detail);
      for (const [id, extra] of state.calls) extras.set(id, extra);
    }
    const call = objectIn(part, "functionCall", place);
    if (call !== undefined) {
      const inner = pathIn(place, part, "functionCall");
      const made = toCall(call, inner, `${OWN_CALL_ID}${place.replace(/\D+/g, "_")}`, reading);
      if (isText(signature) && !isOwn) extras.set(made.id, googleState(signature));
      calls.push(made);
      open.add(made.id, made.function.name);
      callPaths.push(inner);
    } else if (memberOf(part, "thought") === true) reasoning += stringIn(part, "text", place) ?? "";
    else {
      for (const own of toContentParts(part, place, reading.changes)) {
        if (own.type === "text") text += own.text;
        else throw unsupportedContent(place, "other vendors take only text in a model's turn");
      }
    }
  }
  const made = calls.map((call) => ({ ...call, ...extras.get(call.id) }));
  const message: Message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(made.length > 0 && { tool_calls: made }),
  };
  return { placed: { message, origin: { path, calls: callPaths } }, calls: open };
}

/** Gemini's own state, in the member in which chat completions carry it. */
function googleState(thought_signature: string): JsonObject {
  return { extra_content: { google: { thought_signature } } };
}

function toState(signature: string, path: string, { stateJson }: Reading) {
  try {
    return readSignature(signature, stateJson);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw invalidValue(path, `the state of all parts may have ${thrown.message}`);
  }
}

function toCall(call: JsonObject, path: string, newId: string, reading: Reading): FunctionCall {
  const name = stringIn(call, "name", path);
  if (!isText(name)) throw invalidValue(`${path}.name`, "is required");
  const id = stringIn(call, "id", path);
  const args = objectIn(call, "args", path) ?? {};
  countInput(args, `${path}.args`, reading);
  return {
    id: isText(id) ? id : newId,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  };
}

function countInput(value: unknown, path: string, { inputs }: Reading): void {
  try {
    inputs.add(value);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw invalidValue(path, `the values of all function calls may have ${thrown.message}`);
  }
}

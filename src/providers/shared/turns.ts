/**
 * Conversations in the forms that vendors other than OpenAI share: turns that
 * alternate, tool results paired with their calls, files as bytes.
 */

import {
  type ChatRequest,
  type ContentPart,
  type FunctionDefinition,
  isObject,
  isServerTool,
  type JsonObject,
  type Message,
  textOf,
  type Tool,
} from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";

/** What one side says, in a vendor's blocks. */
export interface Turn<Role, Block> {
  readonly role: Role;
  readonly blocks: readonly Block[];
}

/** A call of a tool, under an id that no other call of the request has. */
export interface PairedCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** Which result belongs to which call, both by the index of their message. */
export interface ToolPairing {
  readonly calls: ReadonlyMap<number, readonly PairedCall[]>;
  /** A result that a later one replaces is absent. */
  readonly results: ReadonlyMap<number, PairedCall>;
}

/** What a request says about tools, whatever words it uses. */
export interface ToolPlan {
  /** Those that may be called. */
  readonly tools: readonly FunctionTool[];
  /** `auto`, `none` or `required` as OpenAI means them; undefined when nothing was said. */
  readonly mode: "auto" | "none" | "required" | undefined;
  /** The one tool that must be called, where `mode` is `required`. */
  readonly name?: string;
}

/** A function to call, and members beside it that some vendors know. */
export interface FunctionTool {
  /** Where the definition stands in the request. */
  readonly path: string;
  readonly definition: FunctionDefinition;
  readonly cacheControl: unknown;
}

/** A file's bytes. */
export interface Media {
  /** In lower case, without parameters; by the bytes themselves where they tell. */
  readonly mediaType: string;
  /** Base64, without white space. */
  readonly data: string;
}

/** Joins neighbours of one role; a turn without blocks is none. */
export function mergeTurns<Role, Block>(
  turns: readonly Turn<Role, Block>[],
): Turn<Role, Block>[] {
  const merged: { role: Role; blocks: Block[] }[] = [];
  for (const { role, blocks } of turns) {
    if (blocks.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === role) { for (const block of blocks) last.blocks.push(block); }
    else merged.push({ role, blocks: [...blocks] });
  }
  return merged;
}

/**
 * Pairs every tool result with its call, and checks as OpenAI does that each
 * call is answered before the conversation goes on.
 *
 * @param fixId makes an id that the vendor accepts
 * @throws {GatewayError} `invalid_request` for a call without a result, or a result without a call.
 */
export function pairTools(
  messages: readonly Message[],
  fixId: (id: string) => string,
): ToolPairing {
  const calls = new Map<number, readonly PairedCall[]>();
  const results = new Map<number, PairedCall>();
  const unique = uniquely(fixId);
  let open = new OpenCalls();
  for (const [index, message] of messages.entries()) {
    if (message.role === "system" || message.role === "developer") continue;
    if (message.role === "tool") {
      const { call, replaces } = open.answer(message.tool_call_id, index);
      if (replaces !== undefined) results.delete(replaces);
      results.set(index, call);
      continue;
    }
    open.close();
    open = new OpenCalls(index);
    if (message.role !== "assistant" || message.tool_calls == null) continue;
    const paired = message.tool_calls.map((call): PairedCall => {
      const named = call.type === "function"
        ? { name: call.function.name, input: parseArguments(call.function.arguments) }
        : { name: call.custom.name, input: { input: call.custom.input } };
      const entry = { id: unique(call.id), ...named };
      open.ask(call.id, entry);
      return entry;
    });
    calls.set(index, paired);
  }
  open.close();
  return { calls, results };
}

/** A renaming that never gives one name twice: a clash gets a number at its end. */
export function uniquely(fix: (name: string) => string, maxLength = 64): (name: string) => string {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return (name) => {
    const fixed = fix(name);
    let unique = fixed;
    // Names that are cut before their number share their numbers, so that none is tried twice.
    for (let digits = 1; taken.has(unique); digits++) {
      const start = fixed.slice(0, maxLength - digits - 1);
      const [first, end] = [Math.max(2, 10 ** (digits - 1)), 10 ** digits];
      const key = `${digits}_${start}`;
      let number = numbers.get(key) ?? first;
      while (number < end && taken.has(unique = `${start}_${number}`)) number++;
      numbers.set(key, number);
    }
    taken.add(unique);
    return unique;
  };
}

/** A call's arguments as the object that vendors ask for, whatever the model wrote. */
export function parseArguments(text: string): JsonObject {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : { value };
  } catch {
    // A call that was cut off, or badly written: the vendor still sees what it was.
    return { arguments: text };
  }
}

/**
 * Reads `tools` and `tool_choice`, or the `functions` and `function_call` of old.
 *
 * Tools that the vendor runs itself are not among them.
 *
 * @throws {GatewayError} for custom tools, and a choice of a tool that is not there.
 */
export function planTools(request: ChatRequest): ToolPlan {
  const tools = [
    ...(request.tools ?? []).flatMap((tool, index) =>
      isServerTool(tool) ? [] : readTool(tool, index)
    ),
    ...(request.functions ?? []).map(readFunction),
  ];
  if (tools.length === 0) return { tools, mode: undefined };
  const { mode, allowed, name, param } = readChoice(request);
  const known = new Set(tools.map((tool) => tool.definition.name));
  for (const wanted of [...(allowed ?? []), ...(name === undefined ? [] : [name])]) {
    if (!known.has(wanted)) {
      throw new GatewayError(
        "invalid_value",
        `Invalid value for '${param}': no tool is named '${wanted}'`,
        { param },
      );
    }
  }
  const permitted = allowed && new Set(allowed);
  return {
    tools: permitted ? tools.filter((tool) => permitted.has(tool.definition.name)) : tools,
    mode,
    ...(name !== undefined && { name }),
  };
}

/** Where a part, or a message's whole content, stands in the request. */
export function contentPath(message: number, part?: number): string {
  return part === undefined
    ? `messages[${message}].content`
    : `messages[${message}].content[${part}]`;
}

/**
 * The bytes of an image, a video or a file, or the address where it is to be had.
 *
 * @throws {GatewayError} `unsupported_content` for audio and for files by id, `invalid_value` for
 * a URL that cannot be read.
 */
export function readMedia(
  part: ContentPart,
  path: string,
): Media & { readonly filename?: string | undefined } | { readonly url: string } {
  const located = locationOf(part);
  if (located !== undefined) {
    if (!/^data:/i.test(located)) return { url: located };
    return readDataUrl(located) ?? unreadable(`${path}.${part.type}.url`);
  }
  const data = part.type === "file" ? part.file.file_data : undefined;
  if (part.type !== "file" || !data) {
    const what = part.type === "file" ? "a file without 'file_data'" : `'${part.type}'`;
    throw new GatewayError("unsupported_content", `This provider cannot be sent ${what}`, {
      param: path,
    });
  }
  const filename = part.file.filename || undefined;
  const media = /^data:/i.test(data) ? readDataUrl(data) : readBareFile(data, filename);
  return { ...media ?? unreadable(`${path}.file.file_data`), filename };
}

/** The address, or the data URL, of a part that has one. */
function locationOf(part: ContentPart): string | undefined {
  switch (part.type) {
    case "image_url":
      return part.image_url.url;
    case "video_url":
      return part.video_url.url;
    case "file_url":
      return part.file_url.url;
    default:
      return undefined;
  }
}

/** Reads a `data:` URL, in base64 or percent-encoded; undefined for anything else. */
export function readDataUrl(url: string): Media | undefined {
  const comma = url.slice(0, MAX_DATA_HEAD).indexOf(",");
  if (!/^data:/i.test(url) || comma < 0) return undefined;
  const [type = "", ...parameters] = url.slice("data:".length, comma).split(";");
  const base64 = parameters.some((parameter) => parameter.trim().toLowerCase() === "base64");
  const payload = url.slice(comma + 1);
  const media = base64 ? readBase64(payload) : percentDecode(payload).toBase64();
  if (media === undefined) return undefined;
  return {
    mediaType: sniffMediaType(media) ?? (type.trim().toLowerCase() || "text/plain"),
    data: media,
  };
}

/** How far a `data:` URL may go on before its data, in characters. */
const MAX_DATA_HEAD = 8192;

/** Base64 without white space and percent escapes, or undefined when it is none. */
export function readBase64(text: string): string | undefined {
  let data = text;
  if (data.includes("%")) data = new TextDecoder().decode(percentDecode(data));
  if (/\s/.test(data)) data = data.replace(/\s+/g, "");
  return data !== "" && isBase64(data) ? data : undefined;
}

/** By decoding it, which takes a third of the time that a look at every character takes. */
function isBase64(text: string): boolean {
  try {
    Uint8Array.fromBase64(text);
    return true;
  } catch {
    return false;
  }
}

/** The type of a file that shows it in its first bytes. */
export function sniffMediaType(base64: string): string | undefined {
  const head = atobOrEmpty(base64.slice(0, 16));
  for (const [magic, mediaType] of MAGIC) if (head.startsWith(magic)) return mediaType;
  return head.startsWith("RIFF") && head.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}

/** The text of a file in UTF-8; undefined when its bytes are no such text. */
export function decodeText(base64: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(base64));
  } catch {
    return undefined;
  }
}

/** The calls of one assistant message, while their results come in. */
class OpenCalls {
  readonly #asker: number | undefined;
  readonly #asked = new Map<string, SameId>();

  constructor(asker?: number) {
    this.#asker = asker;
  }

  ask(id: string, call: PairedCall): void {
    const same = this.#asked.get(id);
    if (same) same.calls.push(call);
    else this.#asked.set(id, { calls: [call], answered: 0, lastAt: undefined });
  }

  /** The call that a result answers: the first open one of that id, else the last once more. */
  answer(id: string, index: number): { call: PairedCall; replaces: number | undefined } {
    const same = this.#asked.get(id);
    const open = same?.calls[same.answered];
    const call = open ?? same?.calls.at(-1);
    if (same === undefined || call === undefined) {
      const param = `messages[${index}].tool_call_id`;
      throw new GatewayError(
        "invalid_request",
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message " +
          "with 'tool_calls'",
        { param },
      );
    }
    const replaces = open === undefined ? same.lastAt : undefined;
    if (open !== undefined) same.answered++;
    same.lastAt = index;
    return { call, replaces };
  }

  close(): void {
    const missing = [...this.#asked].filter(([, { calls, answered }]) => answered < calls.length)
      .map(([id]) => id);
    if (missing.length === 0) return;
    const more = missing.length - MAX_NAMED_IDS;
    throw new GatewayError(
      "invalid_request",
      "An assistant message with 'tool_calls' must be followed by tool messages responding to " +
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: " +
        missing.slice(0, MAX_NAMED_IDS).map((id) => id.slice(0, MAX_ID_LENGTH)).join(", ") +
        (more > 0 ? ` and ${more} more` : ""),
      { param: `messages[${this.#asker}].tool_calls` },
    );
  }
}

/** How many ids a message names, and how many characters of each. */
const MAX_NAMED_IDS = 20;
const MAX_ID_LENGTH = 200;

/** The calls of one message that have the same id, which are answered in their order. */
interface SameId {
  readonly calls: PairedCall[];
  /** How many of the calls have a result. */
  answered: number;
  /** The message with the last result. */
  lastAt: number | undefined;
}

interface Choice {
  readonly mode: ToolPlan["mode"];
  readonly allowed?: readonly string[];
  readonly name?: string;
  readonly param: string;
}

/** A choice without the list it chooses from was already left out, and reported. */
function readChoice(request: ChatRequest): Choice {
  const choice = request.tools && request.tool_choice;
  const param = "tool_choice";
  if (choice === undefined) return readLegacyChoice(request);
  if (typeof choice === "string") return { mode: choice, param };
  switch (choice.type) {
    case "function":
      return { mode: "required", name: choice.function.name, param };
    case "custom":
      return { mode: "required", name: choice.custom.name, param };
    case "allowed_tools": {
      const { mode, tools } = choice.allowed_tools;
      return { mode, allowed: tools.map(nameOfAllowed), param: "tool_choice.allowed_tools" };
    }
  }
}

function readLegacyChoice(request: ChatRequest): Choice {
  const choice = request.functions && request.function_call;
  const param = "function_call";
  if (choice === undefined || typeof choice === "string") return { mode: choice, param };
  return { mode: "required", name: choice.name, param };
}

function nameOfAllowed(tool: JsonObject): string {
  const named = isObject(tool.function) ? tool.function : tool;
  return typeof named.name === "string" ? named.name : "";
}

function readTool(tool: Tool, index: number): FunctionTool {
  if (tool.type === "function") {
    const definition = tool.function;
    const path = `tools[${index}].function`;
    return { path, definition, cacheControl: tool.cache_control ?? definition.cache_control };
  }
  throw new GatewayError(
    "unsupported_content",
    `Unsupported value for 'tools[${index}]': this provider takes tools of type 'function' only`,
    { param: `tools[${index}]` },
  );
}

function readFunction(definition: FunctionDefinition, index: number): FunctionTool {
  return { path: `functions[${index}]`, definition, cacheControl: definition.cache_control };
}

const MAGIC: readonly (readonly [bytes: string, mediaType: string])[] = [
  ["\x89PNG", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF8", "image/gif"],
  ["%PDF-", "application/pdf"],
];

function atobOrEmpty(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}

/** Percent escapes that are none stay as they are. */
function percentDecode(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const high = byte === PERCENT ? hexDigit(bytes[at + 1]) : -1;
    const low = high === -1 ? -1 : hexDigit(bytes[at + 2]);
    if (low !== -1) at += 2;
    // Written over what was read already.
    bytes[length++] = low === -1 ? byte : high * 16 + low;
  }
  return bytes.subarray(0, length);
}

const PERCENT = 0x25;

/** The value of a hexadecimal digit, or -1. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** A file as base64 alone: its name is all that tells a text. */
function readBareFile(text: string, filename: string | undefined): Media | undefined {
  const data = readBase64(text);
  if (data === undefined) return undefined;
  const textual = /\.(txt|md|csv|json|xml|html|ya?ml|log)$/i.test(filename ?? "");
  const mediaType = textual ? "text/plain" : "application/octet-stream";
  return { data, mediaType: sniffMediaType(data) ?? mediaType };
}

function unreadable(param: string): never {
  const message = `Invalid value for '${param}': it is neither base64 nor a data URL`;
  throw new GatewayError("invalid_value", message, { param });
}

/** The members that are there. */
export function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** What says that content has no place at a vendor. */
export function unsupported(path: string, why: string): GatewayError {
  const text = `Unsupported content in '${path}': ${why}`;
  return new GatewayError("unsupported_content", text, { param: path });
}

/** Whether any message speaks of JSON, without which a JSON mode may never come to an end. */
export function mentionsJson(messages: readonly Message[]): boolean {
  return messages.some(({ content }) => /json/i.test(textOf(content)));
}

/** The result of every call, by the call itself: the index of its message. */
export function resultsByCall({ results }: ToolPairing): ReadonlyMap<PairedCall, number> {
  return new Map([...results].map(([index, call]) => [call, index]));
}

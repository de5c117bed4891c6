/** The items of an answer, and the state of a model's reasoning in them. */

import type { Envelope } from "../chat/caller_format.ts";
import type { AnswerMessage, AnswerToolCall, Choice } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { type AnswerBlock, blocksOf } from "../chat/answer_blocks.ts";
import { type WebSearchCall, webSearchesOf } from "../chat/web_search.ts";
import { isText, toList, toText } from "../../core/json/values.ts";
import type { ToolNames } from "./tools.ts";
import { toTextInput } from "../chat/text_tools.ts";
import { Buffer } from "node:buffer";
import { JsonError } from "../../core/json/limits.ts";
import type { InnerJson } from "../../core/json/inner_json.ts";

// The state of a model's reasoning as `encrypted_content` of reasoning items. Clients return it
// unchanged. It is opaque to clients but not secret: vendors encrypt it themselves.

/** The content of `encrypted_content`. */
export interface PackedState {
  /** Entries of `reasoning_details`, each with its own `format`. */
  readonly details: readonly unknown[];
  /** True if the state belongs to the items before it. */
  readonly isTrailing: boolean;
}

const LEADING = "sluice-r1.";
const TRAILING = "sluice-t1.";

/** Packs the entries of `reasoning_details`. Exported for tests. */
export function packState(details: readonly unknown[], isTrailing: boolean): string {
  const tag = isTrailing ? TRAILING : LEADING;
  return tag + Buffer.from(JSON.stringify(details)).toString("base64url");
}

/** Whether a text was created by {@linkcode packState}: no vendor can read it. */
export function isPacked(text: unknown): text is string {
  return typeof text === "string" && (text.startsWith(LEADING) || text.startsWith(TRAILING));
}

/**
 * Unpacks a text; undefined for one that the gateway did not create, or that was changed.
 *
 * @param json the budget of all such texts of the request
 * @throws {JsonError} for more state than the budget allows.
 */
export function unpackState(text: unknown, json: InnerJson): PackedState | undefined {
  if (!isPacked(text)) return undefined;
  try {
    const details = json.parseBase64(text.slice(LEADING.length));
    if (!Array.isArray(details)) return undefined;
    return { details: details.filter(isObject), isTrailing: text.startsWith(TRAILING) };
  } catch (thrown) {
    if (thrown instanceof JsonError) throw thrown;
    return undefined;
  }
}

/** The status of an item. */
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** The ID prefix for each type of item. */
const PREFIXES = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  web_search_call: "ws",
  compaction: "cmp",
} as const;
type ItemType = keyof typeof PREFIXES;

/** The prefix of response IDs. */
export const RESPONSE_PREFIX = "resp_";

/**
 * Generates the item IDs for one response from the response's ID and the item's position.
 */
export class ItemIds {
  readonly #response: string;

  constructor({ id }: Envelope) {
    this.#response = id.slice(RESPONSE_PREFIX.length);
  }

  of(type: ItemType, index: number): string {
    return `${PREFIXES[type]}_${this.#response}_${index}`;
  }
}

/** The location of an item: its response, and its position in the output or the input. */
export interface ItemPlace {
  readonly response: string;
  readonly isInput: boolean;
  readonly index: number;
}

/** The location encoded in the ID of an item; undefined for other IDs. */
export function parseItemId(id: string): ItemPlace | undefined {
  const [, response, input, index] = /^[a-z]{2,4}_([\w-]+)_(i?)(\d{1,9})$/.exec(id) ?? [];
  if (response === undefined) return undefined;
  return { response: RESPONSE_PREFIX + response, isInput: input === "i", index: Number(index) };
}

/** The ID prefixes for input items whose type has no ID in an answer. */
const INPUT_PREFIXES = new Map<unknown, string>([
  ...Object.entries(PREFIXES),
  ["function_call_output", "fco"],
  ["custom_tool_call_output", "ctco"],
]);

/** Creates an ID for an input item without one. */
export function inputItemId(response: string, { type }: JsonObject, index: number): string {
  const prefix = INPUT_PREFIXES.get(type ?? "message") ?? "item";
  return `${prefix}_${response.slice(RESPONSE_PREFIX.length)}_i${index}`;
}

/** A reasoning item: its text as a summary, and its state. */
export function reasoningItem(
  id: string,
  text: string,
  details: readonly unknown[],
  isTrailing: boolean,
): JsonObject {
  return {
    id,
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    ...(details.length > 0 && { encrypted_content: packState(details, isTrailing) }),
  };
}

/** An item with an assistant message. */
export function messageItem(
  id: string,
  content: readonly JsonObject[],
  status: ItemStatus,
): JsonObject {
  return { id, type: "message", status, role: "assistant", content };
}

/** A text part of a message. */
export function textPart(
  text: string,
  annotations: readonly JsonObject[] = [],
  logprobs: readonly unknown[] = [],
): JsonObject {
  return { type: "output_text", annotations, logprobs, text };
}

/** A refusal part of a message. */
export function refusalPart(refusal: string): JsonObject {
  return { type: "refusal", refusal };
}

/** The members of a call that are known when its item begins. */
interface StartedCall {
  readonly id: string;
  readonly callId: string;
  /** The name that the model sees. */
  readonly name: string;
  /** JSON, or the input of a custom tool. */
  readonly text: string;
  readonly status: ItemStatus;
}

/** An item with a tool call, under the client's name of the tool. */
export function callItem(
  { id, callId, name, text, status }: StartedCall,
  names: ToolNames,
): JsonObject {
  const tool = names.find(name);
  const own = tool.namespace === undefined ? {} : { namespace: tool.namespace };
  const members = { id, status, call_id: callId, name: tool.name, ...own };
  return tool.type === "custom"
    ? { ...members, type: "custom_tool_call", input: text }
    : { ...members, type: "function_call", arguments: text };
}

/** A web search item. Its pages are included only if the client requests them. */
export function searchItem(
  id: string,
  { query, results }: WebSearchCall,
  status: ItemStatus,
  hasPages: boolean,
): JsonObject {
  const sources = results.map(({ url }) => ({ type: "url", url }));
  const action = { type: "search", query, queries: [query], ...(hasPages && { sources }) };
  return { id, type: "web_search_call", status, action };
}

/** The type of the item for a call. */
export function callType(name: string, names: ToolNames): "function_call" | "custom_tool_call" {
  return names.find(name).type === "custom" ? "custom_tool_call" : "function_call";
}

/** The items of a non-streamed answer: reasoning, searches, message, calls. */
export function toOutput(
  { message, finish_reason, logprobs }: Choice,
  envelope: Envelope,
  names: ToolNames,
  hasPages = false,
): readonly JsonObject[] {
  const ids = new ItemIds(envelope);
  const output: JsonObject[] = [];
  const blocks = blocksOf(message);
  if (blocks !== undefined) {
    return toOrderedOutput(blocks, { message, finish_reason }, ids, names);
  }
  const thoughts = toText(message.reasoning_content);
  const details = toList(message.reasoning_details);
  if (thoughts !== "" || details.length > 0) {
    output.push(reasoningItem(ids.of("reasoning", output.length), thoughts, details, false));
  }
  for (const search of webSearchesOf(message)) {
    const id = ids.of("web_search_call", output.length);
    output.push(searchItem(id, search, "completed", hasPages));
  }
  const calls = message.tool_calls ?? [];
  const isCut = finish_reason === "length" || finish_reason === "content_filter";
  const content = toParts(message, logprobs);
  const isSilent = content.length === 0 && calls.length === 0 && !isCut;
  if (content.length > 0 || isSilent) {
    const status = isCut && calls.length === 0 && !message.refusal ? "incomplete" : "completed";
    const parts = isSilent ? [textPart("")] : content;
    output.push(messageItem(ids.of("message", output.length), parts, status));
  }
  calls.forEach((call, index) => {
    const status = isCut && index === calls.length - 1 ? "incomplete" : "completed";
    output.push(toCallItem(call, output.length, status, ids, names));
  });
  return output;
}

/**
 * The items in the vendor's order. As in streams, an item at the end has the reasoning state, which
 * belongs to the whole turn.
 */
function toOrderedOutput(
  blocks: readonly AnswerBlock[],
  { message, finish_reason }: Pick<Choice, "message" | "finish_reason">,
  ids: ItemIds,
  names: ToolNames,
): readonly JsonObject[] {
  const isCut = finish_reason === "length" || finish_reason === "content_filter";
  const output: JsonObject[] = [];
  for (const [at, block] of blocks.entries()) {
    const position = output.length;
    const status = isCut && at === blocks.length - 1 ? "incomplete" : "completed";
    if (block.type === "call") {
      const call = message.tool_calls?.[block.index];
      if (call !== undefined) output.push(toCallItem(call, position, status, ids, names));
    } else if (block.type === "thinking") {
      output.push(reasoningItem(ids.of("reasoning", position), block.text, [], false));
    } else output.push(messageItem(ids.of("message", position), [textPart(block.text)], status));
  }
  const { refusal } = message;
  if (isText(refusal)) {
    const id = ids.of("message", output.length);
    output.push(messageItem(id, [refusalPart(refusal)], "completed"));
  }
  const details = toList(message.reasoning_details);
  if (details.length > 0) {
    output.push(reasoningItem(ids.of("reasoning", output.length), "", details, true));
  }
  return output;
}

function toParts(
  { content, refusal, annotations }: AnswerMessage,
  logprobs: unknown,
): JsonObject[] {
  const parts: JsonObject[] = [];
  if (isText(content)) {
    parts.push(textPart(content, toAnnotations(annotations), tokensOf(logprobs)));
  }
  if (isText(refusal)) parts.push(refusalPart(refusal));
  return parts;
}

function toCallItem(
  call: AnswerToolCall,
  position: number,
  status: ItemStatus,
  ids: ItemIds,
  names: ToolNames,
): JsonObject {
  const { name, text } = call.type === "custom"
    ? { name: call.custom.name, text: call.custom.input }
    : { name: call.function.name, text: call.function.arguments };
  const type = callType(name, names);
  const isPacked = type === "custom_tool_call" && call.type === "function";
  return callItem({
    id: ids.of(type, position),
    callId: call.id,
    name,
    text: isPacked ? toTextInput(text) : text,
    status,
  }, names);
}

/** Citations in the flat form of this API. */
export function toAnnotations(annotations: unknown): JsonObject[] {
  return toList(annotations).filter(isObject).map((one) =>
    isObject(one.url_citation) ? { type: one.type, ...one.url_citation } : one
  );
}

/** The tokens of the text, from the `logprobs` of a choice. */
export function tokensOf(logprobs: unknown): readonly unknown[] {
  return isObject(logprobs) ? toList(logprobs.content) : [];
}

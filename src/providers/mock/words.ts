/** Texts of messages, and their words. The work is linear in the text, and answers are bounded. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toValue } from "./schema.ts";

/**
 * The maximum length of a repeated text, in UTF-16 units. The rest is omitted, as at a token limit.
 */
const MAX_REPEATED = 16_384;

/** The text of a message's content. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter(isObject).map((part) => typeof part.text === "string" ? part.text : "")
    .join("");
}

/** The last text of a message's content: clients append the user's text to their own. */
function lastTextOf(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  const last = content.findLast((part) => isObject(part) && typeof part.text === "string");
  return textOf([last]);
}

/** The beginning of a text, which is repeated. */
export function repeatable(text: string): string {
  return text.length > MAX_REPEATED ? text.slice(0, MAX_REPEATED) : text;
}

/** Splits a text into words with their trailing white space. The joined words are the text. */
export function wordsOf(text: string): string[] {
  // A text of only white space would take quadratic time.
  return text.trim() === "" ? [] : text.match(/(?:^\s+)?\S+\s*/g) ?? [];
}

/** The length of a request's text that is counted word by word, in UTF-16 units. */
const MAX_COUNTED = 4_000_000;

/** The number of words of texts. Beyond the first megabytes it is an estimate from these. */
export function countWords(texts: readonly string[]): number {
  let words = 0;
  let counted = 0;
  let total = 0;
  for (const text of texts) {
    const end = Math.min(text.length, MAX_COUNTED - counted);
    words += wordsBefore(text, end);
    counted += end;
    total += text.length;
  }
  return counted === total ? words : Math.round(words * (total / counted));
}

/** The number of words that begin before a position, counted without creating them. */
function wordsBefore(text: string, end: number): number {
  let count = 0;
  let wasSpace = true;
  for (let index = 0; index < end; index++) {
    const isSpace = isWhiteSpace(text.charCodeAt(index));
    if (wasSpace && !isSpace) count++;
    wasSpace = isSpace;
  }
  return count;
}

/** Whether `\s` matches a UTF-16 unit. */
function isWhiteSpace(unit: number): boolean {
  if (unit < 0xA0) return unit === 0x20 || unit >= 0x09 && unit <= 0x0D;
  if (unit < 0x1680) return unit === 0xA0;
  return unit >= 0x2000 && unit <= 0x200A || OTHER_SPACES.has(unit);
}

const OTHER_SPACES: ReadonlySet<number> = new Set([
  0x1680,
  0x2028,
  0x2029,
  0x202F,
  0x205F,
  0x3000,
  0xFEFF,
]);

/** A tool call. */
export interface MockCall {
  readonly name: string;
  readonly arguments: string;
}

/** The length of a prompt that is searched for tool names, in UTF-16 units. */
const MAX_SEARCHED = 10_000;

/**
 * Calls the tool that `tool_choice` names, the first one if it requires a call, otherwise the first
 * one that the user's last text names. The arguments match its schema.
 */
export function toCall(body: JsonObject, messages: readonly JsonObject[]): MockCall | undefined {
  if (messages.at(-1)?.role === "tool" || !Array.isArray(body.tools)) return undefined;
  const tools = new Map<string, JsonObject>();
  for (const { function: tool } of body.tools.filter(isObject)) {
    if (isObject(tool) && !tools.has(String(tool.name))) tools.set(String(tool.name), tool);
  }
  const tool = chosen(body.tool_choice, tools, messages);
  if (tool === undefined) return undefined;
  const values = isObject(tool.parameters) ? toValue(tool.parameters) : {};
  return { name: String(tool.name), arguments: JSON.stringify(isObject(values) ? values : {}) };
}

function chosen(
  choice: unknown,
  tools: ReadonlyMap<string, JsonObject>,
  messages: readonly JsonObject[],
): JsonObject | undefined {
  if (choice === "none") return undefined;
  const named = namedIn(messages.findLast(({ role }) => role === "user"), tools);
  if (choice === "required") return named ?? first(tools);
  if (!isObject(choice)) return named;
  if (isObject(choice.function)) return tools.get(String(choice.function.name)) ?? first(tools);
  return choice.type === "any" ? named ?? first(tools) : named;
}

function first(tools: ReadonlyMap<string, JsonObject>): JsonObject | undefined {
  return tools.values().next().value;
}

/** The first tool that a message names, as a whole word. */
function namedIn(
  message: JsonObject | undefined,
  tools: ReadonlyMap<string, JsonObject>,
): JsonObject | undefined {
  const words = lastTextOf(message?.content).slice(0, MAX_SEARCHED).match(/[\w-]+/g) ?? [];
  const name = words.find((word) => tools.has(word));
  return name === undefined ? undefined : tools.get(name);
}

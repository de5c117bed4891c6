/**
 * Estimates the input tokens of a request, for vendors that have no counter.
 *
 * The weights were fitted to OpenAI's encoding `o200k_base` on prose in several languages, source
 * code and JSON; tests/formats/messages/token_estimate_test.ts holds the measured counts. Other
 * vendors' encodings differ by some percent.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";

/** Tokens that frame a message, a tool or the whole request. */
const PER_MESSAGE = 4;
const PER_TOOL = 8;
/** Tokens of an image: about those of one with a megapixel. */
const PER_IMAGE = 1500;
/** Characters of base64 that make one token of a document. */
const DOCUMENT_CHARS_PER_TOKEN = 40;

/** Estimates the input tokens of a request of the Messages API. */
export function estimateTokens({ system, messages, tools }: JsonObject): number {
  let tokens = PER_MESSAGE + contentTokens(system);
  for (const message of Array.isArray(messages) ? messages.filter(isObject) : []) {
    tokens += PER_MESSAGE + contentTokens(message.content);
  }
  for (const tool of Array.isArray(tools) ? tools : []) {
    tokens += PER_TOOL + textTokens(JSON.stringify(tool));
  }
  return Math.ceil(tokens);
}

function contentTokens(content: unknown): number {
  if (typeof content === "string") return textTokens(content);
  if (!Array.isArray(content)) return 0;
  return content.filter(isObject).reduce((sum, block) => sum + blockTokens(block), 0);
}

function blockTokens(block: JsonObject): number {
  const { type, text, thinking, source, content, input, name } = block;
  switch (type) {
    case "text":
      return textTokens(String(text));
    case "thinking":
      return textTokens(String(thinking));
    case "image":
      return PER_IMAGE;
    case "document":
      return sourceTokens(source);
    case "tool_result":
      return PER_TOOL + contentTokens(content);
    case "tool_use":
      return PER_TOOL + textTokens(String(name)) + textTokens(JSON.stringify(input ?? {}));
    default:
      return textTokens(JSON.stringify(block));
  }
}

function sourceTokens(source: unknown): number {
  if (!isObject(source)) return 0;
  const { type, data, content } = source;
  if (type === "content") return contentTokens(content);
  if (typeof data !== "string") return PER_IMAGE;
  return type === "text" ? textTokens(data) : data.length / DOCUMENT_CHARS_PER_TOKEN;
}

/** The class of a character for a tokenizer. */
type Kind =
  | "lower"
  | "upper"
  | "digit"
  | "space"
  | "line"
  | "mark"
  | "accented"
  | "letter"
  | "ideograph";

/** Tokens of a run of characters of one kind, by its length. */
const RUNS: Readonly<Record<Kind, (length: number) => number>> = {
  lower: (length) => length <= 9 ? 1 + Math.max(0, length - 5) * 0.09 : 1.35 + (length - 9) * 0.22,
  upper: (length) => length === 1 ? 0 : 0.35 + length * 0.33,
  digit: (length) => 0.15 + Math.ceil(length / 3),
  space: (length) => length === 1 ? 0 : 0.6,
  line: () => 0.5,
  mark: (length) => 0.45 + length * 0.32,
  accented: (length) => length * 0.1,
  letter: (length) => 0.7 + length * 0.22,
  ideograph: (length) => length * 0.9,
};

/** Estimates the tokens of a text. Exported for tests. */
export function textTokens(text: string): number {
  let tokens = 0;
  let kind: Kind | undefined;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const next = kindOf(text.charCodeAt(at));
    if (next === kind) length++;
    else {
      if (kind !== undefined) tokens += RUNS[kind](length);
      kind = next;
      length = 1;
    }
  }
  return kind === undefined ? tokens : tokens + RUNS[kind](length);
}

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return "lower";
  if (code >= 65 && code <= 90) return "upper";
  if (code >= 48 && code <= 57) return "digit";
  if (code === 10 || code === 13) return "line";
  if (code === 32 || code === 9) return "space";
  if (code < 128) return "mark";
  // Accented Latin letters split the words that they stand in.
  if (code >= 0xc0 && code < 0x250) return "accented";
  return code >= 0x2e80 && code < 0xfb00 ? "ideograph" : "letter";
}

/**
 * Estimates the input tokens of a request, for vendors that have no counter.
 *
 * The weights were fitted to OpenAI's encoding `o200k_base` on prose in several languages, source
 * code and JSON; tests/formats/messages/token_estimate_test.ts holds the measured counts. Other
 * vendors' encodings differ by some percent.
 */

import { TimeSlice } from "../../core/clock.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toList, toObject } from "../../core/json/values.ts";
import { toJsonText } from "../../core/json/writer.ts";

/** Tokens that frame a message, a tool or the whole request. */
const PER_MESSAGE = 4;
const PER_TOOL = 8;
/** Tokens of an image: about those of one with a megapixel. */
const PER_IMAGE = 1500;
/** Characters of base64 that make one token of a document. */
const DOCUMENT_CHARS_PER_TOKEN = 40;

/** Estimates the input tokens of a request of the Messages API, in slices of time. */
export async function estimateTokens(request: JsonObject): Promise<number> {
  const slice = new TimeSlice();
  let tokens = 0;
  for (const part of partsOf(request)) {
    if (typeof part === "number") tokens += part;
    else {
      const text = typeof part === "string" ? part : await toJsonText(part);
      const runs = new Runs();
      for (let at = 0; at < text.length; at += PIECE_LENGTH) {
        runs.add(text, at, Math.min(at + PIECE_LENGTH, text.length));
        if (slice.isOver) await slice.next();
      }
      tokens += runs.tokens;
    }
  }
  return Math.ceil(tokens);
}

/** UTF-16 units that are counted before the time is checked. */
const PIECE_LENGTH = 64 * 1024;

/** What has tokens: a number of them, a text, or a value that is counted as JSON. */
type Part = number | string | JsonObject;

/** All that is counted. Exported for tests. */
export function* partsOf({ system, messages, tools }: JsonObject): Generator<Part> {
  yield PER_MESSAGE;
  yield* contentParts(system);
  for (const message of toList(messages)) {
    if (!isObject(message)) continue;
    yield PER_MESSAGE;
    yield* contentParts(message.content);
  }
  for (const tool of toList(tools)) {
    yield PER_TOOL;
    if (isObject(tool)) yield tool;
  }
}

function* contentParts(content: unknown): Generator<Part> {
  if (typeof content === "string") yield content;
  for (const block of toList(content)) if (isObject(block)) yield* blockParts(block);
}

function* blockParts(block: JsonObject): Generator<Part> {
  const { type, text, thinking, source, content, input, name } = block;
  switch (type) {
    case "text":
      return yield String(text);
    case "thinking":
      return yield String(thinking);
    case "image":
      return yield PER_IMAGE;
    case "document":
      return yield* sourceParts(source);
    case "tool_result":
      yield PER_TOOL;
      return yield* contentParts(content);
    case "tool_use":
      yield PER_TOOL;
      yield String(name);
      return yield toObject(input);
    default:
      yield block;
  }
}

function* sourceParts(source: unknown): Generator<Part> {
  if (!isObject(source)) return;
  const { type, data, content } = source;
  if (type === "content") yield* contentParts(content);
  else if (typeof data !== "string") yield PER_IMAGE;
  else yield type === "text" ? data : data.length / DOCUMENT_CHARS_PER_TOKEN;
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
  const runs = new Runs();
  runs.add(text, 0, text.length);
  return runs.tokens;
}

/** Adds up the tokens of the runs of a text, piece by piece. */
class Runs {
  #tokens = 0;
  #kind: Kind | undefined;
  #length = 0;

  add(text: string, start: number, end: number): void {
    let tokens = this.#tokens;
    let kind = this.#kind;
    let length = this.#length;
    for (let at = start; at < end; at++) {
      const next = kindOf(text.charCodeAt(at));
      if (next === kind) length++;
      else {
        if (kind !== undefined) tokens += RUNS[kind](length);
        kind = next;
        length = 1;
      }
    }
    this.#tokens = tokens;
    this.#kind = kind;
    this.#length = length;
  }

  /** The tokens so far, as if the text ended here. */
  get tokens(): number {
    return this.#kind === undefined ? this.#tokens : this.#tokens + RUNS[this.#kind](this.#length);
  }
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

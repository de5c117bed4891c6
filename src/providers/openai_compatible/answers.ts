/** Readers for the variations in answers from OpenAI-compatible vendors. */

import { type FinishReason, isObject, type JsonObject } from "../../contract/chat.ts";

const FINISH_REASONS = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["content_filter", "content_filter"],
  ["function_call", "tool_calls"],
  ["tool_call", "tool_calls"],
  ["tool_use", "tool_calls"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filtered", "content_filter"],
  ["sensitive", "content_filter"],
  ["safety", "content_filter"],
  ["risk", "content_filter"],
]);

/** Finish reasons of answers that the vendor aborted. */
const ABORTED_REASONS = new Set([
  "error",
  "network_error",
  "insufficient_system_resource",
  "abort",
]);

/**
 * The finish reason of OpenAI, `"broken"` if the vendor aborted the answer, or undefined when there
 * is none yet.
 *
 * @param own the vendor's additional finish reasons
 */
export function toFinishReason(
  reason: unknown,
  own: Readonly<Record<string, FinishReason>> | undefined,
): FinishReason | "broken" | undefined {
  if (typeof reason !== "string" || reason === "") return undefined;
  if (own !== undefined && Object.hasOwn(own, reason)) return own[reason];
  if (ABORTED_REASONS.has(reason)) return "broken";
  return FINISH_REASONS.get(reason) ?? "stop";
}

/**
 * Renames `reasoning`, which several servers send instead of, or in addition to,
 * `reasoning_content`.
 */
export function moveReasoning(message: JsonObject): void {
  if (typeof message.reasoning === "string") {
    message.reasoning_content ??= message.reasoning;
    delete message.reasoning;
  } else if (message.reasoning === null) delete message.reasoning;
  if (message.reasoning_content === null || message.reasoning_content === "") {
    delete message.reasoning_content;
  }
}

/**
 * Splits the text of a message or a delta into reasoning and content.
 *
 * @param last whether no more text follows
 */
export function splitReasoning(message: JsonObject, tags: ThinkTags, last: boolean): void {
  const text = typeof message.content === "string" ? message.content : "";
  if (text === "" && !last) return;
  const pieces = [tags.push(text), ...(last ? [tags.end()] : [])];
  const content = pieces.map((part) => part.content).join("");
  const reasoning = pieces.map((part) => part.reasoning).join("");
  if (content !== text) message.content = content;
  if (reasoning === "") return;
  const before = message.reasoning_content;
  message.reasoning_content = typeof before === "string" ? before + reasoning : reasoning;
}

const OPENING = "<think>";
const CLOSING = "</think>";
/** The maximum white space before a tag, in UTF-16 units. */
const MAX_BUFFERED_CHARS = 1024;

/** The reasoning and the content of a piece of text. */
interface SplitText {
  readonly reasoning: string;
  readonly content: string;
}

/** Splits text that begins with reasoning between think tags. */
export class ThinkTags {
  #state: "start" | "opened" | "thinking" | "gap" | "content" = "start";
  /** Text that may be the start of a tag. */
  #buffer = "";

  /** True once all further text is content. */
  get isDone(): boolean {
    return this.#state === "content";
  }

  /** Splits the next piece. An incomplete tag is buffered. */
  push(text: string): SplitText {
    if (this.isDone) return { reasoning: "", content: text };
    this.#buffer += text;
    if (this.#state === "start") this.#readOpeningTag();
    if (this.#state === "opened") this.#skipSpace("thinking");
    const reasoning = this.#state === "thinking" ? this.#takeReasoning() : "";
    if (this.#state === "gap") this.#skipSpace("content");
    return { reasoning, content: this.isDone ? this.#take(this.#buffer.length) : "" };
  }

  /** Returns the buffered text at the end. */
  end(): SplitText {
    const text = this.#take(this.#buffer.length);
    const thinking = this.#state === "thinking";
    return { reasoning: thinking ? text : "", content: thinking ? "" : text };
  }

  #readOpeningTag(): void {
    const text = this.#buffer.trimStart();
    if (text.startsWith(OPENING)) {
      this.#state = "opened";
      this.#buffer = text.slice(OPENING.length);
    } else if (!OPENING.startsWith(text) || this.#buffer.length > MAX_BUFFERED_CHARS) {
      this.#state = "content";
    }
  }

  #skipSpace(next: "thinking" | "content"): void {
    this.#buffer = this.#buffer.trimStart();
    if (this.#buffer !== "") this.#state = next;
  }

  #takeReasoning(): string {
    const end = this.#buffer.indexOf(CLOSING);
    if (end === -1) return this.#take(this.#buffer.length - partialTagLength(this.#buffer));
    const reasoning = this.#take(end);
    this.#take(CLOSING.length);
    this.#state = "gap";
    return reasoning;
  }

  #take(length: number): string {
    const taken = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(length);
    return taken;
  }
}

/** The length of the closing tag's start at the end of a text. */
function partialTagLength(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length--) {
    if (CLOSING.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/**
 * Merges the pieces of `reasoning_details` in a stream. They are sent in one delta at the end:
 * OpenAI's JavaScript client keeps only the last delta of an unknown member.
 */
export class ReasoningDetails {
  readonly #entries: JsonObject[] = [];
  /** Entries that further pieces extend, by type and index. */
  readonly #openEntries = new Map<unknown, Map<unknown, JsonObject>>();

  /** The merged entries. */
  get entries(): readonly JsonObject[] {
    return this.#entries;
  }

  add(pieces: readonly unknown[]): void {
    for (const piece of pieces.filter(isObject)) {
      const text = TEXT_MEMBERS.get(piece.type);
      const entries = this.#openEntries.get(piece.type) ?? new Map<unknown, JsonObject>();
      const entry = text === undefined ? undefined : entries.get(piece.index);
      if (text !== undefined && entry !== undefined) {
        append(entry, piece, text);
        continue;
      }
      const own = { ...piece };
      this.#entries.push(own);
      if (text !== undefined) this.#openEntries.set(piece.type, entries.set(piece.index, own));
    }
  }
}

/** The text member by entry type. Entries of other types are sent in one piece. */
const TEXT_MEMBERS = new Map<unknown, string>([
  ["reasoning.text", "text"],
  ["reasoning.summary", "summary"],
]);

function append(entry: JsonObject, piece: JsonObject, growing: string): void {
  for (const [name, value] of Object.entries(piece)) {
    if (value === null) continue;
    entry[name] = name === growing ? `${entry[name] ?? ""}${value}` : value;
  }
}

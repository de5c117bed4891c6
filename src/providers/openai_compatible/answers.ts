/** What answers of OpenAI's dialect say, whichever of its many ways a vendor says it. */

import { type FinishReason, isObject, type JsonObject } from "../../chat/chat.ts";

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

/** Ends that are none: the vendor gave up on the answer. */
const BROKEN = new Set(["error", "network_error", "insufficient_system_resource", "abort"]);

/**
 * One of OpenAI's finish reasons, `"broken"` where the vendor gave up on the
 * answer, or undefined when there is none yet.
 *
 * @param own the vendor's words beyond the common ones
 */
export function toFinishReason(
  reason: unknown,
  own: Readonly<Record<string, FinishReason>> | undefined,
): FinishReason | "broken" | undefined {
  if (typeof reason !== "string" || reason === "") return undefined;
  if (own !== undefined && Object.hasOwn(own, reason)) return own[reason];
  if (BROKEN.has(reason)) return "broken";
  return FINISH_REASONS.get(reason) ?? "stop";
}

/** `reasoning` is what several servers call `reasoning_content`; some send both. */
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
 * Tells the reasoning in a message's or a delta's text from the answer.
 *
 * @param last whether no more text follows
 */
export function tellThoughts(message: JsonObject, tags: ThinkTags, last: boolean): void {
  const text = typeof message.content === "string" ? message.content : "";
  if (text === "" && !last) return;
  const told = [tags.push(text), ...(last ? [tags.end()] : [])];
  const content = told.map((piece) => piece.content).join("");
  const reasoning = told.map((piece) => piece.reasoning).join("");
  if (content !== text) message.content = content;
  if (reasoning === "") return;
  const before = message.reasoning_content;
  message.reasoning_content = typeof before === "string" ? before + reasoning : reasoning;
}

const OPENING = "<think>";
const CLOSING = "</think>";
/** More white space than this is not before a tag, in characters. */
const MAX_HELD = 1024;

/** A piece of an answer, told apart. */
interface Told {
  readonly reasoning: string;
  readonly content: string;
}

/** Tells reasoning from the answer in text that begins with the one between think tags. */
export class ThinkTags {
  #state: "start" | "opened" | "thinking" | "gap" | "through" = "start";
  /** What may be the beginning of a tag. */
  #held = "";

  /** True once everything that follows is the answer. */
  get through(): boolean {
    return this.#state === "through";
  }

  /** What can be told of the next piece. */
  push(text: string): Told {
    if (this.through) return { reasoning: "", content: text };
    this.#held += text;
    if (this.#state === "start") this.#open();
    if (this.#state === "opened") this.#skipSpace("thinking");
    const reasoning = this.#state === "thinking" ? this.#think() : "";
    if (this.#state === "gap") this.#skipSpace("through");
    return { reasoning, content: this.through ? this.#take(this.#held.length) : "" };
  }

  /** What was held back, now that nothing follows. */
  end(): Told {
    const text = this.#take(this.#held.length);
    const thinking = this.#state === "thinking";
    return { reasoning: thinking ? text : "", content: thinking ? "" : text };
  }

  #open(): void {
    const text = this.#held.trimStart();
    if (text.startsWith(OPENING)) {
      this.#state = "opened";
      this.#held = text.slice(OPENING.length);
    } else if (!OPENING.startsWith(text) || this.#held.length > MAX_HELD) this.#state = "through";
  }

  #skipSpace(next: "thinking" | "through"): void {
    this.#held = this.#held.trimStart();
    if (this.#held !== "") this.#state = next;
  }

  #think(): string {
    const end = this.#held.indexOf(CLOSING);
    if (end === -1) return this.#take(this.#held.length - openEnd(this.#held));
    const thought = this.#take(end);
    this.#take(CLOSING.length);
    this.#state = "gap";
    return thought;
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}

/** How many characters at the end of a text may be the beginning of the closing tag. */
function openEnd(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length--) {
    if (CLOSING.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/**
 * Puts the entries of `reasoning_details` together that a stream holds in
 * pieces. They are told all at once in the end: OpenAI's own client for
 * JavaScript keeps only the last delta of a member it does not know.
 */
export class ReasoningDetails {
  readonly #entries: JsonObject[] = [];
  /** The last entry of each type that grows, by its index. */
  readonly #growing = new Map<unknown, Map<unknown, JsonObject>>();

  /** The entries, once nothing is added to them. */
  get whole(): readonly JsonObject[] {
    return this.#entries;
  }

  add(pieces: readonly unknown[]): void {
    for (const piece of pieces.filter(isObject)) {
      const text = GROWING.get(piece.type);
      const entries = this.#growing.get(piece.type) ?? new Map<unknown, JsonObject>();
      const entry = text === undefined ? undefined : entries.get(piece.index);
      if (text !== undefined && entry !== undefined) {
        append(entry, piece, text);
        continue;
      }
      const own = { ...piece };
      this.#entries.push(own);
      if (text !== undefined) this.#growing.set(piece.type, entries.set(piece.index, own));
    }
  }
}

/** What grows by pieces, by the type of the entry; others come whole. */
const GROWING = new Map<unknown, string>([
  ["reasoning.text", "text"],
  ["reasoning.summary", "summary"],
]);

function append(entry: JsonObject, piece: JsonObject, growing: string): void {
  for (const [name, value] of Object.entries(piece)) {
    if (value === null) continue;
    entry[name] = name === growing ? `${entry[name] ?? ""}${value}` : value;
  }
}

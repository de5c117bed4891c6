/** The open items of a stream. Each writes its events, from `added` to `done`. */

import type { JsonObject } from "../../contract/chat.ts";
import type { WebSearchCall } from "../chat/web_search.ts";
import { JsonScanner } from "../../core/json/scan.ts";
import { toText } from "../../core/json/values.ts";
import {
  callItem,
  callType,
  type ItemIds,
  type ItemStatus,
  messageItem,
  reasoningItem,
  refusalPart,
  searchItem,
  textPart,
} from "./output_items.ts";
import type { ToolNames } from "./tools.ts";
import { toTextInput } from "../chat/text_tools.ts";

/** Writes one event: its type, and its members other than the type and the sequence number. */
export type Emit = (type: string, members: JsonObject) => void;

/** An item that has begun. */
export interface OpenItem {
  /** Writes its last events; returns the whole item. */
  close(status: ItemStatus): JsonObject;
}

/** A message with one part, whose text is incomplete. */
export interface BegunMessage {
  /** The item as it was added. */
  readonly item: JsonObject;
  readonly text: string;
}

/** An assistant message: one part at a time, which is text or a refusal. */
export class OpenMessage implements OpenItem {
  readonly #emit: Emit;
  readonly #id: string;
  readonly #index: number;
  /** The members that the vendor gave the item. */
  readonly #item: JsonObject;
  readonly #parts: JsonObject[] = [];
  #part: "text" | "refusal" | undefined;
  /** The text of the open part, in pieces. */
  #pieces: string[] = [];
  #logprobs: unknown[] = [];
  #annotations: JsonObject[] = [];

  /** @param begun the message, if another writer has added it already */
  constructor(emit: Emit, ids: ItemIds, index: number, begun?: BegunMessage) {
    this.#emit = emit;
    this.#index = index;
    this.#item = begun?.item ?? {};
    this.#id = toText(this.#item.id) || ids.of("message", index);
    if (begun !== undefined) {
      this.#part = "text";
      this.#pieces.push(begun.text);
      return;
    }
    const item = messageItem(this.#id, [], "in_progress");
    emit("response.output_item.added", { output_index: index, item });
  }

  get #place(): JsonObject {
    return {
      item_id: this.#id,
      output_index: this.#index,
      content_index: this.#parts.length,
    };
  }

  say(delta: string, logprobs: readonly unknown[]): void {
    this.#openPart("text");
    this.#pieces.push(delta);
    for (const one of logprobs) this.#logprobs.push(one);
    this.#emit("response.output_text.delta", { ...this.#place, delta, logprobs });
  }

  refuse(delta: string): void {
    this.#openPart("refusal");
    this.#pieces.push(delta);
    this.#emit("response.refusal.delta", { ...this.#place, delta });
  }

  annotate(annotations: readonly JsonObject[]): void {
    this.#openPart("text");
    for (const annotation of annotations) {
      const annotation_index = this.#annotations.length;
      this.#annotations.push(annotation);
      this.#emit("response.output_text.annotation.added", {
        ...this.#place,
        annotation_index,
        annotation,
      });
    }
  }

  /** Begins an empty text part, for an answer without text. */
  openText(): void {
    this.#openPart("text");
  }

  close(status: ItemStatus): JsonObject {
    this.#closePart();
    const item = { ...this.#item, ...messageItem(this.#id, this.#parts, status) };
    this.#emit("response.output_item.done", { output_index: this.#index, item });
    return item;
  }

  #openPart(type: "text" | "refusal"): void {
    if (this.#part === type) return;
    this.#closePart();
    this.#part = type;
    const part = type === "text" ? textPart("") : refusalPart("");
    this.#emit("response.content_part.added", { ...this.#place, part });
  }

  #closePart(): void {
    if (this.#part === undefined) return;
    const text = this.#pieces.join("");
    const logprobs = this.#logprobs;
    let part: JsonObject;
    if (this.#part === "text") {
      part = textPart(text, this.#annotations, logprobs);
      this.#emit("response.output_text.done", { ...this.#place, text, logprobs });
    } else {
      part = refusalPart(text);
      this.#emit("response.refusal.done", { ...this.#place, refusal: text });
    }
    this.#emit("response.content_part.done", { ...this.#place, part });
    this.#parts.push(part);
    this.#part = undefined;
    this.#pieces = [];
    this.#logprobs = [];
    this.#annotations = [];
  }
}

/** Reasoning: its text as one part of a summary. */
export class OpenReasoning implements OpenItem {
  readonly #emit: Emit;
  readonly #id: string;
  readonly #index: number;
  readonly #isTrailing: boolean;
  readonly #pieces: string[] = [];
  readonly #details: unknown[] = [];

  /** @param isTrailing true if the state belongs to the items before this one */
  constructor(emit: Emit, ids: ItemIds, index: number, isTrailing: boolean) {
    this.#emit = emit;
    this.#index = index;
    this.#isTrailing = isTrailing;
    this.#id = ids.of("reasoning", index);
    const item = reasoningItem(this.#id, "", [], false);
    emit("response.output_item.added", { output_index: index, item });
  }

  get #place(): JsonObject {
    return { item_id: this.#id, output_index: this.#index, summary_index: 0 };
  }

  think(delta: string): void {
    if (this.#pieces.length === 0) {
      const part = { type: "summary_text", text: "" };
      this.#emit("response.reasoning_summary_part.added", { ...this.#place, part });
    }
    this.#pieces.push(delta);
    this.#emit("response.reasoning_summary_text.delta", { ...this.#place, delta });
  }

  /** Adds the state of the reasoning. */
  keep(details: readonly unknown[]): void {
    for (const detail of details) this.#details.push(detail);
  }

  close(): JsonObject {
    const text = this.#pieces.join("");
    if (this.#pieces.length > 0) {
      const part = { type: "summary_text", text };
      this.#emit("response.reasoning_summary_text.done", { ...this.#place, text });
      this.#emit("response.reasoning_summary_part.done", { ...this.#place, part });
    }
    const item = reasoningItem(this.#id, text, this.#details, this.#isTrailing);
    this.#emit("response.output_item.done", { output_index: this.#index, item });
    return item;
  }
}

/** Writes the item for a search, which is known only after it has ended. */
export function writeSearch(
  emit: Emit,
  ids: ItemIds,
  index: number,
  search: WebSearchCall,
  hasPages: boolean,
): JsonObject {
  const id = ids.of("web_search_call", index);
  const place = { output_index: index, item_id: id };
  const begun = { id, type: "web_search_call", status: "in_progress" };
  emit("response.output_item.added", { output_index: index, item: begun });
  for (const state of ["in_progress", "searching", "completed"]) {
    emit(`response.web_search_call.${state}`, place);
  }
  const item = searchItem(id, search, "completed", hasPages);
  emit("response.output_item.done", { output_index: index, item });
  return item;
}

/** A tool call. The input of a custom tool is known only at its end. */
export class OpenCall implements OpenItem {
  readonly #emit: Emit;
  readonly #names: ToolNames;
  readonly #call: { readonly id: string; readonly callId: string; readonly name: string };
  readonly #index: number;
  readonly #isCustom: boolean;
  readonly #scanner = new JsonScanner();
  readonly #pieces: string[] = [];

  constructor(
    emit: Emit,
    ids: ItemIds,
    index: number,
    called: { readonly callId: string; readonly name: string },
    names: ToolNames,
  ) {
    this.#emit = emit;
    this.#names = names;
    this.#index = index;
    const type = callType(called.name, names);
    this.#isCustom = type === "custom_tool_call";
    this.#call = { ...called, id: ids.of(type, index) };
    const item = callItem({ ...this.#call, text: "", status: "in_progress" }, names);
    emit("response.output_item.added", { output_index: index, item });
  }

  get #place(): JsonObject {
    return { item_id: this.#call.id, output_index: this.#index };
  }

  /** Whether its arguments are complete. */
  get isWhole(): boolean {
    return this.#scanner.complete;
  }

  /** @param isJson false for the input of a custom tool, whose end cannot be detected */
  write(delta: string, isJson: boolean): void {
    this.#pieces.push(delta);
    if (isJson) this.#scanner.push(delta);
    if (this.#isCustom) return;
    this.#emit("response.function_call_arguments.delta", { ...this.#place, delta });
  }

  close(status: ItemStatus): JsonObject {
    const text = this.#pieces.join("");
    const whole = this.#isCustom ? toTextInput(text) : text;
    const item = callItem({ ...this.#call, text: whole, status }, this.#names);
    if (this.#isCustom) {
      const place = this.#place;
      this.#emit("response.custom_tool_call_input.delta", { ...place, delta: whole });
      this.#emit("response.custom_tool_call_input.done", { ...place, input: whole });
    } else {
      this.#emit("response.function_call_arguments.done", {
        ...this.#place,
        arguments: whole,
        name: item.name,
      });
    }
    this.#emit("response.output_item.done", { output_index: this.#index, item });
    return item;
  }
}

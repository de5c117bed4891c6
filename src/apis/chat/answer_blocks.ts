/**
 * The order of thoughts, texts and calls in a non-streamed answer. A message of chat
 * completions has one member for each; other formats have blocks, and vendors may alternate.
 */

import type { AnswerMessage } from "../../contract/chat.ts";

/** One block: its text, or the position of a call in `tool_calls`. */
export type AnswerBlock =
  | { readonly type: "thinking" | "text"; readonly text: string }
  | { readonly type: "call"; readonly index: number };

const BLOCKS = Symbol("blocks");

const RANKS = { thinking: 0, text: 1, call: 2 } as const;

/** Collects the blocks of one answer. */
export class BlockOrder {
  readonly #blocks: AnswerBlock[] = [];
  #calls = 0;
  /** Whether the order of the members is that of the message: thoughts, then text, then calls. */
  #isUsual = true;

  /** @param separator between two consecutive texts of the same type */
  say(type: "thinking" | "text", text: string, separator = ""): void {
    if (text === "") return;
    const last = this.#blocks.at(-1);
    if (last?.type === type) {
      this.#blocks.splice(-1, 1, { type, text: last.text + separator + text });
    } else this.#add({ type, text });
  }

  /** Adds the next call. */
  call(): void {
    this.#add({ type: "call", index: this.#calls++ });
  }

  /**
   * Adds the order to a message, unless it follows from the members. Copies of the message keep it.
   */
  addTo(message: AnswerMessage): AnswerMessage {
    return this.#isUsual ? message : Object.assign(message, { [BLOCKS]: this.#blocks });
  }

  #add(block: AnswerBlock): void {
    const last = this.#blocks.at(-1);
    if (last !== undefined && RANKS[block.type] < RANKS[last.type]) this.#isUsual = false;
    this.#blocks.push(block);
  }
}

/** The blocks of an answer; undefined if they are in the usual order. */
export function blocksOf(message: AnswerMessage): readonly AnswerBlock[] | undefined {
  return (message as { readonly [BLOCKS]?: readonly AnswerBlock[] })[BLOCKS];
}

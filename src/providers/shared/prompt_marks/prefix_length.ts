/** Whether the start of a prompt is long enough for a vendor's cache. */

import { TokenCounter } from "../../../core/tokens/token_counter.ts";
import { tokenFamily } from "../token_families.ts";
import type { Prompt } from "./placement.ts";

/** The maximum UTF-16 units per token: a longer prefix reaches the minimum without an estimate. */
const MAX_UNITS_PER_TOKEN = 6;
/** UTF-16 units of each sample of a text, and of all samples, whose tokens are counted. */
const WINDOW = 96;
const MAX_SAMPLE = 1024;
/** UTF-16 units of the marks around a member of JSON. */
const UNITS_PER_MEMBER = 4;

/** Members that hold the data of media. */
const DATA_MEMBERS: ReadonlySet<string> = new Set(["data", "bytes", "url"]);
/** UTF-16 units of data that make about one token of a small image, and the most for a large one. */
const DATA_UNITS_PER_TOKEN = 64;
const MAX_MEDIA_TOKENS = 1500;

/**
 * Measures the prompt up to each message. Reads only as much as needed, and counts only samples of
 * it: the time is bounded by the minimum.
 */
export class PrefixLength {
  readonly #messages: readonly unknown[];
  readonly #minTokens: number;
  readonly #sample: string[] = [];
  #sampled = 0;
  #units = 0;
  #mediaTokens = 0;
  #added = 0;
  #isReached = false;

  constructor({ tools, system, messages }: Prompt, minTokens: number) {
    this.#messages = messages;
    this.#minTokens = minTokens;
    this.#add(tools, UNITS_PER_MEMBER);
    this.#add(system);
  }

  /** Whether tools, system prompt and the messages before an index reach the minimum. */
  isReachedBefore(index: number): boolean {
    while (!this.#isReached && this.#added < index) this.#add(this.#messages[this.#added++]);
    return this.#isReached;
  }

  /** @param perMember what the name of a member counts besides its length; 0 if names do not count */
  #add(root: unknown, perMember = 0): void {
    const maxUnits = this.#minTokens * MAX_UNITS_PER_TOKEN;
    const pending: unknown[] = [root];
    while (pending.length > 0 && this.#units < maxUnits) {
      const value = pending.pop();
      if (typeof value === "string") this.#addText(value);
      else if (Array.isArray(value)) { for (const entry of value) pending.push(entry); }
      else if (typeof value === "object" && value !== null) {
        for (const [name, inner] of Object.entries(value)) {
          if (perMember > 0) this.#units += name.length + perMember;
          if (typeof inner !== "string" || !DATA_MEMBERS.has(name)) pending.push(inner);
          else this.#mediaTokens += mediaTokens(inner);
        }
      }
    }
    this.#isReached = this.#units >= maxUnits || this.#isLongEnough();
  }

  #addText(text: string): void {
    this.#units += text.length;
    if (this.#sampled >= MAX_SAMPLE) return;
    const middle = text.length >> 1;
    const parts = text.length <= 2 * WINDOW
      ? [text]
      : [text.slice(0, WINDOW), text.slice(middle, middle + WINDOW)];
    for (const part of parts) {
      this.#sample.push(part);
      this.#sampled += part.length;
    }
  }

  #isLongEnough(): boolean {
    // Hardly any text has more than a token for each unit.
    if (this.#units + this.#mediaTokens < this.#minTokens) return false;
    const counter = new TokenCounter();
    for (const part of this.#sample) counter.add(part);
    const perUnit = counter.tokens(tokenFamily("claude")) / Math.max(1, this.#sampled);
    return this.#units * perUnit + this.#mediaTokens >= this.#minTokens;
  }
}

/** A low estimate: a reference to a medium says nothing about its size. */
function mediaTokens(data: string): number {
  return Math.min(MAX_MEDIA_TOKENS, Math.floor(data.length / DATA_UNITS_PER_TOKEN));
}

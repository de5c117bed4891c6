/** Whether the start of a prompt is long enough for a vendor's cache. */

import { countInput } from "../../../chat/token_estimate.ts";
import type { TokenCounter } from "../../../core/tokens/token_counter.ts";
import { tokenFamily } from "../token_families.ts";
import type { Prompt } from "./placement.ts";

/**
 * The maximum UTF-16 units per token: shorter prefixes cannot reach the minimum and are not
 * counted.
 */
const MAX_UNITS_PER_TOKEN = 6;

/** Members that hold the data of media. */
const DATA_MEMBERS: ReadonlySet<string> = new Set(["data", "bytes", "url"]);
/** UTF-16 units of data that make about one token of a small image, and the most for a large one. */
const DATA_UNITS_PER_TOKEN = 64;
const MAX_MEDIA_TOKENS = 1500;

/**
 * Measures the prompt up to each message. Reads only as much as needed: the time is bounded by the
 * minimum, and short prompts are not counted.
 */
export class PrefixLength {
  readonly #messages: readonly unknown[];
  readonly #minTokens: number;
  readonly #counter: TokenCounter;
  #added = 0;
  #units = 0;
  /** Text too short to be worth counting. */
  #uncounted: unknown[] = [];
  #isReached = false;

  constructor({ tools, system, messages }: Prompt, minTokens: number) {
    this.#messages = messages;
    this.#minTokens = minTokens;
    this.#units = unitsOf(tools, this.#maxUnits);
    // Definitions are counted with the names of their members.
    this.#counter = countInput(undefined, this.#units < this.#maxUnits ? [tools] : []);
    this.#add(system);
  }

  get #maxUnits(): number {
    return this.#minTokens * MAX_UNITS_PER_TOKEN;
  }

  /** Whether tools, system prompt and the messages before an index reach the minimum. */
  isReachedBefore(index: number): boolean {
    while (!this.#isReached && this.#added < index) this.#add(this.#messages[this.#added++]);
    return this.#isReached;
  }

  #add(content: unknown): void {
    this.#uncounted.push(content);
    this.#units += unitsOf(content, this.#maxUnits - this.#units);
    if (this.#units >= this.#maxUnits) this.#isReached = true;
    else if (this.#units >= this.#minTokens) {
      for (const one of this.#uncounted) addText(one, this.#counter);
      this.#uncounted = [];
      this.#isReached = this.#counter.tokens(tokenFamily("claude")) >= this.#minTokens;
    }
  }
}

/** The UTF-16 units of all text in a value, at least its tokens; stops at `most`. */
function unitsOf(root: unknown, most: number): number {
  let units = 0;
  visit(root, (text, isData) => {
    units += isData ? mediaTokens(text) : text.length;
    return units < most;
  });
  return units;
}

/** Adds the tokens of all text in a value. */
function addText(root: unknown, counter: TokenCounter): void {
  visit(root, (text, isData) => {
    if (isData) counter.addTokens(mediaTokens(text));
    else counter.add(text);
    return true;
  });
}

/** A low estimate: a reference to a medium says nothing about its size. */
function mediaTokens(data: string): number {
  return Math.min(MAX_MEDIA_TOKENS, Math.floor(data.length / DATA_UNITS_PER_TOKEN));
}

/** Calls a function with each text in a value until it returns false. */
function visit(root: unknown, onText: (text: string, isData: boolean) => boolean): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      if (!onText(value, false)) return;
    } else if (Array.isArray(value)) { for (const entry of value) pending.push(entry); }
    else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner !== "string" || !DATA_MEMBERS.has(name)) pending.push(inner);
        else if (!onText(inner, true)) return;
      }
    }
  }
}

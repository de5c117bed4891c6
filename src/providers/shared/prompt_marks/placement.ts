/**
 * Chooses and sets the cache marks in a prompt: at the end of the system prompt and the tools, at
 * the last block before the newest user turn, and at the last block of that turn. A vendor looks
 * back only a limited number of blocks from a mark, so the second mark finds the previous request's
 * cache entry even if the newest turn is long. If the model's last turn is long, the fourth mark at
 * the end of the previous user turn serves the same purpose; otherwise it is at the end of the
 * tools, so that a request with a different system prompt finds that entry.
 *
 * Rules: https://platform.claude.com/docs/en/build-with-claude/prompt-caching (2026-11-24): four
 * marks at most, none on thinking or empty blocks, no effect on prefixes below the model's minimum,
 * and a lookback of 20 blocks.
 */

import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { TokenCounter } from "../../../core/tokens/token_counter.ts";
import { tokenFamily } from "../../../apis/token_families.ts";

/** The maximum number of UTF-16 units per token: a longer prefix certainly reaches the minimum. */
const MAX_UNITS_PER_TOKEN = 6;
/**
 * The length of each sample of a text whose tokens are counted, and of all samples, in UTF-16
 * units.
 */
const WINDOW = 96;
const MAX_SAMPLE = 1024;
/** UTF-16 units of the punctuation around a JSON member. */
const UNITS_PER_MEMBER = 4;

/** Members that hold the data of media. */
const DATA_MEMBERS: ReadonlySet<string> = new Set(["data", "bytes", "url"]);
/**
 * The approximate number of UTF-16 units of data per token of a small image, and the maximum number
 * of tokens of a large one.
 */
const DATA_UNITS_PER_TOKEN = 64;
const MAX_MEDIA_TOKENS = 1500;

/**
 * Measures the prompt up to each message. Reads only as much as needed, and counts only samples of
 * it, so the time is bounded by the minimum.
 */
class PrefixLength {
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

  /**
   * @param perMember the overhead of a member's name in addition to its length; 0 if names do not
   * count
   */
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
    // Text rarely has more than one token per unit.
    if (this.#units + this.#mediaTokens < this.#minTokens) return false;
    const counter = new TokenCounter();
    for (const part of this.#sample) counter.add(part);
    const perUnit = counter.tokens(tokenFamily("claude")) / Math.max(1, this.#sampled);
    return this.#units * perUnit + this.#mediaTokens >= this.#minTokens;
  }
}

/** A low estimate, since a reference to media says nothing about its size. */
function mediaTokens(data: string): number {
  return Math.min(MAX_MEDIA_TOKENS, Math.floor(data.length / DATA_UNITS_PER_TOKEN));
}

/** The marks of an API. */
export interface MarkRules {
  /** Converts text to a block, for content that is a string. */
  text(text: string): JsonObject;
  /** Whether a mark may follow this block. */
  canMark(block: JsonObject): boolean;
  /**
   * A block, tool or message without its mark; the same value if it has none, or undefined if it is
   * itself a mark.
   */
  withoutMark(block: JsonObject): JsonObject | undefined;
  /** A copy of the blocks with a mark at the end of one of them. */
  mark(blocks: readonly JsonObject[], index: number): readonly JsonObject[];
  /** Whether a message is part of the user's turn. */
  isUser(message: JsonObject): boolean;
}

/** The parts of a request that are cached, in the order in which the vendor reads them. */
export interface Prompt {
  /** Lists of tools. */
  readonly tools: unknown;
  /** A string, or a list of blocks. */
  readonly system: unknown;
  /** Objects with `content`. */
  readonly messages: readonly unknown[];
}

/**
 * The number of blocks before a mark in which the vendor looks for the cache entry of an earlier
 * request.
 */
const MAX_LOOK_BACK = 20;

/** The parts of a prompt that change. */
export type ChangedParts = Partial<Prompt>;

/**
 * Marks a prompt.
 *
 * @param minTokens the shortest prefix that the model caches
 * @returns undefined if nothing was marked, or if the caller has marked something
 */
export function placeMarks(
  prompt: Prompt,
  rules: MarkRules,
  minTokens: number,
  onlyPrefix: boolean,
): ChangedParts | undefined {
  const { tools, system } = prompt;
  if ([tools, system, prompt.messages].some((part) => areMarked(part, rules))) return undefined;
  const { messages } = prompt;
  const length = new PrefixLength(prompt, minTokens);
  const turn = onlyPrefix ? undefined : newestTurn(messages, rules);
  const previous = turn && endBeforeLongTurn(messages, turn.start, rules);
  const prefix = length.isReachedBefore(0)
    ? markPrefix(prompt, rules, minTokens, previous === undefined)
    : undefined;
  if (turn === undefined) return prefix;
  const marked = [...messages];
  const found = previous !== undefined && markLast(marked, 0, previous, rules, length);
  const before = markLast(marked, previous ?? 0, turn.start, rules, length);
  const end = markLast(marked, turn.start, turn.end, rules, length);
  return found || before || end ? { ...prefix, messages: marked } : prefix;
}

/**
 * Marks the system prompt, otherwise the last tool, since the vendor reads tools first.
 *
 * @param withTools whether to also mark the last tool, if the tools alone are long enough
 */
function markPrefix(
  { tools, system }: Prompt,
  rules: MarkRules,
  minTokens: number,
  withTools: boolean,
): ChangedParts | undefined {
  const markedSystem = markContent(system, rules);
  const areLong = () =>
    new PrefixLength({ tools, system: undefined, messages: [] }, minTokens).isReachedBefore(0);
  const markedTools = markedSystem === undefined || withTools && areLong()
    ? markContent(tools, rules)
    : undefined;
  if (markedSystem === undefined && markedTools === undefined) return undefined;
  return {
    ...(markedTools && { tools: markedTools }),
    ...(markedSystem && { system: markedSystem }),
  };
}

/**
 * The index after the user's messages that precede a model turn which is longer than a vendor looks
 * back; undefined if that turn is shorter.
 *
 * @param end the index after the model's turn
 */
function endBeforeLongTurn(
  messages: readonly unknown[],
  end: number,
  { isUser }: MarkRules,
): number | undefined {
  let blocks = 0;
  for (let index = end - 1; index >= 0; index--) {
    const message = messages[index];
    if (!isObject(message)) return undefined;
    if (isUser(message)) return blocks >= MAX_LOOK_BACK ? index + 1 : undefined;
    const { content, tool_calls: calls } = message;
    blocks += Array.isArray(content) ? content.length : 1;
    if (Array.isArray(calls)) blocks += calls.length;
  }
  return undefined;
}

/** The start of the newest user turn, and the index after it; undefined if there is none. */
function newestTurn(
  messages: readonly unknown[],
  { isUser }: MarkRules,
): { readonly start: number; readonly end: number } | undefined {
  const test = (message: unknown) => isObject(message) && isUser(message);
  const last = messages.findLastIndex(test);
  if (last < 0) return undefined;
  let start = last;
  while (start > 0 && test(messages[start - 1])) start--;
  return { start, end: last + 1 };
}

/** Marks the last block that can be marked in a range of messages. Returns whether there is one. */
function markLast(
  messages: unknown[],
  start: number,
  end: number,
  rules: MarkRules,
  length: PrefixLength,
): boolean {
  for (let index = end - 1; index >= start; index--) {
    if (!length.isReachedBefore(index + 1)) return false;
    const message = messages[index];
    const content = isObject(message) ? markContent(message.content, rules) : undefined;
    if (content === undefined) continue;
    messages[index] = { ...message as JsonObject, content };
    return true;
  }
  return false;
}

/** Content with a mark at its end; undefined if none of its blocks can be marked. */
function markContent(content: unknown, rules: MarkRules): readonly JsonObject[] | undefined {
  const blocks = typeof content === "string" ? [rules.text(content)] : content;
  if (!Array.isArray(blocks)) return undefined;
  const index = blocks.findLastIndex((block) => isObject(block) && rules.canMark(block));
  return index < 0 ? undefined : rules.mark(blocks, index);
}

/** Whether any block has or is a mark. */
function areMarked(content: unknown, rules: MarkRules): boolean {
  if (!Array.isArray(content)) return false;
  for (const block of content) {
    if (!isObject(block)) continue;
    const { content: inner, source } = block;
    if (rules.withoutMark(block) !== block || areMarked(inner, rules)) return true;
    if (isObject(source) && areMarked(source.content, rules)) return true;
  }
  return false;
}

/** The maximum number of marks that a vendor accepts. */
export const MAX_MARKS = 4;

/** The parts of a prompt that have marks, without them; undefined if there are none. */
export function removeMarks(prompt: Prompt, rules: MarkRules): ChangedParts | undefined {
  return changedParts(prompt, rules);
}

/**
 * The parts of a prompt that change when only its last marks are kept; undefined if it has no more
 * than these.
 */
export function limitMarks(
  prompt: Prompt,
  rules: MarkRules,
  most: number,
): { readonly parts: ChangedParts; readonly count: number } | undefined {
  let count = 0;
  changedParts(
    prompt,
    counting(rules, () => {
      count++;
      return true;
    }),
  );
  if (count <= most) return undefined;
  let left = count - most;
  const parts = changedParts(prompt, counting(rules, () => left-- > 0));
  return parts && { parts, count };
}

/** Rules that ask, for each mark in the order of the prompt, whether to remove it. */
function counting(rules: MarkRules, isRemoved: () => boolean): MarkRules {
  return {
    ...rules,
    withoutMark(block) {
      const plain = rules.withoutMark(block);
      return plain === block || isRemoved() ? plain : block;
    },
  };
}

function changedParts(
  { tools, system, messages }: Prompt,
  rules: MarkRules,
): ChangedParts | undefined {
  const plain = {
    tools: unmarked(tools, rules),
    system: unmarked(system, rules),
    messages: unmarked(messages, rules),
  };
  const changed: { -readonly [Part in keyof Prompt]?: Prompt[Part] } = {};
  if (plain.tools !== tools) changed.tools = plain.tools;
  if (plain.system !== system) changed.system = plain.system;
  if (plain.messages !== messages) changed.messages = plain.messages;
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/** Blocks without marks on them and inside them. Blocks without marks are not copied. */
function unmarked<Content>(content: Content, rules: MarkRules): Content;
function unmarked(content: unknown, rules: MarkRules): unknown {
  if (!Array.isArray(content)) return content;
  let hasChanged = false;
  const kept = content.flatMap((block: unknown) => {
    const plain = isObject(block) ? unmarkedBlock(block, rules) : block;
    hasChanged ||= plain !== block;
    return plain === undefined ? [] : [plain];
  });
  return hasChanged ? kept : content;
}

/** The content of a block comes before its own mark. */
function unmarkedBlock(block: JsonObject, rules: MarkRules): JsonObject | undefined {
  const { content, source } = block;
  const inner = unmarked(content, rules);
  const document = isObject(source) ? unmarked(source.content, rules) : undefined;
  const plain = rules.withoutMark(block);
  if (plain === undefined) return undefined;
  const isSame = inner === content && (!isObject(source) || document === source.content);
  if (isSame) return plain;
  return {
    ...plain,
    ...(inner !== content && { content: inner }),
    ...(isObject(source) && document !== source.content &&
      { source: { ...source, content: document } }),
  };
}

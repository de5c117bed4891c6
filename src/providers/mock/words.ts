/** Texts of messages, and their words. The work is linear in the text, and answers are bounded. */

import { isObject } from "../../chat/chat.ts";

/** The longest text that is repeated, in UTF-16 units. The rest is left out, as at a token limit. */
const MAX_REPEATED = 16_384;

/** The text of a message's content. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter(isObject).map((part) => typeof part.text === "string" ? part.text : "")
    .join("");
}

/** The last text of a message's content: clients append the user's text to their own. */
export function lastTextOf(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  const last = content.findLast((part) => isObject(part) && typeof part.text === "string");
  return textOf([last]);
}

/** The beginning of a text that is repeated. */
export function repeatable(text: string): string {
  return text.length > MAX_REPEATED ? text.slice(0, MAX_REPEATED) : text;
}

/** Splits a text into words with their trailing white space. The joined words are the text. */
export function wordsOf(text: string): string[] {
  // A text of only white space would take quadratic time.
  return text.trim() === "" ? [] : text.match(/(?:^\s+)?\S+\s*/g) ?? [];
}

/** How much of a request's text is counted word by word, in UTF-16 units. */
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

/** The number of words that begin before a position. Creates none of them. */
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

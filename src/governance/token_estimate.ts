/** Estimates of tokens, for limits that must be checked before the vendor counts. */

/** UTF-16 units of text that make about one token. */
const CHARS_PER_TOKEN = 4;
/** Tokens of an image or a file: its size in bytes does not determine them. */
const TOKENS_PER_MEDIA = 1000;
/** Text without a space that is longer than this is considered encoded data. */
const MAX_WORD_CHARS = 1000;

/** The tokens of a text of this many UTF-16 units. */
export function tokensOfChars(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/**
 * Estimates the input tokens of a request from all text in it. The time is proportional to the
 * number of its values, not to the length of its texts.
 */
export function estimateInputTokens(request: unknown): number {
  let chars = 0;
  let media = 0;
  const pending: unknown[] = [request];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      if (isEncoded(value)) media++;
      else chars += value.length;
    } else if (typeof value === "number") chars += CHARS_PER_TOKEN;
    else if (Array.isArray(value)) { for (const entry of value) pending.push(entry); }
    else if (typeof value === "object" && value !== null) {
      for (const inner of Object.values(value)) pending.push(inner);
    }
  }
  return tokensOfChars(chars) + media * TOKENS_PER_MEDIA;
}

/** Whether a text is an image, audio or a file rather than prose. */
function isEncoded(text: string): boolean {
  if (text.length <= MAX_WORD_CHARS) return false;
  return text.startsWith("data:") || !/[\s\u0080-\uffff]/.test(text.slice(0, MAX_WORD_CHARS));
}

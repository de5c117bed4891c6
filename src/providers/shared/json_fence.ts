/**
 * Removes the Markdown code fence that models write around JSON although they are instructed not
 * to.
 */

/**
 * Removes the fence from an answer that is a single fenced block, piece by piece. Other text is not
 * changed.
 */
export class FenceFilter {
  #held = "";
  #state: "start" | "fenced" | "plain" = "start";

  /** Reads a piece, and returns the text that can be forwarded. */
  push(text: string): string {
    if (this.#state === "plain") return text;
    this.#held += text;
    if (this.#state === "start" && !this.#detectFence()) return "";
    const length = this.#state === "fenced" ? bodyLength(this.#held) : this.#held.length;
    const isTooLong = this.#held.length - length > MAX_HELD_LENGTH;
    return this.#take(isTooLong ? this.#held.length : length);
  }

  /** Returns the remaining text. */
  end(): string {
    const rest = this.#take(this.#held.length);
    return this.#state === "fenced" && rest.trimEnd().endsWith(FENCE) ? "" : rest;
  }

  /** Determines whether the text starts with a fence. Returns false while this is unknown. */
  #detectFence(): boolean {
    const text = this.#held.trimStart();
    if (text.startsWith(FENCE)) {
      const line = text.indexOf("\n");
      if (line >= 0) {
        this.#held = text.slice(line + 1);
        this.#state = "fenced";
        return true;
      }
    }
    const mayBeFence = text.startsWith(FENCE) || FENCE.startsWith(text);
    if (mayBeFence && this.#held.length <= MAX_HELD_LENGTH) return false;
    this.#state = "plain";
    return true;
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}

const FENCE = "```";
/**
 * The maximum length of text that is held back, in characters. It is checked together with each
 * piece.
 */
const MAX_HELD_LENGTH = 1024;

/** The length of the text before a possible closing fence. */
function bodyLength(text: string): number {
  let end = text.trimEnd().length;
  for (let ticks = 0; ticks < FENCE.length && text[end - 1] === "`"; ticks++) end--;
  return text.slice(0, end).trimEnd().length;
}

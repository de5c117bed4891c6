/** The fence that models put around JSON though they were asked not to. */

/**
 * Takes the fence off an answer that is one fenced block, piece by piece; any
 * other text passes as it is.
 */
export class FenceFilter {
  #held = "";
  #state: "start" | "fenced" | "plain" = "start";

  /** What can be passed on now. */
  push(text: string): string {
    if (this.#state === "plain") return text;
    this.#held += text;
    if (this.#state === "start" && !this.#open()) return "";
    const length = this.#state === "fenced" ? bodyLength(this.#held) : this.#held.length;
    const isTooLong = this.#held.length - length > MAX_HELD;
    return this.#take(isTooLong ? this.#held.length : length);
  }

  /** What was held back and turned out to be text. */
  end(): string {
    const rest = this.#take(this.#held.length);
    return this.#state === "fenced" && rest.trimEnd().endsWith(FENCE) ? "" : rest;
  }

  /** Whether the first characters are known to be a fence, or known to be none. */
  #open(): boolean {
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
    if (mayBeFence && this.#held.length <= MAX_HELD) return false;
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
/** More than this is held back for no fence, in characters: each piece is looked at with it. */
const MAX_HELD = 1024;

/** How much of a fenced text cannot be part of its closing fence. */
function bodyLength(text: string): number {
  let end = text.trimEnd().length;
  for (let ticks = 0; ticks < FENCE.length && text[end - 1] === "`"; ticks++) end--;
  return text.slice(0, end).trimEnd().length;
}

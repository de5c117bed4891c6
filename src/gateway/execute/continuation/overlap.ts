/** Finds where a continued answer resumes. */

import { GatewayError } from "../../../core/errors.ts";

/** The most UTF-16 units of an answer's end that its continuation must repeat. */
const MAX_END_LENGTH = 48;

/**
 * The end of a text that a model is asked to repeat: its last words, without the space after them.
 */
export function endOf(text: string): string {
  const whole = text.trimEnd();
  if (whole.length <= MAX_END_LENGTH) return whole.trimStart();
  const end = whole.slice(-MAX_END_LENGTH);
  // The first word may be cut, and of a long word also a character.
  return end.replace(/^\S*\s+/, "").replace(/^[\uDC00-\uDFFF]/, "");
}

/** Removes from the beginning of a continuation what the caller has already. */
export class Overlap {
  readonly #end: string;
  readonly #space: string;
  #held = "";
  /** Whether the continuation has passed the overlap. */
  isPassed = false;

  /**
   * @param text the answer so far
   * @param repeats whether the continuation must repeat the end of it; the space after that may
   * come again in any case
   */
  constructor(text: string, repeats: boolean) {
    this.#end = repeats ? endOf(text) : "";
    this.#space = text.slice(text.trimEnd().length);
  }

  /**
   * Takes a piece of the continuation, and returns what is new.
   *
   * @throws {GatewayError} `upstream_error` if the continuation repeats something else.
   */
  take(piece: string): string {
    if (this.isPassed) return piece;
    this.#held += piece;
    const repeated = this.#end === "" ? this.#held : this.#held.trimStart();
    const known = this.#end + this.#space;
    if (repeated.length < known.length && known.startsWith(repeated)) return "";
    if (!repeated.startsWith(this.#end)) throw mismatch();
    this.isPassed = true;
    return withoutStart(repeated.slice(this.#end.length), this.#space);
  }

  /**
   * The continuation has no more text.
   *
   * @throws {GatewayError} `upstream_error` if the end was not repeated.
   */
  finish(): string {
    if (this.isPassed) return "";
    if (!this.#held.trimStart().startsWith(this.#end)) throw mismatch();
    this.isPassed = true;
    const rest = this.#end === "" ? this.#held : this.#held.trimStart().slice(this.#end.length);
    return withoutStart(rest, this.#space);
  }
}

/** A text without the longest beginning that is also a beginning of another one. */
function withoutStart(text: string, start: string): string {
  let length = 0;
  while (length < start.length && text[length] === start[length]) length++;
  return text.slice(length);
}

/** The same target would repeat it again. */
function mismatch(): GatewayError {
  const message = "The continuation does not begin where the answer ended";
  return new GatewayError("upstream_error", message, { final: true });
}

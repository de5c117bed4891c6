/** Finds the end of a JSON value that arrives in pieces. */

import { BACKSLASH, QUOTE } from "./characters.ts";

const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** Counts the open brackets of one JSON object or list. */
export class JsonScanner {
  #depth = 0;
  #began = false;
  #inString = false;
  #escaped = false;

  /** True once the brackets of the value are closed. */
  get complete(): boolean {
    return this.#began && this.#depth === 0;
  }

  /** Reads the next piece. */
  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (code === BACKSLASH) this.#escaped = true;
        else if (code === QUOTE) this.#inString = false;
      } else if (code === QUOTE) this.#inString = true;
      else if (OPENING.has(code)) {
        this.#depth++;
        this.#began = true;
      } else if (CLOSING.has(code)) this.#depth--;
    }
  }
}

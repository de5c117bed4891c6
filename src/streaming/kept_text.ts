/**
 * Stores the text of an answer while it is written, for features that need all of it at the end.
 */

import type { OpenStream } from "./fold.ts";

/** The text of an answer, up to a maximum length. */
export class KeptText {
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder();
  #text: string | undefined = "";

  /** @param maxLength UTF-16 units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The whole text; undefined if it is too long. */
  get text(): string | undefined {
    return this.#text;
  }

  /** Adds a part: bytes may end within a character. */
  add(part: string | Uint8Array): void {
    if (this.#text === undefined) return;
    const added = typeof part === "string" ? part : this.#decoder.decode(part, { stream: true });
    if (this.#text.length + added.length > this.#maxLength) this.#text = undefined;
    else this.#text += added;
  }
}

/** Stores the output of a stream. */
export function keepStream({ fold, first }: OpenStream, maxLength: number): KeptText {
  const kept = new KeptText(maxLength);
  kept.add(first);
  const before = fold.onWritten;
  fold.onWritten = (output) => {
    before?.(output);
    kept.add(output);
  };
  return kept;
}

/** Stores a body. */
export function keepText(body: string | readonly Uint8Array[], maxLength: number): KeptText {
  const kept = new KeptText(maxLength);
  for (const part of typeof body === "string" ? [body] : body) kept.add(part);
  return kept;
}

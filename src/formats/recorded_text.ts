/** The text of a stream, as long as it is plain text that another target could continue. */

/** Longer answers, in UTF-16 units, are not continued. */
const MAX_LENGTH = 512 * 1024;

/** Collects the pieces of a text. */
export class RecordedText {
  readonly #pieces: string[] = [];
  #length = 0;
  #isPlain = true;

  /** False once there was something other than text, or too much of it. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  /** The text so far; undefined if the answer is not plain text. */
  get text(): string | undefined {
    return this.#isPlain ? this.#pieces.join("") : undefined;
  }

  add(piece: string): void {
    if (!this.#isPlain) return;
    this.#length += piece.length;
    if (this.#length > MAX_LENGTH) this.drop();
    else if (piece !== "") this.#pieces.push(piece);
  }

  /** The answer has something other than text. */
  drop(): void {
    this.#isPlain = false;
    this.#pieces.length = 0;
  }
}

/** Writes text to the page in portions, so that frames stay short. */

/** The number of characters that a frame writes, and the length of the longest piece. */
const MAX_FRAME_CHARS = 4000;

/** Queues pieces of text and writes some of them in each frame. */
export class FrameWriter {
  #write;
  #onIdle;
  /** The queued pieces, from `#next` on. */
  #pieces = [];
  #next = 0;
  #frame = 0;

  /**
   * @param {(text: string) => void} write writes a portion
   * @param {() => void} [onIdle] called when everything has been written
   */
  constructor(write, onIdle = () => {}) {
    this.#write = write;
    this.#onIdle = onIdle;
  }

  /** Whether everything has been written. */
  get isIdle() {
    return this.#frame === 0;
  }

  /** Adds a piece. It is written with the next frames. */
  add(text) {
    for (let at = 0; at < text.length; at += MAX_FRAME_CHARS) {
      this.#pieces.push(text.slice(at, at + MAX_FRAME_CHARS));
    }
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#onFrame());
  }

  /** Stops writing. */
  stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#pieces = [];
    this.#next = 0;
  }

  #onFrame() {
    let portion = "";
    while (this.#next < this.#pieces.length && portion.length < MAX_FRAME_CHARS) {
      portion += this.#pieces[this.#next++];
    }
    if (portion !== "") this.#write(portion);
    if (this.#next < this.#pieces.length) {
      this.#frame = requestAnimationFrame(() => this.#onFrame());
      return;
    }
    this.#pieces = [];
    this.#next = 0;
    this.#frame = 0;
    this.#onIdle();
  }
}

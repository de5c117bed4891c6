/** The bytes of a partially received frame. */

/** A copy of the bytes, which is stored until later packets complete the frame. */
export class PartialFrame {
  length = 0;
  #buffer = new Uint8Array(0);

  /** Valid until the next call of another method. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  /** Whether the stored bytes end with this byte, or with these two. */
  endsWith(byte: number, last?: number): boolean {
    const { length } = this;
    if (last === undefined) return length > 0 && this.#buffer[length - 1] === byte;
    return length > 1 && this.#buffer[length - 2] === byte && this.#buffer[length - 1] === last;
  }

  add(part: Uint8Array): void {
    const length = this.length + part.length;
    if (length > this.#buffer.length) {
      // Twice the needed size, so that a long frame is not copied again for each packet.
      const grown = new Uint8Array(2 * length);
      grown.set(this.bytes);
      this.#buffer = grown;
    }
    this.#buffer.set(part, this.length);
    this.length = length;
  }

  /** Empties the buffer and returns its bytes, which are valid until the next `add`. */
  take(): Uint8Array {
    const bytes = this.bytes;
    this.length = 0;
    return bytes;
  }
}

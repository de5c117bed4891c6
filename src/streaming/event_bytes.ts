/** The bytes of events that are written. */

/** Up to this many bytes, a loop copies faster than `Uint8Array.set`. */
const MAX_LOOP_COPY_BYTES = 48;

/** The output of nearly every packet is smaller. */
const INITIAL_OUTPUT_BYTES = 64 * 1024;
/** A larger buffer, which a long event needed, is released. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** Collects the output of a packet in a buffer that the next packet reuses. */
export class Output {
  #bytes = new Uint8Array(INITIAL_OUTPUT_BYTES);
  #length = 0;

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = new Uint8Array(INITIAL_OUTPUT_BYTES);
  }

  add(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  addSlice(array: Uint8Array, start: number, end: number): void {
    if (end - start > MAX_LOOP_COPY_BYTES) return this.add(array.subarray(start, end));
    this.#reserve(end - start);
    for (let at = start; at < end; at++) this.#bytes[this.#length++] = array[at] ?? 0;
  }

  addText(text: string): void {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    this.#reserve(text.length * 3);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  get length(): number {
    return this.#length;
  }

  /** The collected bytes, valid until `clear`. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * needed);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

const encoder = new TextEncoder();

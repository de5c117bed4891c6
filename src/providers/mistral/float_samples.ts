/** Raw audio of 32-bit floating-point numbers, little-endian, as 16-bit integers. */

const BYTES = Float32Array.BYTES_PER_ELEMENT;
const MAX = 32_767;

/** Converts samples that may be cut anywhere. */
export class FloatSamples {
  /** The beginning of a sample that was cut. */
  #rest = new Uint8Array(0);

  /** The samples that are complete, as OpenAI's PCM. */
  toIntegers(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const count = Math.floor(all.length / BYTES);
    this.#rest = all.slice(count * BYTES);
    const floats = new DataView(all.buffer);
    const integers = new DataView(new ArrayBuffer(count * 2));
    for (let index = 0; index < count; index++) {
      const sample = floats.getFloat32(index * BYTES, true);
      integers.setInt16(index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * MAX), true);
    }
    return new Uint8Array(integers.buffer);
  }
}

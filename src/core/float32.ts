/** Vectors as base64: float32 in little-endian bytes. */

/** The numbers as float32 in base64. */
export function toFloat32Base64(numbers: readonly number[]): string {
  const bytes = new Uint8Array(4 * numbers.length);
  if (IS_LITTLE_ENDIAN) new Float32Array(bytes.buffer).set(numbers);
  else {
    const view = new DataView(bytes.buffer);
    numbers.forEach((number, index) => view.setFloat32(4 * index, number, true));
  }
  return bytes.toBase64();
}

/** The numbers of float32 in base64; undefined for any other text. */
export function fromFloat32Base64(text: string): readonly number[] | undefined {
  let bytes;
  try {
    bytes = Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  if (IS_LITTLE_ENDIAN) return [...new Float32Array(bytes.buffer)];
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Members of type `bytes`. JSON of Protocol Buffers is read in both alphabets of base64, with and
 * without padding (https://protobuf.dev/programming-guides/json/, 2026-11-28): Google's package for
 * Python writes `-` and `_`. Other vendors and Go read only the standard one with padding.
 */

/** The bytes in the standard alphabet with padding; undefined for text that is not base64. */
export function toStandardBase64(text: string): string | undefined {
  const data = text.replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.fromBase64(data);
    return data.length % 4 === 0 && !/\s/.test(data) ? data : bytes.toBase64();
  } catch {
    return undefined;
  }
}

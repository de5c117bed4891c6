/** A conversation as the part of an address after `#`, which browsers do not send to any server. */

/** The longest text in an address, in characters: programs that pass links on cut longer ones. */
export const MAX_LINK_CHARS = 16_000;
/** The most bytes that a link unfolds to: a short one can hold a thousand times its length. */
const MAX_BYTES = 1_000_000;
const FORMAT = "deflate-raw";

/**
 * Packs a text for an address.
 *
 * @param {string} text
 * @returns {Promise<string | undefined>} undefined if it is too long
 */
export async function packLink(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_BYTES) return undefined;
  const packed = await readBytes(through(bytes, new CompressionStream(FORMAT)), MAX_BYTES);
  if (packed.length > MAX_LINK_CHARS) return undefined;
  const base64 = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  const link = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return link.length > MAX_LINK_CHARS ? undefined : link;
}

/**
 * Reads what {@linkcode packLink} wrote.
 *
 * @param {string} packed
 * @returns {Promise<string>}
 * @throws {RangeError} for what is damaged or unfolds to too much
 */
export async function unpackLink(packed) {
  if (packed.length > MAX_LINK_CHARS) throw new RangeError("The link is too long");
  try {
    const base64 = packed.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const unpacked = await readBytes(through(bytes, new DecompressionStream(FORMAT)), MAX_BYTES);
    return new TextDecoder("utf-8", { fatal: true }).decode(unpacked);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw thrown;
    throw new RangeError("The link is damaged", { cause: thrown });
  }
}

function through(bytes, transform) {
  return new Blob([bytes]).stream().pipeThrough(transform);
}

/** @throws {RangeError} as soon as there is more than the maximum */
async function readBytes(stream, max) {
  const chunks = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > max) {
      await reader.cancel();
      throw new RangeError("The link holds too much");
    }
    chunks.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

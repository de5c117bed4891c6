/** Writes images as PNG: https://www.w3.org/TR/png-3/ (2025-06). */

import { crc32, deflateSync } from "node:zlib";

export const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12;
const HEADER_BYTES = 13;

/**
 * Writes gray pixels.
 *
 * @param lines one byte for each pixel; each line begins with its filter, 0 for none
 */
export function writeGrayPng(
  width: number,
  height: number,
  lines: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, 8);
  const chunks = [
    chunkOf("IHDR", new Uint8Array(header.buffer)),
    chunkOf("IDAT", deflateSync(lines)),
    chunkOf("IEND", new Uint8Array()),
  ];
  return joined([PNG_SIGNATURE, ...chunks]);
}

function chunkOf(type: string, content: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(CHUNK_BYTES + content.length);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(content, 8);
  const end = 8 + content.length;
  view.setUint32(end, crc32(chunk.subarray(4, end)));
  return chunk;
}

/** Pieces of bytes in one. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

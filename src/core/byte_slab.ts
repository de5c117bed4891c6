/**
 * Small arrays of bytes. Many of them share a buffer, since the runtime takes longer to allocate a
 * buffer than to fill it.
 */

import { Buffer } from "node:buffer";

/**
 * The size of a shared buffer, in bytes: a slow reader of a small array keeps the whole buffer in
 * memory.
 */
const SLAB_BYTES = 8 * 1024;
/** Larger arrays have a buffer of their own. */
const MAX_SHARED_BYTES = 4 * 1024;
/** The maximum number of bytes for one UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();
let slab = Buffer.from(new ArrayBuffer(SLAB_BYTES));
let used = 0;

/** A copy of bytes. */
export function copyBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { length } = bytes;
  if (length > MAX_SHARED_BYTES) return new Uint8Array(bytes);
  reserve(length);
  slab.set(bytes, used);
  return take(length);
}

/** Encodes a text as UTF-8. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const maxBytes = text.length * MAX_BYTES_PER_UNIT;
  if (maxBytes > MAX_SHARED_BYTES) return encoder.encode(text);
  reserve(maxBytes);
  return take(slab.write(text, used, "utf8"));
}

function reserve(bytes: number): void {
  if (used + bytes <= SLAB_BYTES) return;
  slab = Buffer.from(new ArrayBuffer(SLAB_BYTES));
  used = 0;
}

function take(bytes: number): Uint8Array<ArrayBuffer> {
  const taken = new Uint8Array(slab.buffer, used, bytes);
  used += bytes;
  return taken;
}

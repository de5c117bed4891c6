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
  if (used + length > SLAB_BYTES) renew();
  const start = used;
  used += length;
  slab.set(bytes, start);
  return new Uint8Array(slab.buffer, start, length);
}

/** Encodes a text as UTF-8. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const maxBytes = text.length * MAX_BYTES_PER_UNIT;
  if (maxBytes > MAX_SHARED_BYTES) return encoder.encode(text);
  if (used + maxBytes > SLAB_BYTES) renew();
  const start = used;
  const length = slab.write(text, start, "utf8");
  used += length;
  return new Uint8Array(slab.buffer, start, length);
}

/** The next arrays get another buffer. */
function renew(): void {
  slab = Buffer.from(new ArrayBuffer(SLAB_BYTES));
  used = 0;
}

/** Texts with one character for each byte, which are searched much faster than bytes. */

import { Buffer } from "node:buffer";

/** The bytes between two positions as such a text. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
}

/** The text of UTF-8 whose bytes are the characters of such a text. */
export function utf8Of(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

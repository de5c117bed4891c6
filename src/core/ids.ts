/** Random IDs and numbers. */

import { Buffer } from "node:buffer";

/** A random number from 0 to 1, not for security. */
export const random = (): number => Math.random();

/** Characters of an ID, and the random bytes that they encode. */
const LENGTH = 24;
const BYTES = 18;

/** Random characters for many IDs: one call for each ID would be slower. */
let pool = "";
let used = 0;

/** A new ID: the prefix and 24 random characters (144 bits) of base64url. */
export function newId(prefix: string): string {
  if (used === pool.length) {
    pool = Buffer.from(randomBytes(BYTES * 128)).toString("base64url");
    used = 0;
  }
  const start = used;
  used += LENGTH;
  return prefix + pool.slice(start, used);
}

/** Cryptographically secure random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

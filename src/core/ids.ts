/** Random IDs and numbers. */

import { Buffer } from "node:buffer";

/** A random number from 0 to 1, not for security. */
export const random = (): number => Math.random();

/** The number of characters in an ID, and the number of random bytes that they encode. */
const LENGTH = 24;
const BYTES = 18;

/** Random characters for many IDs, since one call per ID would be slower. */
let pool = "";
let used = 0;

/** A new ID: the prefix and 24 random base64url characters (144 bits). */
export function newId(prefix: string): string {
  if (used === pool.length) {
    pool = Buffer.from(randomBytes(BYTES * 128)).toString("base64url");
    used = 0;
  }
  const start = used;
  used += LENGTH;
  return prefix + pool.slice(start, used);
}

/** The base64url characters in the order of their codes. */
const ORDERED = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/** Enough for milliseconds up to the year 2109. */
const TIME_LENGTH = 7;

/** Caches the last encoded time, which requests in the same millisecond share. */
let lastTime = { time: NaN, text: "" };

/**
 * A time as seven characters that sort chronologically. IDs with this prefix are adjacent in a
 * database index, so that each batch of rows changes few pages.
 *
 * @param time milliseconds since the Unix epoch
 */
export function sortableTime(time: number): string {
  if (lastTime.time === time) return lastTime.text;
  let text = "";
  for (let rest = Math.max(0, Math.floor(time)); text.length < TIME_LENGTH;) {
    text = (ORDERED[rest % ORDERED.length] ?? "") + text;
    rest = Math.floor(rest / ORDERED.length);
  }
  lastTime = { time, text };
  return text;
}

/** Cryptographically secure random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

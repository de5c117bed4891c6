/** Random IDs and numbers. */

/** A random number from 0 to 1, not for security. */
export const random = (): number => Math.random();

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LENGTH = 24;

/** Random bytes for many IDs: one call for each ID would be slower. */
const pool = new Uint8Array(LENGTH * 128);
let used = pool.length;

/** A new ID: the prefix and 24 random characters (144 bits). */
export function newId(prefix: string): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  let id = prefix;
  for (const end = used + LENGTH; used < end; used++) id += ALPHABET[(pool[used] ?? 0) & 63];
  return id;
}

/** Cryptographically secure random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

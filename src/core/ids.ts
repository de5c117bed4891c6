/** Chance: random names, and numbers. */

/** A number from 0 to 1, for what need not be hard to guess. */
export const random = (): number => Math.random();

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LENGTH = 24;

/** Random bytes are drawn for many names at once: asking for them costs more than they do. */
const pool = new Uint8Array(LENGTH * 128);
let used = pool.length;

/** 24 random characters, 144 bits, behind a prefix that says what it names. */
export function newId(prefix: string): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  let id = prefix;
  for (const end = used + LENGTH; used < end; used++) id += ALPHABET[(pool[used] ?? 0) & 63];
  return id;
}

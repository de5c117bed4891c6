/** Random names. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 24 random characters, 144 bits, behind a prefix that says what it names. */
export function newId(prefix: string): string {
  let id = prefix;
  for (const byte of crypto.getRandomValues(new Uint8Array(24))) id += ALPHABET[byte & 63];
  return id;
}

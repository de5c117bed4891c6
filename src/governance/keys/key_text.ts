/**
 * The text of keys that are created at run time, and their hashes. A text is a fixed beginning, 8
 * characters that identify the key and are no secret, and 256 random bits.
 */

import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

/** Random bytes of the secret part. */
const SECRET_BYTES = 32;
/** Random bytes that become the 8 characters of the prefix. */
const PREFIX_BYTES = 6;

const BEGINNING = "sk-sluice-";
const TEXT = /^sk-sluice-[\w-]{51}$/;
const PREFIX_CHARS = BEGINNING.length + 8;

/** A new key. */
export interface KeyText {
  /** What the client sends. It is shown once and not stored. */
  readonly text: string;
  /** Its first 18 characters, by which people recognize it. */
  readonly prefix: string;
}

/** Creates a key. */
export function createKeyText(randomBytes: (length: number) => Uint8Array): KeyText {
  const [prefix, secret] = [PREFIX_BYTES, SECRET_BYTES]
    .map((length) => Buffer.from(randomBytes(length)).toString("base64url"));
  return { text: `${BEGINNING}${prefix}${secret}`, prefix: `${BEGINNING}${prefix}` };
}

/** The prefix of a token, or undefined if it does not have the form of a stored key. */
export function prefixOf(token: string): string | undefined {
  return TEXT.test(token) ? token.slice(0, PREFIX_CHARS) : undefined;
}

/** The secret key of the hashes. Without it, a valid key cannot be added to the store. */
export class Pepper {
  /** Identifies the pepper, so that keys that were made with another one are recognized. */
  readonly id: string;
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
    this.id = this.#hmac("pepper").toString("hex").slice(0, 16);
  }

  /** The hash of a key's text: HMAC-SHA-256, in hexadecimal digits. */
  hash(text: string): string {
    return this.#hmac(`key:${text}`).toString("hex");
  }

  /** Whether a text has this hash. The time does not depend on where they differ. */
  verify(text: string, hash: string): boolean {
    const expected = Buffer.from(hash, "hex");
    const actual = this.#hmac(`key:${text}`);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  #hmac(text: string): Buffer {
    return createHmac("sha256", this.#secret).update(text).digest();
  }
}

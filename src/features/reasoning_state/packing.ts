/** Converts reasoning state to bytes: compressed, and encrypted if callers see it. */

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv } from "node:crypto";
import process from "node:process";
import { isObject } from "../../core/json/object.ts";
import { parsePassed } from "../../core/json/reader.ts";

/** The members of one assistant message that a client for OpenAI's format would drop. */
export interface ReasoningState {
  /** The ID of the provider that created it. */
  readonly provider: string;
  readonly reasoning_content?: string;
  readonly reasoning_details?: readonly unknown[];
  /** The member of the tool call with the ID. */
  readonly extra_content?: unknown;
}

/** JSON text longer than this is not compressed, since compression would block the thread. */
const MAX_COMPRESSED_LENGTH = 256 * 1024;

/** The maximum length of stored state, as JSON text. */
export const MAX_STATE_LENGTH = 8 * 1024 * 1024;

/** The first byte identifies the encoding of the rest. */
const PLAIN = 0;
const COMPRESSED = 1;

/** Loaded on use, because it takes time. */
const zlib = () => process.getBuiltinModule("node:zlib");

/** A state's bytes, or undefined if it is larger than {@linkcode MAX_STATE_LENGTH}. */
export function pack(state: ReasoningState): Uint8Array | undefined {
  const text = JSON.stringify(state);
  if (text.length > MAX_STATE_LENGTH) return undefined;
  const isCompressed = text.length <= MAX_COMPRESSED_LENGTH;
  const bytes = isCompressed ? zlib().deflateRawSync(text) : Buffer.from(text);
  return Buffer.concat([Uint8Array.of(isCompressed ? COMPRESSED : PLAIN), bytes]);
}

/** A state, and the length of its JSON text. */
export interface Unpacked {
  readonly state: ReasoningState;
  readonly length: number;
}

/**
 * Reads the bytes that {@linkcode pack} returned.
 *
 * @param maxLength the maximum length without compression, in bytes
 * @returns undefined for anything else, or for more bytes
 */
export function unpack(bytes: Uint8Array, maxLength: number): Unpacked | undefined {
  const content = bytes.subarray(1);
  if (maxLength < 1 || content.length > maxLength) return undefined;
  try {
    const text = bytes[0] === COMPRESSED
      ? zlib().inflateRawSync(content, { maxOutputLength: maxLength }).toString()
      : Buffer.from(content).toString();
    const state = parsePassed(text);
    return isState(state) ? { state, length: text.length } : undefined;
  } catch {
    return undefined;
  }
}

function isState(value: unknown): value is ReasoningState {
  if (!isObject(value) || typeof value.provider !== "string") return false;
  const { reasoning_content: text, reasoning_details: details } = value;
  return (text === undefined || typeof text === "string") &&
    (details === undefined || Array.isArray(details));
}

/** The number of bytes in a key. */
export const KEY_BYTES = 32;

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts and authenticates state with AES-256-GCM, so that callers can neither read nor forge it.
 */
export class Sealer {
  readonly #key: Uint8Array;
  readonly #random: (length: number) => Uint8Array;

  /**
   * @param key 32 bytes
   * @param random random bytes for nonces
   */
  constructor(key: Uint8Array, random: (length: number) => Uint8Array) {
    this.#key = key;
    this.#random = random;
  }

  /** The length of the sealed text of this many bytes, in characters. */
  static lengthOf(bytes: number): number {
    return Math.ceil((NONCE_BYTES + bytes + TAG_BYTES) * 4 / 3);
  }

  /** @param binding authenticated with the bytes: {@linkcode open} requires the same text */
  seal(bytes: Uint8Array, binding: string): string {
    const nonce = this.#random(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    cipher.setAAD(Buffer.from(binding));
    const parts = [nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(parts).toString("base64url");
  }

  /** The bytes, or undefined for text that was not sealed with this key and binding. */
  open(text: string, binding: string): Uint8Array | undefined {
    const sealed = Buffer.from(text, "base64url");
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(binding));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([
        decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
        decipher.final(),
      ]);
    } catch {
      return undefined;
    }
  }
}

/** Names and encryption of entries in a store that several processes share. */

import { Buffer } from "node:buffer";
import { createHmac, hkdfSync } from "node:crypto";

/** The address of an entry and the key that encrypts it. Both depend on its owner and its ID. */
export interface EntryAddress {
  /** 32 characters of base64url, which reveal nothing about the entry. */
  readonly name: string;
  readonly key: Uint8Array<ArrayBuffer>;
}

const KEY_BYTES = 32;
const NAME_BYTES = 24;
const ALGORITHM = "AES-GCM";
const NONCE_BYTES = 12;

/**
 * Encrypts and authenticates entries with AES-256-GCM, in the runtime's background threads. The key
 * of an entry is derived from the shared key, so only its holders can read or replace entries, and
 * a service key cannot use another one's entry.
 */
export class EntryCipher {
  readonly #key: Uint8Array;
  readonly #randomBytes: (length: number) => Uint8Array<ArrayBuffer>;

  /** @param key the key that all processes share: 32 bytes */
  constructor(key: Uint8Array, randomBytes: (length: number) => Uint8Array<ArrayBuffer>) {
    this.#key = new Uint8Array(hkdfSync("sha256", key, "", "sluice shared state", KEY_BYTES));
    this.#randomBytes = randomBytes;
  }

  /** @param path the entry's identity, such as its memory, its owner and its ID */
  locate(path: readonly string[]): EntryAddress {
    const digest = createHmac("sha512", this.#key).update(JSON.stringify(path)).digest();
    return {
      key: new Uint8Array(digest.subarray(0, KEY_BYTES)),
      name: digest.subarray(KEY_BYTES, KEY_BYTES + NAME_BYTES).toString("base64url"),
    };
  }

  async seal({ key }: EntryAddress, bytes: Uint8Array): Promise<Uint8Array> {
    const iv = this.#randomBytes(NONCE_BYTES);
    const imported = await crypto.subtle.importKey("raw", key, ALGORITHM, false, ["encrypt"]);
    const source = bytes as Uint8Array<ArrayBuffer>;
    const sealed = await crypto.subtle.encrypt({ name: ALGORITHM, iv }, imported, source);
    return Buffer.concat([iv, new Uint8Array(sealed)]);
  }

  /** The bytes, or undefined if they were not sealed for this address with this key. */
  async open({ key }: EntryAddress, sealed: Uint8Array): Promise<Uint8Array | undefined> {
    const imported = await crypto.subtle.importKey("raw", key, ALGORITHM, false, ["decrypt"]);
    const source = sealed as Uint8Array<ArrayBuffer>;
    const iv = source.subarray(0, NONCE_BYTES);
    try {
      const bytes = source.subarray(NONCE_BYTES);
      return new Uint8Array(await crypto.subtle.decrypt({ name: ALGORITHM, iv }, imported, bytes));
    } catch {
      return undefined;
    }
  }
}

/** Service keys and admin keys: authentication, and the models that each key may use. */

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { DIGEST, serviceKeyText } from "./values.ts";

/** A key that clients authenticate with. Holds its name, not its text. */
export interface ServiceKey {
  readonly name: string;
  /** The model names that it may use; absent for all. */
  readonly models?: ReadonlySet<string> | undefined;
}

/** A key for the routes below `/v1/admin`, and no others. */
export type AdminKey = Pick<ServiceKey, "name">;

/** Whether a key may use the model of this name. */
export function isAllowed(key: ServiceKey, model: string): boolean {
  return key.models === undefined || key.models.has(model);
}

/** A pattern in which each `*` matches any number of characters. */
export class ModelPattern {
  readonly #first: string;
  readonly #rest: readonly string[];

  /** @param pattern e.g. `gpt-*` */
  constructor(pattern: string) {
    [this.#first = "", ...this.#rest] = pattern.split("*");
  }

  /** Whether the whole name matches. Matches parts from left to right without backtracking. */
  matches(name: string): boolean {
    const last = this.#rest.at(-1);
    if (last === undefined) return name === this.#first;
    if (!name.startsWith(this.#first)) return false;
    let position = this.#first.length;
    for (const part of this.#rest.slice(0, -1)) {
      const found = name.indexOf(part, position);
      if (found < 0) return false;
      position = found + part.length;
    }
    return name.length - last.length >= position && name.endsWith(last);
  }
}

/** A set of service keys or admin keys, each given as plain text or as its digest. */
export class Keyring {
  readonly keys: readonly ServiceKey[];
  readonly #plain: readonly (Uint8Array | undefined)[];
  readonly #digests: readonly (Buffer | undefined)[];
  /** Bytes of the longest key that is given as it is. */
  readonly #longest: number;

  /** @param pairs keys with their text: the plain key, or `sha256:` and its digest */
  constructor(pairs: readonly (readonly [ServiceKey, string])[]) {
    this.keys = pairs.map(([key]) => key);
    this.#plain = pairs.map(([, text]) => DIGEST.test(text) ? undefined : encoder.encode(text));
    this.#longest = Math.max(0, ...this.#plain.map((bytes) => bytes?.length ?? 0));
    this.#digests = pairs.map(([, text]) => DIGEST.test(text) ? digestOf(text) : undefined);
  }

  /**
   * Finds the key that a client presents. Compares with every key in full, so the time does not
   * depend on which one matches, unless the token is longer than every key. Hashes the token only
   * if a digest is configured.
   */
  authenticate(token: string): ServiceKey | undefined {
    let found = -1;
    const bytes = encoder.encode(token);
    for (let index = 0; bytes.length <= this.#longest && index < this.#plain.length; index++) {
      const plain = this.#plain[index];
      if (plain !== undefined && sameBytes(bytes, plain)) found = index;
    }
    if (this.#digests.some((digest) => digest !== undefined)) {
      const presented = sha256(token);
      for (const [index, digest] of this.#digests.entries()) {
        if (digest !== undefined && timingSafeEqual(presented, digest)) found = index;
      }
    }
    return this.keys[found];
  }
}

const encoder = new TextEncoder();

/** Compares in a time that depends on the presented token alone. */
function sameBytes(presented: Uint8Array, key: Uint8Array): boolean {
  let difference = presented.length ^ key.length;
  for (let index = 0; index < presented.length; index++) {
    difference |= (presented[index] ?? 0) ^ (key[index % key.length] ?? 0);
  }
  return difference === 0;
}

/** The SHA-256 digest of a key of config.yaml, whether given as plain text or as `sha256:…`. */
export function digestOf(key: string): Buffer {
  const [, hex] = DIGEST.exec(key) ?? [];
  return hex === undefined ? sha256(key) : Buffer.from(hex, "hex");
}

const name = z.string().min(1).describe("Name of the key in the access log; must be unique");
const key = serviceKeyText(
  "The key, or 'sha256:' followed by the 64 hexadecimal digits of its SHA-256 digest",
);

/** The schema of an entry of `server.keys`. */
export const serviceKeyEntry = z.strictObject({
  name,
  key,
  models: z.array(z.string().min(1)).min(1).optional()
    .describe("Model names that this key may use, with '*' as a wildcard; all if omitted"),
});

/** The schema of an entry of `server.admin_keys`. */
export const adminKeyEntry = z.strictObject({ name, key });

/** The first 8 hexadecimal digits of a key's SHA-256 digest: identifies it without revealing it. */
export function fingerprintOf(key: string): string {
  return sha256(key).toString("hex").slice(0, 8);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

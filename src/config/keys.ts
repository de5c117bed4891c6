/** Service keys and admin keys: who may call, and what each key may name. */

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { DIGEST, serviceKeyText } from "./values.ts";

/** A key that callers present, known by its name alone. */
export interface ServiceKey {
  readonly name: string;
  /** Every name of a model that it may use; absent for all. */
  readonly models?: ReadonlySet<string> | undefined;
}

/** A key that opens the routes below `/v1/admin`, and no others. */
export type AdminKey = Pick<ServiceKey, "name">;

/** Whether a key may name this model. */
export function isAllowed(key: ServiceKey, model: string): boolean {
  return key.models === undefined || key.models.has(model);
}

/** A name in which each `*` stands for any run of characters. */
export class ModelPattern {
  readonly #first: string;
  readonly #rest: readonly string[];

  constructor(pattern: string) {
    [this.#first = "", ...this.#rest] = pattern.split("*");
  }

  /** Takes the leftmost place for every part in turn, so it never goes back. */
  matches(name: string): boolean {
    const last = this.#rest.at(-1);
    if (last === undefined) return name === this.#first;
    if (!name.startsWith(this.#first)) return false;
    let at = this.#first.length;
    for (const part of this.#rest.slice(0, -1)) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  }
}

/** Service keys or admin keys, plain or by their digests. */
export class Keyring {
  readonly keys: readonly ServiceKey[];
  readonly #plain: readonly (Uint8Array | undefined)[];
  readonly #digests: readonly (Buffer | undefined)[];
  /** Bytes of the longest key that is given as it is. */
  readonly #longest: number;

  /** Takes pairs of a key and its text: the key itself, or `sha256:` and its digest. */
  constructor(pairs: readonly (readonly [ServiceKey, string])[]) {
    this.keys = pairs.map(([key]) => key);
    this.#plain = pairs.map(([, text]) => DIGEST.test(text) ? undefined : encoder.encode(text));
    this.#longest = Math.max(0, ...this.#plain.map((bytes) => bytes?.length ?? 0));
    this.#digests = pairs.map(([, text]) => DIGEST.test(text) ? digestOf(text) : undefined);
  }

  /**
   * The key that a caller presents. Compares with every one to its end, whatever
   * came before, unless it is longer than any; only keys that are given by their
   * digest make a digest needed.
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

/** In a time that depends on what was presented alone. */
function sameBytes(presented: Uint8Array, key: Uint8Array): boolean {
  let difference = presented.length ^ key.length;
  for (let at = 0; at < presented.length; at++) {
    difference |= (presented[at] ?? 0) ^ (key[at % key.length] ?? 0);
  }
  return difference === 0;
}

/** The digest that stands for a key in config.yaml, so that two spellings of one key are equal. */
export function digestOf(key: string): Buffer {
  const [, hex] = DIGEST.exec(key) ?? [];
  return hex === undefined ? sha256(key) : Buffer.from(hex, "hex");
}

const name = z.string().min(1).describe("Shown in the access log");
const key = serviceKeyText("The key, or 'sha256:' and the 64 hexadecimal digits of its digest");

/** An entry of `server.keys`. */
export const serviceKeyEntry = z.strictObject({
  name,
  key,
  models: z.array(z.string().min(1)).min(1).optional()
    .describe("The only models this key may name; '*' stands for any characters"),
});

/** An entry of `server.admin_keys`. */
export const adminKeyEntry = z.strictObject({ name, key });

/** Digits of a key's digest that tell it from others, and that nobody can make the key from. */
export function fingerprintOf(key: string): string {
  return sha256(key).toString("hex").slice(0, 8);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

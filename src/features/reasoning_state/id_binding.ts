/** Binds vendors' IDs to the owner of the service key that got them. */

import { Buffer } from "node:buffer";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { KEY_BYTES } from "./packing.ts";

/** Bytes of a tag: 96 bits, which cannot be guessed over a network. */
const TAG_BYTES = 12;

/** Shorter vendor keys, such as placeholders of local servers, could be guessed. */
const MIN_SECRET_LENGTH = 16;

/** Makes and checks the tags of IDs. A tag is valid for one owner, provider and ID. */
export class IdBinding {
  /** The first one makes tags, and all of them check tags. */
  readonly #keys: readonly Uint8Array[];

  /** @param secrets one or more; the first one makes tags */
  constructor(secrets: readonly (string | Uint8Array)[]) {
    this.#keys = secrets.map((secret) =>
      new Uint8Array(hkdfSync("sha256", secret, "", "sluice vendor ids", KEY_BYTES))
    );
  }

  /** @param path what the ID is bound to, and the ID */
  tag(path: readonly string[]): string {
    const [first] = this.#keys;
    return first === undefined ? "" : tagOf(first, path).toString("base64url");
  }

  /** Whether one of the secrets made this tag for the same path. */
  verify(path: readonly string[], tag: string): boolean {
    const given = Buffer.from(tag, "base64url");
    // Each tag has exactly one spelling.
    if (given.length !== TAG_BYTES || given.toString("base64url") !== tag) return false;
    return this.#keys.some((key) => timingSafeEqual(tagOf(key, path), given));
  }
}

function tagOf(key: Uint8Array, path: readonly string[]): Buffer {
  const digest = createHmac("sha256", key).update(JSON.stringify(path)).digest();
  return digest.subarray(0, TAG_BYTES);
}

/** The sources of the secrets of a provider's IDs. */
export interface BindingSecrets {
  /** `server.reasoning_state.key`, if it is set. */
  readonly configured: Uint8Array | undefined;
  /** The provider's API keys. Only its account knows the IDs, and no caller knows the keys. */
  readonly vendorKeys: readonly string[];
  /** The random key of this process. */
  readonly process: Uint8Array;
}

/**
 * The binding of a provider's IDs: made with the configured key, else with the provider's first API
 * key, so that IDs stay valid after a restart and in all replicas; else with the process's key.
 */
export function createBinding({ configured, vendorKeys, process }: BindingSecrets): IdBinding {
  const long = vendorKeys.filter((key) => key.length >= MIN_SECRET_LENGTH);
  return new IdBinding([...(configured === undefined ? [] : [configured]), ...long, process]);
}

/** The keys in the store in the memory of one thread: requests never wait for the store. */

import type { Config } from "../../config/config.ts";
import type { ServiceKey } from "../../config/keys.ts";
import { type KeyHash, type KeySet, Pepper, prefixOf, type StoredKey } from "./key_store.ts";

/** A key's text: the current one, or one from before a rotation. */
interface Entry {
  readonly key: StoredKey;
  readonly hash: KeyHash;
  /** When the text stops being valid, in milliseconds since the Unix epoch. */
  readonly until: number | undefined;
}

/** The keys in the store by the prefixes of their texts. */
export class StoredKeyring {
  #pepper = "";
  #version: number | undefined;
  readonly #entries = new Map<string, Entry>();
  /** The keys in order of creation, by ID. */
  readonly #keys = new Map<string, StoredKey>();

  /** Adopts all keys, or changes. Afterwards, {@linkcode addTo} must be called again. */
  apply({ version, pepper, isWhole, keys }: KeySet): void {
    this.#version = version;
    this.#pepper = pepper;
    if (isWhole) {
      this.#entries.clear();
      this.#keys.clear();
    }
    for (const key of keys) {
      const before = this.#keys.get(key.id);
      this.#entries.delete(before?.prefix ?? "");
      for (const { prefix } of before?.previous ?? []) this.#entries.delete(prefix);
      if (key.revoked === undefined) this.#set(key);
      else this.#keys.delete(key.id);
    }
  }

  /** All keys. */
  get keys(): readonly StoredKey[] {
    return [...this.#keys.values()];
  }

  /** The store's last known state; undefined before it has been read. */
  get whole(): KeySet | undefined {
    if (this.#version === undefined) return undefined;
    return { version: this.#version, pepper: this.#pepper, isWhole: true, keys: this.keys };
  }

  #set(key: StoredKey): void {
    this.#keys.set(key.id, key);
    this.#entries.set(key.prefix, { key, hash: key, until: undefined });
    for (const hash of key.previous) {
      this.#entries.set(hash.prefix, { key, hash, until: hash.until });
    }
  }

  /**
   * The configuration with the keys in the store. It has a new cache of valid tokens, so that
   * revoked keys are not in it.
   */
  addTo(config: Config): Config {
    if (this.#entries.size === 0) return config;
    const pepper = pepperOf(config, this.#pepper);
    const presented = new Map<string, ServiceKey>();
    return {
      ...config,
      hasOneOwner: false,
      authenticate: (token) => {
        const known = presented.get(token) ?? config.authenticate(token);
        if (known !== undefined) return known;
        const key = this.#find(token, config, pepper);
        if (key !== undefined) presented.set(token, key);
        return key;
      },
    };
  }

  #find(token: string, config: Config, pepper: Pepper): ServiceKey | undefined {
    const entry = this.#entries.get(prefixOf(token) ?? "");
    if (entry === undefined || !pepper.verify(token, entry.hash.hash)) return undefined;
    const { key: { name, settings }, until = Infinity } = entry;
    if (disabledReason(entry.key, config, pepper) !== undefined) return undefined;
    const key = config.toServiceKey(name, settings ?? {});
    const expires = Math.min(key.expires ?? Infinity, Math.ceil(until / 1000));
    return expires === Infinity ? key : { ...key, expires };
  }
}

/** The configuration's pepper, or the store's. */
export function pepperOf({ server }: Pick<Config, "server">, stored: string): Pepper {
  return new Pepper(server.key_pepper ?? stored);
}

/** Why a key that is neither revoked nor expired is not valid; undefined if it is. */
export function disabledReason(
  { name, pepper, settings }: StoredKey,
  { keyNames }: Pick<Config, "keyNames">,
  current: Pepper,
): string | undefined {
  if (keyNames.has(name)) return "config.yaml has a key with the same name";
  if (pepper !== current.id) return "It was created with another server.key_pepper";
  return settings === undefined ? "A newer version of Sluice wrote its settings" : undefined;
}

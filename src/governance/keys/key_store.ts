/** The contract of a store for keys that are created at run time. */

import type { KeySettings } from "../../config/keys.ts";

/** What the store knows of the text of a key. */
export interface KeyHash {
  /** The first characters of the text, by which people recognize it. */
  readonly prefix: string;
  /** The keyed hash of the text. */
  readonly hash: string;
  /** The ID of the pepper that the hash was made with. */
  readonly pepper: string;
}

/** What the store knows of an earlier text. */
export interface PreviousHash extends KeyHash {
  /** The end of its validity. */
  readonly until: number;
}

/** A key in the store. Times are milliseconds since the Unix epoch. */
export interface StoredKey extends KeyHash {
  readonly id: string;
  /** Never used twice, because usage is recorded under the name. */
  readonly name: string;
  /** Undefined if a newer version of the gateway wrote them: then the key is not valid. */
  readonly settings: KeySettings | undefined;
  readonly created: number;
  readonly revoked: number | undefined;
  /** The texts before the last rotations, which are valid until a time. */
  readonly previous: readonly PreviousHash[];
}

/** The contents of the store for the threads of a process: all keys, or only the changed ones. */
export interface KeySet {
  /** Grows with every change. */
  readonly version: number;
  /** The pepper where the configuration has none. */
  readonly pepper: string;
  /** Whether `keys` are all keys that are not revoked. Else they are those that have changed. */
  readonly isWhole: boolean;
  readonly keys: readonly StoredKey[];
}

/** Which keys are listed. */
export interface KeyQuery {
  /** Only the key of this name. */
  readonly name?: string | undefined;
  /** Only keys whose name or text prefix contains this text, ignoring case. */
  readonly search?: string | undefined;
  /** Only keys after the one with this ID, in the order of their creation. */
  readonly after?: string | undefined;
  /** Whether revoked keys are included. */
  readonly revoked: boolean;
  readonly limit: number;
}

/** Changes of a key. Members that are absent stay as they are; null removes a setting. */
export interface KeyChanges {
  readonly settings?: { readonly [Name in keyof KeySettings]?: KeySettings[Name] | null };
  readonly hash?: KeyHash;
  readonly previous?: StoredKey["previous"];
  readonly revoked?: number;
}

/** Stores keys. Every method may fail. Every change increments the version. */
export interface KeyStore {
  /** The store's name in messages. */
  readonly name: string;
  readVersion(): Promise<number>;
  /**
   * Reads the changes after a version; all keys without one, or when the store is older than it,
   * as after a restored backup.
   */
  readKeys(since?: number): Promise<KeySet>;
  find(id: string): Promise<StoredKey | undefined>;
  list(query: KeyQuery): Promise<readonly StoredKey[]>;
  /** Adds a key unless its name is taken, or `maxKeys` keys are not revoked. */
  insert(key: StoredKey, maxKeys: number): Promise<"inserted" | "name_taken" | "full">;
  /**
   * Changes a key that is not revoked. Returns false if there is none with this ID.
   *
   * @param hash the hash that the key must have, so that a concurrent rotation is not overwritten
   */
  update(id: string, changes: KeyChanges, hash?: string): Promise<boolean>;
  close(): Promise<void>;
}

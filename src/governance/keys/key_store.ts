/** Keys that are created at run time: the store interface, its columns, and the format of keys. */

import { type KeySettings, keySettings } from "../../config/keys.ts";
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

/** The stored data about a key's text. */
export interface KeyHash {
  /** The first characters of the text, so that people can recognize it. */
  readonly prefix: string;
  /** The keyed hash (HMAC) of the text. */
  readonly hash: string;
  /** The ID of the hash's pepper. */
  readonly pepper: string;
}

/** The stored data about a key's text from before a rotation. */
interface PreviousHash extends KeyHash {
  /** When it stops being valid. */
  readonly until: number;
}

/** A key in the store. Times are in milliseconds since the Unix epoch. */
export interface StoredKey extends KeyHash {
  readonly id: string;
  /** Never used twice, because usage is recorded under the name. */
  readonly name: string;
  /** Undefined if a newer version of the gateway wrote them, in which case the key is not valid. */
  readonly settings: KeySettings | undefined;
  readonly created: number;
  readonly revoked: number | undefined;
  /** The texts before the last rotations, which are valid until a time. */
  readonly previous: readonly PreviousHash[];
}

/** The store's contents for a process's threads: all keys, or only the changed ones. */
export interface KeySet {
  /** Incremented by every change. */
  readonly version: number;
  /** The pepper, if the configuration has none. */
  readonly pepper: string;
  /** Whether `keys` contains all keys that are not revoked, instead of only the changed ones. */
  readonly isWhole: boolean;
  readonly keys: readonly StoredKey[];
}

/** The filter of a list of keys. */
export interface KeyQuery {
  /** Only the key with this name. */
  readonly name?: string | undefined;
  /** Only keys whose name or text prefix contains this text, ignoring case. */
  readonly search?: string | undefined;
  /** Only keys after the one with this ID, in order of creation. */
  readonly after?: string | undefined;
  /** Whether revoked keys are included. */
  readonly revoked: boolean;
  readonly limit: number;
}

/** Changes to a key. Absent members are not changed; null removes a setting. */
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

/** A key's columns. Settings are JSON; times are integers. */
export const KEY_COLUMNS = [
  "id",
  "name",
  "prefix",
  "hash",
  "pepper",
  "models",
  "limits",
  "budget",
  "expires",
  "created",
  "revoked",
  "previous",
  "priority",
  "weight",
  "owner",
  "team",
  "note",
] as const;

/** The value of a column. */
type KeyValue = string | number | null;

/** The values of {@linkcode KEY_COLUMNS}. */
export function toKeyValues(key: StoredKey): KeyValue[] {
  const { models, limits, budget, expires, priority, weight } = key.settings ?? {};
  const { owner, team, note } = key.settings ?? {};
  return [
    ...[key.id, key.name, key.prefix, key.hash, key.pepper],
    ...[toJson(models), toJson(limits), toJson(budget), expires ?? null],
    ...[key.created, key.revoked ?? null, toPreviousJson(key.previous)],
    ...[priority ?? null, weight ?? null, owner ?? null, team ?? null, note ?? null],
  ];
}

/** Reads a row. */
export function toStoredKey(row: Readonly<Record<string, unknown>>): StoredKey {
  const { models, limits, budget, expires, priority, weight, owner, team, note } = row;
  const settings = keySettings.safeParse({
    ...(models !== null && { models: fromJson(models) }),
    ...(limits !== null && { limits: fromJson(limits) }),
    ...(budget !== null && { budget: fromJson(budget) }),
    ...(expires !== null && { expires: Number(expires) }),
    ...(priority !== null && { priority }),
    ...(weight !== null && { weight: Number(weight) }),
    ...(owner !== null && { owner }),
    ...(team !== null && { team }),
    ...(note !== null && { note }),
  });
  return {
    id: String(row.id),
    name: String(row.name),
    prefix: String(row.prefix),
    hash: String(row.hash),
    pepper: String(row.pepper),
    settings: settings.data,
    created: Number(row.created),
    revoked: row.revoked === null ? undefined : Number(row.revoked),
    previous: [fromJson(row.previous) ?? []].flat() as unknown as StoredKey["previous"],
  };
}

/** The columns that changes set, with their values. */
export function toChangedColumns(
  { settings = {}, hash, previous, revoked }: KeyChanges,
): [(typeof KEY_COLUMNS)[number], KeyValue][] {
  const changed: [(typeof KEY_COLUMNS)[number], KeyValue][] = [];
  for (const name of ["models", "limits", "budget"] as const) {
    if (settings[name] !== undefined) changed.push([name, toJson(settings[name])]);
  }
  for (const name of ["expires", "priority", "weight", "owner", "team", "note"] as const) {
    if (settings[name] !== undefined) changed.push([name, settings[name]]);
  }
  if (hash !== undefined) {
    changed.push(["prefix", hash.prefix], ["hash", hash.hash], ["pepper", hash.pepper]);
    changed.push(["previous", toPreviousJson(previous)]);
  }
  if (revoked !== undefined) changed.push(["revoked", revoked]);
  return changed;
}

/** A single text in the form used by earlier versions; several as a list. */
function toPreviousJson(previous: StoredKey["previous"] = []): string | null {
  return previous.length > 1 ? JSON.stringify(previous) : toJson(previous[0]);
}

function toJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

function fromJson(value: unknown): unknown {
  return value === null ? undefined : JSON.parse(String(value));
}

/** An admin call. */
export type KeyCall =
  | { readonly type: "list"; readonly query: KeyQuery }
  | { readonly type: "find"; readonly id: string }
  | { readonly type: "create"; readonly name: string; readonly settings: KeySettings }
  | {
    readonly type: "change";
    readonly id: string;
    readonly settings: NonNullable<KeyChanges["settings"]>;
  }
  | { readonly type: "revoke"; readonly id: string }
  | {
    readonly type: "rotate";
    readonly id: string;
    /** How long the previous text remains valid, in milliseconds. */
    readonly overlapMs: number;
  };

/** A key as shown to an admin, without its hash. Times are in milliseconds since the Unix epoch. */
export interface KeyInfo {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly settings: KeySettings;
  readonly created: number;
  readonly revoked: number | undefined;
  /** The reason why it is invalid, other than revocation or expiry. */
  readonly disabled: string | undefined;
  /** The end of the last rotation overlap, if there is one. */
  readonly previousUntil: number | undefined;
}

/** Why a call was rejected. */
export type KeyRefusal =
  /** No store is configured. */
  | "no_store"
  | "unknown"
  | "revoked"
  /** Another key in the store has, or had, this name. */
  | "name_taken"
  /** A key in config.yaml has this name. */
  | "name_in_config"
  /** Another rotation happened at the same time, or the key has too many valid texts. */
  | "rotating"
  /** The store has the maximum number of keys. */
  | "full";

/** The result of a {@linkcode KeyCall}. */
export type KeyResult =
  | { readonly type: "keys"; readonly keys: readonly KeyInfo[] }
  | {
    readonly type: "key";
    readonly key: KeyInfo;
    /** A new key's text. It is not stored anywhere. */
    readonly text?: string | undefined;
  }
  | { readonly type: "refused"; readonly refusal: KeyRefusal }
  /** The store failed. The reason is logged. */
  | { readonly type: "failed" };

/** Runs calls. */
export type RunKeyCall = (call: KeyCall) => Promise<KeyResult>;

/** Rejects all calls, for a gateway without a store. */
export const refuseKeyCall: RunKeyCall = () =>
  Promise.resolve({ type: "refused", refusal: "no_store" });

// The texts of keys that are created at run time, and their hashes. A text consists of a fixed
// prefix, 8 characters that identify the key and are not secret, and 256 random bits.

/** The number of random bytes in the secret part. */
const SECRET_BYTES = 32;
/** The number of random bytes that become the 8 characters of the prefix. */
const PREFIX_BYTES = 6;

const BEGINNING = "sk-sluice-";
const TEXT = /^sk-sluice-[\w-]{51}$/;
const PREFIX_CHARS = BEGINNING.length + 8;

/** A new key. */
export interface KeyText {
  /** The full text, which clients send. It is shown once and not stored. */
  readonly text: string;
  /** Its first 18 characters, so that people can recognize it. */
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

/** The secret key for the hashes. Without this secret, a valid key cannot be added to the store. */
export class Pepper {
  /** Identifies the pepper, to detect keys that were created with another one. */
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

  /** Whether a text has this hash. Compares in constant time. */
  verify(text: string, hash: string): boolean {
    const expected = Buffer.from(hash, "hex");
    const actual = this.#hmac(`key:${text}`);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  #hmac(text: string): Buffer {
    return createHmac("sha256", this.#secret).update(text).digest();
  }
}

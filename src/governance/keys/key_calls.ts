/** Admin operations on the keys in the store, as data that threads can exchange. */

import type { KeySettings } from "../../config/keys.ts";
import type { KeyChanges, KeyQuery } from "./key_store.ts";

/** A call of an admin. */
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
    /** How long the previous text stays valid, in milliseconds. */
    readonly overlapMs: number;
  };

/** A key as an admin sees it, without its hash. Times are milliseconds since the Unix epoch. */
export interface KeyInfo {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly settings: KeySettings;
  readonly created: number;
  readonly revoked: number | undefined;
  /** Why it is not valid, apart from a revocation and its expiry. */
  readonly disabled: string | undefined;
  /** The end of the last overlap of a rotation, if there is one. */
  readonly previousUntil: number | undefined;
}

/** Why a call was refused. */
export type KeyRefusal =
  /** No store is configured. */
  | "no_store"
  | "unknown"
  | "revoked"
  /** Another key in the store has or had the name. */
  | "name_taken"
  /** A key of config.yaml has the name. */
  | "name_in_config"
  /** Another rotation was made at the same time, or the key has too many valid texts. */
  | "rotating"
  /** The store has the maximum number of keys. */
  | "full";

/** The answer to a {@linkcode KeyCall}. */
export type KeyResult =
  | { readonly type: "keys"; readonly keys: readonly KeyInfo[] }
  | {
    readonly type: "key";
    readonly key: KeyInfo;
    /** The text of a new key. It is not stored anywhere. */
    readonly text?: string | undefined;
  }
  | { readonly type: "refused"; readonly refusal: KeyRefusal }
  /** The store failed. The log has the reason. */
  | { readonly type: "failed" };

/** Runs calls. */
export type RunKeyCall = (call: KeyCall) => Promise<KeyResult>;

/** Refuses calls, without a store. */
export const refuseKeyCall: RunKeyCall = () =>
  Promise.resolve({ type: "refused", refusal: "no_store" });

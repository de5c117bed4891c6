/** The stored keys in the process, and the workers' access to the store. */

import { Buffer } from "node:buffer";
import type { Config } from "../../config/config.ts";
import { systemClock, within } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { newId, randomBytes } from "../../core/ids.ts";
import {
  type KeySet,
  type KeyStore,
  refuseKeyCall,
  type RunKeyCall,
} from "../../governance/keys/key_store.ts";
import { toStoreName } from "../../config/shared_store.ts";
import { readFile, reasonOf } from "../system/files.ts";
import { logMessage, StartError } from "../system/stdio.ts";

/** Milliseconds that startup waits for the keys if the store does not respond. */
const START_MS = 2000;
/** Milliseconds that the shutdown waits for the store. */
const CLOSE_MS = 1000;
/** The number of random bytes in the pepper of a new store. */
const PEPPER_BYTES = 32;

/** The options of {@linkcode startKeys}. */
export interface KeysOptions {
  /** The configuration at startup, which names the store. */
  readonly first: Config;
  /** The current configuration. */
  readonly config: () => Config;
  /** Publishes changes of the keys to all threads. */
  readonly publish: (changes: KeySet) => Promise<void>;
}

/** The keys in the store, as the process uses them. */
export interface KeyAccess {
  readonly run: RunKeyCall;
  /** Closes the store. */
  readonly close: () => Promise<void>;
}

/**
 * Reads the keys in the store and follows their changes. Without a store, calls are rejected.
 *
 * @throws {StartError} when the store cannot be opened.
 */
export async function startKeys(
  { first, config, publish }: KeysOptions,
): Promise<KeyAccess> {
  const store = await openKeyStore(first);
  if (store === undefined) return { run: refuseKeyCall, close: () => Promise.resolve() };
  const { KeyRegistry } = await import("../../governance/keys/key_registry.ts");
  const registry = new KeyRegistry({
    ...{ store, config, publish, newId, randomBytes },
    reasonOf,
    clock: systemClock,
    log: logMessage,
  });
  await within(START_MS, registry.start());
  return { run: (call) => registry.run(call), close: () => within(CLOSE_MS, registry.close()) };
}

async function openKeyStore({ store }: Pick<Config, "store">): Promise<KeyStore | undefined> {
  if (store === undefined) return undefined;
  const newPepper = () => Buffer.from(randomBytes(PEPPER_BYTES)).toString("base64url");
  try {
    // Loaded only when used, because they take time and memory.
    if (store.kind === "sqlite") {
      const { SqliteKeyStore } = await import("../../governance/keys/sqlite_key_store.ts");
      return new SqliteKeyStore(store.path, newPepper, systemClock);
    }
    const { PostgresKeyStore } = await import("../../governance/keys/postgres_key_store.ts");
    const { rootCertificate: path } = store;
    return new PostgresKeyStore(
      store,
      newPepper,
      path === undefined ? undefined : readFile(path),
    );
  } catch (thrown) {
    const name = store.kind === "sqlite" ? store.path : toStoreName(store);
    throw new StartError(`Cannot open the store ${name}: ${messageOf(thrown)}`);
  }
}

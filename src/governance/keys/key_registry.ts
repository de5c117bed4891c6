/**
 * The keys in the store in the main thread: runs admin calls, and detects changes by other
 * replicas. Every change is published to the threads that serve requests.
 */

import type { LogLevel } from "../../core/log_level.ts";
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import {
  createKeyText,
  type KeyCall,
  type KeyHash,
  type KeyInfo,
  type KeyResult,
  type KeySet,
  type KeyStore,
  type KeyText,
  type StoredKey,
} from "./key_store.ts";
import { disabledReason, pepperOf } from "./stored_keyring.ts";

/** Milliseconds between two reads of the store's version. */
const POLL_MS = 2000;
/** The maximum number of keys that are not revoked. Every thread holds all of them. */
const MAX_KEYS = 10_000;

/** The maximum number of a key's earlier texts that are still valid. */
const MAX_PREVIOUS = 20;
/** The number of attempts at a rotation that conflicts with others. */
const MAX_TRIES = 10;

const KEY_ID = /^key_[\w-]{1,64}$/;

/** The store's version and pepper. */
type KeyState = Pick<KeySet, "version" | "pepper">;

/** The options of {@linkcode KeyRegistry}. */
export interface KeyRegistryOptions {
  readonly store: KeyStore;
  readonly config: () => Config;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Publishes changed keys to all threads. Resolves when every thread uses them. */
  readonly publish: (changes: KeySet) => Promise<void>;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
  /** The reason for an error, without secrets. */
  readonly reasonOf: (thrown: unknown) => string;
}

export class KeyRegistry {
  readonly #options: KeyRegistryOptions;
  /** The store's last known state. */
  #keys: KeyState | undefined;
  /** The serialized changes to the keys in memory. */
  #refreshing: Promise<unknown> = Promise.resolve();
  #cancelPoll = () => {};
  #isFailing = false;
  #isClosed = false;

  constructor(options: KeyRegistryOptions) {
    this.#options = options;
  }

  /** Reads the keys for the first time, and then follows the changes. Never throws. */
  async start(): Promise<void> {
    await this.#poll();
  }

  /** Stops following the changes, and closes the store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll();
    await this.#options.store.close();
  }

  /** Runs an admin's call. Resolves when all threads in the process use the change. */
  async run(call: KeyCall): Promise<KeyResult> {
    try {
      const keys = this.#keys ?? await this.#refresh();
      return await this.#run(call, keys);
    } catch (thrown) {
      const { log, store, reasonOf } = this.#options;
      log(`cannot use the keys in store ${store.name}: ${reasonOf(thrown)}`, "error");
      return { type: "failed" };
    }
  }

  async #run(call: KeyCall, keys: KeyState): Promise<KeyResult> {
    const { store, clock } = this.#options;
    // Databases reject or truncate some texts, so only valid IDs are passed to them.
    if ("id" in call && !KEY_ID.test(call.id)) return { type: "refused", refusal: "unknown" };
    switch (call.type) {
      case "list": {
        const { name = "", search = "", after } = call.query;
        const isKnown = !`${name}${search}`.includes("\0") &&
          (after === undefined || KEY_ID.test(after));
        const found = isKnown ? await store.list(call.query) : [];
        return { type: "keys", keys: found.map((key) => this.#toInfo(key, keys)) };
      }
      case "find":
        return await this.#found(call.id, keys);
      case "create":
        return await this.#create(call, keys);
      case "change":
        return await this.#update(call.id, { settings: call.settings }, keys);
      case "revoke": {
        const result = await this.#update(call.id, { revoked: clock.wallTime() }, keys);
        // A key that is already revoked stays revoked.
        return result.type === "refused" && result.refusal === "revoked"
          ? await this.#found(call.id, keys)
          : result;
      }
      case "rotate":
        return await this.#rotate(call, keys);
    }
  }

  async #create(
    { name, settings }: Extract<KeyCall, { type: "create" }>,
    keys: KeyState,
  ): Promise<KeyResult> {
    const { store, config, clock, newId, randomBytes } = this.#options;
    if (config().keyNames.has(name)) return { type: "refused", refusal: "name_in_config" };
    const made = createKeyText(randomBytes);
    const key: StoredKey = {
      id: newId("key_"),
      name,
      ...this.#hashOf(made, keys),
      settings,
      created: clock.wallTime(),
      revoked: undefined,
      previous: [],
    };
    const outcome = await store.insert(key, MAX_KEYS);
    if (outcome !== "inserted") return { type: "refused", refusal: outcome };
    // The text exists only here, so it must not be lost by later failures. The next poll tries
    // again.
    await this.#refresh().catch(() => {});
    return { type: "key", key: this.#toInfo(key, keys), text: made.text };
  }

  async #rotate(
    { id, overlapMs }: Extract<KeyCall, { type: "rotate" }>,
    keys: KeyState,
  ): Promise<KeyResult> {
    const { store, clock, randomBytes } = this.#options;
    const made = createKeyText(randomBytes);
    const next = this.#hashOf(made, keys);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const key = await store.find(id);
      if (key === undefined) return { type: "refused", refusal: "unknown" };
      if (key.revoked !== undefined) return { type: "refused", refusal: "revoked" };
      const now = clock.wallTime();
      const previous = previousOf(key, now, overlapMs);
      if (previous.length > MAX_PREVIOUS) return { type: "refused", refusal: "rotating" };
      if (await store.update(id, { hash: next, previous }, key.hash)) {
        await this.#refresh().catch(() => {});
        const changed = { ...key, ...next, previous };
        return { type: "key", key: this.#toInfo(changed, keys), text: made.text };
      }
      // Another rotation came first. Its key may be in use, so it must not expire without an
      // overlap.
      if (overlapMs === 0) break;
    }
    const { type } = await this.#found(id, keys);
    return { type: "refused", refusal: type === "key" ? "rotating" : "unknown" };
  }

  async #update(
    id: string,
    changes: Parameters<KeyStore["update"]>[1],
    keys: KeyState,
  ): Promise<KeyResult> {
    if (await this.#options.store.update(id, changes)) {
      await this.#refresh();
      return await this.#found(id, keys);
    }
    const found = await this.#found(id, keys);
    return found.type === "key" ? { type: "refused", refusal: "revoked" } : found;
  }

  async #found(id: string, keys: KeyState): Promise<KeyResult> {
    const key = await this.#options.store.find(id);
    return key === undefined
      ? { type: "refused", refusal: "unknown" }
      : { type: "key", key: this.#toInfo(key, keys) };
  }

  #hashOf({ text, prefix }: KeyText, keys: KeyState): KeyHash {
    const pepper = pepperOf(this.#options.config(), keys.pepper);
    return { prefix, hash: pepper.hash(text), pepper: pepper.id };
  }

  #toInfo(key: StoredKey, keys: KeyState): KeyInfo {
    const config = this.#options.config();
    const { id, name, prefix, settings = {}, created, revoked, previous } = key;
    const disabled = disabledReason(key, config, pepperOf(config, keys.pepper));
    return {
      ...{ id, name, prefix, settings, created, revoked, disabled },
      previousUntil: previous.length === 0
        ? undefined
        : Math.max(...previous.map(({ until }) => until)),
    };
  }

  /** Reads the changes and publishes them. Concurrent calls run one after the other. */
  #refresh(): Promise<KeyState> {
    const next = this.#refreshing.then(async () => {
      const changes = await this.#options.store.readKeys(this.#keys?.version);
      const { version, pepper, isWhole, keys } = changes;
      this.#keys = { version, pepper };
      if (isWhole || keys.length > 0) await this.#options.publish(changes);
      return this.#keys;
    });
    this.#refreshing = next.catch(() => {});
    return next;
  }

  async #poll(): Promise<void> {
    const { store, clock, log, reasonOf } = this.#options;
    try {
      if (await store.readVersion() !== this.#keys?.version) await this.#refresh();
      if (this.#isFailing) log(`the keys in store ${store.name} can be read again`);
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing && !this.#isClosed) {
        log(
          `cannot read the keys in store ${store.name}; ` +
            `continuing with the keys already loaded: ${reasonOf(thrown)}`,
          "error",
        );
      }
      this.#isFailing = true;
    }
    if (!this.#isClosed) this.#cancelPoll = clock.after(POLL_MS, () => void this.#poll());
  }
}

/** The texts that stay valid after a rotation: none without an overlap. */
function previousOf(
  { prefix, hash, pepper, previous }: StoredKey,
  now: number,
  overlapMs: number,
): StoredKey["previous"] {
  if (overlapMs === 0) return [];
  const valid = previous.filter(({ until }) => until > now);
  return [{ prefix, hash, pepper, until: now + overlapMs }, ...valid];
}

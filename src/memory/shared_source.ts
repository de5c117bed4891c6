/**
 * Entries in a store that replicas share. Requests do not wait for writes, and wait only briefly
 * for entries that no worker in this process has.
 */

import type { Clock } from "../core/clock.ts";
import { isObject } from "../core/json/object.ts";
import { toText } from "../core/json/values.ts";
import type { EntryAddress, EntryCipher } from "./entry_cipher.ts";
import type { MemoryLimits, StateSource, StateStore } from "./store.ts";
import { type Change, WriteQueue } from "./write_queue.ts";

/** The entries of one kind in a store. Owners and names reveal nothing. No method ever fails. */
export interface SharedEntries {
  /** Whether the store is connected. */
  readonly isUp: boolean;
  /**
   * Returns the values of these names and resets their age; undefined if there is no reply in time.
   */
  read(
    owner: string,
    names: readonly string[],
    limits: MemoryLimits,
    waitMs: number,
  ): Promise<SharedValues | undefined>;
  /** @returns whether the value is stored; older values are removed if the limits are exceeded */
  write(owner: string, name: string, value: Uint8Array, limits: MemoryLimits): Promise<boolean>;
  /** Removes a value. */
  remove(owner: string, name: string): Promise<boolean>;
  /**
   * Removes a value and returns it, to one replica only.
   *
   * @param onLate receives a removed value that arrives too late
   * @returns `taken` if another replica has removed it; `absent` if there is none; undefined if
   * there is no reply in time
   */
  take(
    owner: string,
    name: string,
    waitMs: number,
    onLate: (value: Uint8Array) => void,
  ): Promise<Uint8Array | "absent" | "taken" | undefined>;
  /** Adds a removal notice, which other replicas read with {@linkcode removals}. */
  notify(notice: Uint8Array, limits: MemoryLimits): Promise<boolean>;
  /** The removal notices since the time of an earlier reply, or 0; undefined without a reply. */
  removals(since: number): Promise<Removals | undefined>;
}

/** The value of each name, or undefined if there is none. */
export type SharedValues = readonly (Uint8Array | undefined)[];

/** The removed entries, and the store's time. */
export interface Removals {
  readonly time: number;
  readonly notices: readonly Uint8Array[];
}

/** The result of a lookup. */
export type LookupResult = "hit" | "miss" | "failed";

/**
 * The reason why an entry is not stored: the queue is full, it is too large, or the store has
 * failed.
 */
export type DropReason = "queue" | "size" | "store";

/** The metrics. */
export interface SharedSourceMetrics {
  lookedUp(result: LookupResult, count: number): void;
  written(): void;
  dropped(reason: DropReason): void;
}

/** The dependencies of a {@linkcode SharedSource}. */
export interface SharedSourceOptions {
  /** The name of the memory. */
  readonly memory: string;
  /**
   * Whether entries are often missing and stale ones are harmless. If so, missing entries are not
   * looked up twice, and removals by other replicas are not read.
   */
  readonly isCache?: boolean;
  /** This thread's entries; removals by other replicas are applied to them. */
  readonly local: StateStore;
  readonly entries: SharedEntries;
  /** Undefined while no key is configured for all replicas, so that nothing is shared. */
  readonly cipher: () => EntryCipher | undefined;
  /** The store's limits, for all replicas together. */
  readonly limits: () => MemoryLimits;
  /** The maximum size of queued values, in bytes. */
  readonly maxQueuedBytes: () => number;
  readonly clock: Pick<Clock, "after" | "now">;
  readonly metrics: SharedSourceMetrics;
}

/** The maximum size of a shared entry, in bytes. */
const MAX_ENTRY_BYTES = 8 * 1024 * 1024;
/** The size of the values that are written at once. Lookups wait behind them. */
const BATCH_BYTES = 256 * 1024;
/** The maximum time for a lookup, in milliseconds. */
const MAX_WAIT_MS = 49;
/** When to look up missing entries a second time, since another replica may be writing them. */
const AGAIN_MS = 15;
/** Milliseconds between two polls for removals by other replicas. */
const REMOVALS_MS = 1000;
/** Milliseconds after which a removal that failed is sent again. */
const RETRY_MS = 1000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class SharedSource implements StateSource {
  readonly #options: SharedSourceOptions;
  readonly #queue: WriteQueue;
  #sending: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;
  #cancelRemovals = () => {};
  #readingRemovals = Promise.resolve();
  /** The time of the last reply about removals. */
  #removalsRead = 0;

  constructor(options: SharedSourceOptions) {
    this.#options = options;
    this.#queue = new WriteQueue(options.maxQueuedBytes);
    if (!options.isCache) this.#readRemovalsLater();
  }

  /** Whether no change is queued. */
  get isEmpty(): boolean {
    return this.#queue.isEmpty && this.#sending === undefined;
  }

  async find(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const { clock, metrics } = this.#options;
    const cipher = this.#options.cipher();
    const found = new Map<string, Uint8Array>();
    if (cipher === undefined) return found;
    const end = clock.now() + MAX_WAIT_MS;
    let hasReply = await this.#read(cipher, owner, ids, { found, end });
    const missing = ids.filter((id) => !found.has(id));
    if (
      !this.#options.isCache && hasReply && missing.length > 0 && end - clock.now() > 2 * AGAIN_MS
    ) {
      await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve));
      hasReply = await this.#read(cipher, owner, missing, { found, end });
    }
    metrics.lookedUp("hit", found.size);
    metrics.lookedUp(hasReply ? "miss" : "failed", ids.length - found.size);
    return found;
  }

  onPut(owner: string, id: string, state: Uint8Array): void {
    if (this.#options.cipher() === undefined) return;
    if (state.length > MAX_ENTRY_BYTES) return this.#options.metrics.dropped("size");
    if (!this.#queue.add({ owner, id, state })) return this.#options.metrics.dropped("queue");
    void this.flush();
  }

  onRemove(owner: string, id: string): void {
    if (this.#options.cipher() === undefined) return;
    this.#queue.add({ owner, id, state: undefined });
    void this.flush();
  }

  async take(
    owner: string,
    id: string,
    hasIt: boolean,
  ): Promise<Uint8Array | "taken" | undefined> {
    const cipher = this.#options.cipher();
    if (cipher === undefined) return undefined;
    const waiting = this.#queue.cancel(owner, id);
    if (waiting !== undefined) return waiting;
    const address = this.#addressOf(cipher, owner, id);
    const putBack = async (value: Uint8Array) => {
      const state = hasIt ? undefined : await cipher.open(address, value);
      if (state !== undefined) this.onPut(owner, id, state);
    };
    const value = await this.#options.entries.take(
      this.#ownerName(cipher, owner),
      address.name,
      MAX_WAIT_MS,
      (late) => void putBack(late),
    );
    if (value === "taken") return value;
    if (value instanceof Uint8Array) {
      // Notifies the other replicas.
      this.onRemove(owner, id);
      return await cipher.open(address, value);
    }
    // The write may be in progress, or the store may be unavailable.
    if (hasIt) this.onRemove(owner, id);
    return undefined;
  }

  /** Sends queued changes. Call it when the store is connected. */
  async flush(): Promise<void> {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    const canSend = this.#options.entries.isUp && !this.#queue.isEmpty;
    if (canSend) this.#sending ??= this.#send();
    await this.#sending;
  }

  /** Sends queued changes, and stops all timers. */
  async close(): Promise<void> {
    this.#cancelRemovals();
    await Promise.all([this.flush(), this.#readingRemovals]);
    this.#cancelRetry?.();
  }

  /** The owner in the store. */
  #ownerName(cipher: EntryCipher, owner: string): string {
    return cipher.locate([this.#options.memory, owner]).name;
  }

  #addressOf(cipher: EntryCipher, owner: string, id: string): EntryAddress {
    return cipher.locate([this.#options.memory, owner, id]);
  }

  /**
   * Reads entries into a map.
   *
   * @returns whether there was a reply in time
   */
  async #read(
    cipher: EntryCipher,
    owner: string,
    ids: readonly string[],
    { found, end }: { readonly found: Map<string, Uint8Array>; readonly end: number },
  ): Promise<boolean> {
    const { clock, entries, limits } = this.#options;
    const addresses = ids.map((id) => this.#addressOf(cipher, owner, id));
    const names = addresses.map(({ name }) => name);
    const values = await entries.read(
      this.#ownerName(cipher, owner),
      names,
      limits(),
      end - clock.now(),
    );
    if (values === undefined) return false;
    await Promise.all(addresses.map(async (address, index) => {
      const [id, value] = [ids[index], values[index]];
      const state = value && await cipher.open(address, value);
      if (id !== undefined && state !== undefined) found.set(id, state);
    }));
    return true;
  }

  /** Changes are queued while the store is unavailable. */
  async #send(): Promise<void> {
    const { clock, entries } = this.#options;
    const failed: Change[] = [];
    try {
      while (entries.isUp && !this.#queue.isEmpty) {
        const changes = this.#queue.take(BATCH_BYTES);
        await Promise.all(changes.map(async (change) => {
          if (!await this.#apply(change)) failed.push(change);
        }));
      }
    } finally {
      this.#sending = undefined;
    }
    if (failed.length === 0) return;
    this.#queue.putBack(failed);
    this.#cancelRetry = clock.after(RETRY_MS, () => void this.flush());
  }

  /** @returns false for a removal that must be sent again; a value is dropped */
  async #apply({ owner, id, state }: Change): Promise<boolean> {
    const { entries, limits, metrics } = this.#options;
    const cipher = this.#options.cipher();
    if (cipher === undefined) return true;
    const address = this.#addressOf(cipher, owner, id);
    if (state === undefined) {
      const notice = await this.#sealNotice(cipher, owner, id);
      return await entries.remove(this.#ownerName(cipher, owner), address.name) &&
        await entries.notify(notice, limits());
    }
    const sealed = await cipher.seal(address, state);
    const name = this.#ownerName(cipher, owner);
    if (await entries.write(name, address.name, sealed, limits())) metrics.written();
    else metrics.dropped("store");
    return true;
  }

  async #sealNotice(cipher: EntryCipher, owner: string, id: string): Promise<Uint8Array> {
    const notice = encoder.encode(JSON.stringify({ owner, id }));
    return await cipher.seal(this.#noticeAddress(cipher), notice);
  }

  #noticeAddress(cipher: EntryCipher): EntryAddress {
    return cipher.locate([this.#options.memory]);
  }

  #readRemovalsLater(): void {
    this.#cancelRemovals = this.#options.clock.after(REMOVALS_MS, () => {
      this.#readRemovalsLater();
      this.#readingRemovals = this.#readRemovals();
    });
  }

  /** Applies removals by other replicas to this thread. */
  async #readRemovals(): Promise<void> {
    const { entries, local } = this.#options;
    const cipher = this.#options.cipher();
    if (cipher === undefined || !entries.isUp) return;
    const removals = await entries.removals(this.#removalsRead);
    if (removals === undefined) return;
    this.#removalsRead = removals.time;
    for (const sealed of removals.notices) {
      const notice = await cipher.open(this.#noticeAddress(cipher), sealed);
      const removed: unknown = notice && JSON.parse(decoder.decode(notice));
      if (isObject(removed)) local.remove(toText(removed.owner), toText(removed.id));
    }
  }
}

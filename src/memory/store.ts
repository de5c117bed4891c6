/**
 * Data for the next request of a conversation: state that is too large for an ID, and stored
 * answers.
 */

import type { MemoryAccount } from "../core/in_flight_memory.ts";

/** A store for reasoning state by tool call ID. Only an entry's owner can read it. */
export interface StateStore {
  /**
   * Stores or replaces an entry. Never blocks.
   *
   * @param owner the name of the answer's service key
   * @returns false for an entry that is not stored
   */
  put(owner: string, id: string, state: Uint8Array): boolean;
  /** This owner's stored entries, by ID. It never fails, and waits only briefly. */
  get(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Removes this owner's entry if it exists. */
  remove(owner: string, id: string): void;
}

/** A store for entries that can be read only once. */
export interface OnceStore extends Pick<StateStore, "put"> {
  /** Removes this owner's entry and returns it, to at most one caller. Never fails. */
  take(owner: string, id: string): Promise<Uint8Array | undefined>;
}

/** The limits of a {@linkcode MemoryStore}. */
export interface MemoryLimits {
  /** The maximum total size of all entries, in bytes; 0 disables the store. */
  readonly bytes: number;
  /** How long an entry is kept after its last use, in milliseconds. */
  readonly ttlMs: number;
}

interface Entry {
  readonly owner: OwnerEntries;
  readonly id: string;
  readonly state: Uint8Array;
  readonly size: number;
  usedAt: number;
}

/** One owner's entries. */
interface OwnerEntries {
  readonly name: string;
  /** The entries by ID, in order of last use. */
  readonly entries: Map<string, Entry>;
  bytes: number;
}

/** The memory overhead of an entry in addition to its state and ID, in bytes. */
const ENTRY_OVERHEAD_BYTES = 200;

/**
 * Entries in the memory of this thread. If they do not fit, the owner with the most bytes loses its
 * least recently used entry, so no owner can evict entries of an owner that is within its equal
 * share. Owners may also use space that others leave free.
 */
export class MemoryStore implements OnceStore, StateStore {
  readonly #owners = new Map<string, OwnerEntries>();
  /** All entries, in order of last use. */
  readonly #all = new Set<Entry>();
  readonly #limits: () => MemoryLimits;
  readonly #now: () => number;
  readonly #account: MemoryAccount | undefined;
  #bytes = 0;

  /**
   * @param limits the limits in force; a configuration reload may change them
   * @param now a time in milliseconds that never decreases
   * @param account charges owners for their entries, in addition to everything else that they hold;
   * an owner over its share loses its own entries
   */
  constructor(limits: () => MemoryLimits, now: () => number, account?: MemoryAccount) {
    this.#limits = limits;
    this.#now = now;
    this.#account = account;
  }

  /** Whether all entries have expired. */
  get isEmpty(): boolean {
    this.#trim();
    return this.#all.size === 0;
  }

  /** The total size of all entries in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  put(owner: string, id: string, state: Uint8Array): boolean {
    const { bytes } = this.#limits();
    const size = state.length + id.length + ENTRY_OVERHEAD_BYTES;
    this.remove(owner, id);
    if (size > bytes || !this.#charge(owner, size)) return false;
    let of = this.#owners.get(owner);
    if (of === undefined) {
      this.#owners.set(owner, of = { name: owner, entries: new Map(), bytes: 0 });
    }
    const entry = { owner: of, id, state, size, usedAt: this.#now() };
    of.entries.set(id, entry);
    of.bytes += size;
    this.#all.add(entry);
    this.#bytes += size;
    this.#trim();
    return this.#all.has(entry);
  }

  get(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    this.#trim();
    const found = new Map<string, Uint8Array>();
    const of = this.#owners.get(owner);
    if (of === undefined) return Promise.resolve(found);
    for (const id of ids) {
      const entry = of.entries.get(id);
      if (entry === undefined) continue;
      found.set(id, entry.state);
      entry.usedAt = this.#now();
      of.entries.delete(id);
      of.entries.set(id, entry);
      this.#all.delete(entry);
      this.#all.add(entry);
    }
    return Promise.resolve(found);
  }

  remove(owner: string, id: string): void {
    this.#remove(this.#owners.get(owner)?.entries.get(id));
  }

  take(owner: string, id: string): Promise<Uint8Array | undefined> {
    this.#trim();
    const entry = this.#owners.get(owner)?.entries.get(id);
    this.#remove(entry);
    return Promise.resolve(entry?.state);
  }

  /**
   * Charges an owner for an entry. If there is no space, the owner's oldest entries are removed.
   */
  #charge(owner: string, size: number): boolean {
    while (this.#account?.take(owner, size) === false) {
      const oldest = this.#owners.get(owner)?.entries.values().next().value;
      if (oldest === undefined) return false;
      this.#remove(oldest);
    }
    return true;
  }

  /** Removes expired entries, then the largest owner's entries until the rest fits. */
  #trim(): void {
    const { bytes, ttlMs } = this.#limits();
    const expired = this.#now() - ttlMs;
    for (const entry of this.#all) {
      if (entry.usedAt > expired) break;
      this.#remove(entry);
    }
    while (this.#bytes > bytes) this.#remove(this.#largest()?.entries.values().next().value);
  }

  #largest(): OwnerEntries | undefined {
    let largest: OwnerEntries | undefined;
    for (const owner of this.#owners.values()) {
      if (largest === undefined || owner.bytes > largest.bytes) largest = owner;
    }
    return largest;
  }

  #remove(entry: Entry | undefined): void {
    if (entry === undefined) return;
    const { owner, id, size } = entry;
    owner.entries.delete(id);
    owner.bytes -= size;
    if (owner.entries.size === 0) this.#owners.delete(owner.name);
    this.#all.delete(entry);
    this.#bytes -= size;
    this.#account?.giveBack(owner.name, size);
  }
}

/** Another source of entries: the other workers, or a store that replicas share. */
export interface StateSource {
  /** Looks up entries. Never fails, and waits for a limited time. */
  find(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Called after an entry was stored in this thread. Never blocks. */
  onPut(owner: string, id: string, state: Uint8Array): void;
  /** Called after an entry was removed from this thread. Never blocks. */
  onRemove(owner: string, id: string): void;
  /**
   * Removes an entry that can be read only once. Never fails, and waits for a limited time.
   *
   * @param hasIt whether this thread had the entry
   * @returns the entry; `taken` if another source has taken it; undefined if there is none
   */
  take(owner: string, id: string, hasIt: boolean): Promise<Uint8Array | "taken" | undefined>;
}

/** The maximum number of IDs per lookup. */
const MAX_ASKED_IDS = 1000;

/**
 * A store that looks up missing entries in all sources in parallel, and caches what they return.
 */
export class LayeredStore implements OnceStore, StateStore {
  readonly #local: OnceStore & StateStore;
  readonly #sources: readonly StateSource[];

  constructor(local: OnceStore & StateStore, sources: readonly StateSource[]) {
    this.#local = local;
    this.#sources = sources;
  }

  put(owner: string, id: string, state: Uint8Array): boolean {
    if (!this.#local.put(owner, id, state)) return false;
    for (const source of this.#sources) source.onPut(owner, id, state);
    return true;
  }

  remove(owner: string, id: string): void {
    this.#local.remove(owner, id);
    for (const source of this.#sources) source.onRemove(owner, id);
  }

  async take(owner: string, id: string): Promise<Uint8Array | undefined> {
    let state = await this.#local.take(owner, id);
    for (const source of this.#sources) {
      const found = await source.take(owner, id, state !== undefined);
      if (found === "taken") return undefined;
      state ??= found;
    }
    return state;
  }

  async get(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const own = await this.#local.get(owner, ids);
    const missing = ids.filter((id) => !own.has(id)).slice(-MAX_ASKED_IDS);
    if (missing.length === 0 || this.#sources.length === 0) return own;
    const found = await this.#find(owner, missing);
    for (const [id, state] of found) this.#local.put(owner, id, state);
    return new Map([...own, ...found]);
  }

  /** Queries all sources; resolves when every entry is found or all sources have answered. */
  async #find(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const answers = this.#sources.map(async (source) => {
      for (const [id, state] of await source.find(owner, ids)) found.set(id, state);
      if (found.size === ids.length) resolve();
    });
    Promise.all(answers).then(() => resolve(), reject);
    await promise;
    return found;
  }
}

/** Data for the next request of a conversation: state that is too large for an id, and answers. */

import type { MemoryAccount } from "../core/in_flight_memory.ts";

/** A store of reasoning state by tool-call id. Only the owner of an entry can read it. */
export interface StateStore {
  /**
   * Keeps an entry, or replaces it. It returns at once.
   *
   * @param owner the name of the service key that the answer goes to
   * @returns false for an entry that is not kept
   */
  put(owner: string, id: string, state: Uint8Array): boolean;
  /** The stored entries of this owner, by id. It never fails, and waits only briefly. */
  get(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Removes an entry of this owner, if there is one. */
  remove(owner: string, id: string): void;
}

/** A store of entries that are read once. */
export interface OnceStore extends Pick<StateStore, "put"> {
  /** Removes an entry of this owner and returns it: to one caller at most. It never fails. */
  take(owner: string, id: string): Promise<Uint8Array | undefined>;
}

/** The limits of a {@linkcode MemoryStore}. */
export interface MemoryLimits {
  /** The maximum size of all entries together, in bytes; 0 disables the store. */
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

/** The entries of one owner. */
interface OwnerEntries {
  readonly name: string;
  /** By ID, in the order of their last use. */
  readonly entries: Map<string, Entry>;
  bytes: number;
}

/** The memory of an entry besides its state and ID, in bytes. */
const ENTRY_OVERHEAD_BYTES = 200;

/**
 * Entries in the memory of this thread. If they do not fit, the owner with the most bytes loses the
 * entry that it used least recently: no owner can evict the entries of another one that has no more
 * than an equal share. An owner may also use the space that others leave free.
 */
export class MemoryStore implements OnceStore, StateStore {
  readonly #owners = new Map<string, OwnerEntries>();
  /** All entries in the order of their last use. */
  readonly #all = new Set<Entry>();
  readonly #limits: () => MemoryLimits;
  readonly #now: () => number;
  readonly #account: MemoryAccount | undefined;
  #bytes = 0;

  /**
   * @param limits the limits in force; a reload of the configuration may change them
   * @param now a time in milliseconds that never decreases
   * @param account charges owners for their entries, besides everything else that they hold; an owner over
   * its share loses its own entries
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

  /** Bytes of all entries together. */
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

  /** Charges an owner for an entry. Without space for it, the owner's oldest entries make room. */
  #charge(owner: string, size: number): boolean {
    while (this.#account?.take(owner, size) === false) {
      const oldest = this.#owners.get(owner)?.entries.values().next().value;
      if (oldest === undefined) return false;
      this.#remove(oldest);
    }
    return true;
  }

  /** Removes expired entries, then entries of the largest owner until the rest fits. */
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

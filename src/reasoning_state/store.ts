/** Data for the next request of a conversation: state that is too large for an id, and answers. */

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

/** The limits of a {@linkcode MemoryStore}. */
export interface MemoryLimits {
  /** The maximum size of all entries together, in bytes; 0 disables the store. */
  readonly bytes: number;
  /** How long an entry is kept after its last use, in milliseconds. */
  readonly ttlMs: number;
}

interface Entry {
  readonly owner: string;
  readonly state: Uint8Array;
  readonly size: number;
  usedAt: number;
}

/** The memory of an entry besides its state and ID, in bytes. */
const ENTRY_OVERHEAD_BYTES = 200;

/** Entries in the memory of this thread. The one that was used least recently is dropped first. */
export class MemoryStore implements StateStore {
  /** By id, in the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #limits: () => MemoryLimits;
  readonly #now: () => number;
  #bytes = 0;

  /**
   * @param limits the limits in force; a reload of the configuration may change them
   * @param now a time in milliseconds that never decreases
   */
  constructor(limits: () => MemoryLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Whether all entries have expired. */
  get isEmpty(): boolean {
    this.#trim();
    return this.#entries.size === 0;
  }

  /** Bytes of all entries together. */
  get bytes(): number {
    return this.#bytes;
  }

  put(owner: string, id: string, state: Uint8Array): boolean {
    const { bytes } = this.#limits();
    const size = state.length + id.length + ENTRY_OVERHEAD_BYTES;
    this.#remove(id);
    if (size > bytes) return false;
    this.#entries.set(id, { owner, state, size, usedAt: this.#now() });
    this.#bytes += size;
    this.#trim();
    return true;
  }

  get(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    this.#trim();
    const found = new Map<string, Uint8Array>();
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry === undefined || entry.owner !== owner) continue;
      found.set(id, entry.state);
      entry.usedAt = this.#now();
      this.#entries.delete(id);
      this.#entries.set(id, entry);
    }
    return Promise.resolve(found);
  }

  remove(owner: string, id: string): void {
    if (this.#entries.get(id)?.owner === owner) this.#remove(id);
  }

  /** Removes expired entries, then the least recently used ones until the rest fits. */
  #trim(): void {
    const { bytes, ttlMs } = this.#limits();
    const expired = this.#now() - ttlMs;
    for (const [id, { usedAt }] of this.#entries) {
      if (usedAt > expired && this.#bytes <= bytes) return;
      this.#remove(id);
    }
  }

  #remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#bytes -= entry.size;
  }
}

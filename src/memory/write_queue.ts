/** Queued entry changes for a store. */

/** A new value for an entry, or its removal. */
export interface Change {
  readonly owner: string;
  readonly id: string;
  /** Undefined if the entry was removed. */
  readonly state: Uint8Array | undefined;
}

/** The memory overhead of a change, in bytes. */
const CHANGE_OVERHEAD_BYTES = 200;

/** The last change to each entry, in arrival order. The size of its values is limited. */
export class WriteQueue {
  readonly #changes = new Map<string, Change>();
  readonly #maxBytes: () => number;
  #bytes = 0;

  /** @param maxBytes returns the maximum size of all values, unless a single one is larger */
  constructor(maxBytes: () => number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  /**
   * Adds a change, which replaces an earlier one to the same entry.
   *
   * @returns false if there is no space for a value. There is always space for a removal. An
   * earlier value is dropped, since it is outdated.
   */
  add(change: Change): boolean {
    const key = keyOf(change);
    const size = sizeOf(change);
    const earlier = this.#remove(key);
    const isFull = this.#bytes > 0 && this.#bytes + size > this.#maxBytes();
    if (isFull && change.state !== undefined) {
      if (earlier !== undefined && earlier.state === undefined) this.add(earlier);
      return false;
    }
    this.#changes.set(key, change);
    this.#bytes += size;
    return true;
  }

  /** Adds removals that failed, unless their entries have changed since. */
  putBack(removals: readonly Change[]): void {
    for (const removal of removals) if (!this.#changes.has(keyOf(removal))) this.add(removal);
  }

  /** Removes at least one change from the queue, and more up to this size in bytes. */
  take(maxBytes: number): readonly Change[] {
    const taken: Change[] = [];
    let bytes = 0;
    for (const [key, change] of this.#changes) {
      bytes += sizeOf(change);
      if (taken.length > 0 && bytes > maxBytes) break;
      this.#remove(key);
      taken.push(change);
    }
    return taken;
  }

  /** Removes a queued value, and returns it. */
  cancel(owner: string, id: string): Uint8Array | undefined {
    const key = keyOf({ owner, id });
    if (this.#changes.get(key)?.state === undefined) return undefined;
    return this.#remove(key)?.state;
  }

  #remove(key: string): Change | undefined {
    const change = this.#changes.get(key);
    if (change === undefined) return undefined;
    this.#changes.delete(key);
    this.#bytes -= sizeOf(change);
    return change;
  }
}

function keyOf({ owner, id }: Pick<Change, "id" | "owner">): string {
  return JSON.stringify([owner, id]);
}

function sizeOf({ id, state }: Change): number {
  return (state?.length ?? 0) + id.length + CHANGE_OVERHEAD_BYTES;
}

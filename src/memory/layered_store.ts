/** Entries in the memory of this thread, backed by other sources. */

import type { OnceStore, StateStore } from "./store.ts";

/** Another source of entries: the other workers, or a store that replicas share. */
export interface StateSource {
  /** The entries that it has. It never fails, and waits for a limited time. */
  find(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Called after an entry was stored in this thread. It returns at once. */
  onPut(owner: string, id: string, state: Uint8Array): void;
  /** Called after an entry was removed from this thread. It returns at once. */
  onRemove(owner: string, id: string): void;
  /**
   * Removes an entry that is read once. It never fails, and waits for a limited time.
   *
   * @param hasIt whether this thread had the entry
   * @returns the entry; `taken` if another place has taken it; undefined if there is none
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

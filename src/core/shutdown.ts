/** Tells everything that is open that the process cannot wait for it any longer. */

export class Shutdown {
  /** A set, since thousands may wait and each leaves on its own. */
  readonly #waiting = new Set<() => void>();
  #begun = false;

  get begun(): boolean {
    return this.#begun;
  }

  /** Calls `run` when it is time, unless the returned function is called before. */
  onBegin(run: () => void): () => void {
    this.#waiting.add(run);
    return () => void this.#waiting.delete(run);
  }

  begin(): void {
    this.#begun = true;
    for (const run of this.#waiting) run();
    this.#waiting.clear();
  }
}

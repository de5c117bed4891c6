/** Notifies open requests that the process shuts down. */

/** The start of the shutdown as an event. */
export class Shutdown {
  /** A set, since there may be thousands of callbacks that are removed one by one. */
  readonly #waiting = new Set<() => void>();
  #begun = false;

  get begun(): boolean {
    return this.#begun;
  }

  /** Calls `run` when the shutdown begins. The returned function cancels the call. */
  onBegin(run: () => void): () => void {
    this.#waiting.add(run);
    return () => void this.#waiting.delete(run);
  }

  /** Begins the shutdown. */
  begin(): void {
    this.#begun = true;
    for (const run of this.#waiting) run();
    this.#waiting.clear();
  }
}

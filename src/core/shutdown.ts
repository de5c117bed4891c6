/** Notifies open requests that the process shuts down. */

import { LinkedList } from "./linked_list.ts";

/** The start of the shutdown as an event. */
export class Shutdown {
  readonly #waiting = new LinkedList<() => void>();
  #begun = false;

  get begun(): boolean {
    return this.#begun;
  }

  /** Calls `run` when the shutdown begins. The returned function cancels the call. */
  onBegin(run: () => void): () => void {
    const entry = this.#waiting.add(run);
    return () => void this.#waiting.remove(entry);
  }

  /** Begins the shutdown. */
  begin(): void {
    this.#begun = true;
    for (let entry = this.#waiting.first; entry !== undefined; entry = this.#waiting.first) {
      this.#waiting.remove(entry);
      entry.value();
    }
  }
}

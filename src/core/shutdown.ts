/** Notifies open requests that the process shuts down. */

import { LinkedList } from "./linked_list.ts";

/** What must know of the shutdown. */
export interface ShutdownListener {
  onShutdown(): void;
}

/** The start of the shutdown as an event. */
export class Shutdown {
  begun = false;
  /** Those that learn when it begins. One that ends before removes its entry. */
  readonly waiting = new LinkedList<ShutdownListener>();

  /** Calls `run` when the shutdown begins. The returned function cancels the call. */
  onBegin(run: () => void): () => void {
    const entry = this.waiting.add({ onShutdown: run });
    return () => void this.waiting.remove(entry);
  }

  /** Begins the shutdown. */
  begin(): void {
    this.begun = true;
    for (let entry = this.waiting.first; entry !== undefined; entry = this.waiting.first) {
      this.waiting.remove(entry);
      entry.value.onShutdown();
    }
  }
}

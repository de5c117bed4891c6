/** The outage of a store, which the workers of a process notice one by one and report once. */

import type { LogLevel } from "../core/log_level.ts";

/** A number that all workers of a process count. */
export interface WorkerCount {
  slotOf(name: string): number;
  /** Adds one. @returns the new number */
  hold(slot: number): number;
  /** Subtracts one. @returns the new number */
  leave(slot: number): number;
  taken(slot: number): number;
}

/** Counts the workers without the store. The first one and the last one of them log it. */
export class StoreOutage {
  readonly #counters: WorkerCount;
  readonly #slot: number;
  readonly #log: (text: string, level?: LogLevel) => void;
  #isLost = false;

  /**
   * @param counter the name of the counter of workers
   * @param log writes a message for the operator
   */
  constructor(
    counters: WorkerCount,
    counter: string,
    log: (text: string, level?: LogLevel) => void,
  ) {
    this.#counters = counters;
    this.#slot = counters.slotOf(counter);
    this.#log = log;
  }

  /** Whether this worker is without the store. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The number of workers without the store. */
  get workers(): number {
    return this.#counters.taken(this.#slot);
  }

  /** This worker has lost the store. The message is logged if no other worker has lost it before. */
  begin(message: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    if (this.#counters.hold(this.#slot) === 1) this.#log(message, "error");
  }

  /**
   * This worker has the store again, or is ending. A message is logged if no worker is without it.
   */
  end(message?: string): void {
    if (!this.#isLost) return;
    this.#isLost = false;
    if (this.#counters.leave(this.#slot) === 0 && message !== undefined) this.#log(message);
  }
}

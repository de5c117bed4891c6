/** Requests that have ended, kept until there is time to tell of them. */

import type { Clock } from "../core/clock.ts";
import type { Exchange } from "../routing/request_record.ts";

/** A request that has ended. */
export interface Ended {
  readonly exchange: Exchange;
  /** When it ended, by the clock's `now()`. */
  readonly at: number;
  /** The same by the machine's clock: milliseconds since the epoch. */
  readonly time: number;
}

/**
 * Tells of many requests in one go. Between requests, the code and the data of
 * the books are pushed out of the processor's caches: one by one, they cost
 * several times as much, and the caller would wait for them.
 */
export class Ledger {
  readonly #clock: Clock;
  readonly #lag: number;
  readonly #tell: (ended: readonly Ended[]) => void;
  #ended: Ended[] = [];
  #cancel: (() => void) | undefined;

  /**
   * @param lag the most milliseconds that pass before a request is told of; 0 for none
   */
  constructor(clock: Clock, lag: number, tell: (ended: readonly Ended[]) => void) {
    this.#clock = clock;
    this.#lag = lag;
    this.#tell = tell;
  }

  add(ended: Ended): void {
    this.#ended.push(ended);
    if (this.#lag === 0) this.flush();
    else this.#cancel ??= this.#clock.after(this.#lag, () => this.flush());
  }

  /** Tells of all that has ended. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#ended.length === 0) return;
    const ended = this.#ended;
    this.#ended = [];
    this.#tell(ended);
  }
}

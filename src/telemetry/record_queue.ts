/** Queues completed requests and records them in batches. */

import type { Clock } from "../core/clock.ts";
import type { EndedRequest } from "./ended_request.ts";

/**
 * Records requests in batches. Recording each request at once costs several times as much, because
 * its code and data leave the processor's caches between requests, and it would delay the caller.
 */
export class RecordQueue {
  readonly #clock: Clock;
  readonly #lag: number;
  readonly #write: (ended: readonly EndedRequest[]) => void;
  #ended: EndedRequest[] = [];
  #cancel: (() => void) | undefined;

  /**
   * @param lag the maximum delay of a record in milliseconds; 0 records at once
   * @param write records a batch
   */
  constructor(clock: Clock, lag: number, write: (ended: readonly EndedRequest[]) => void) {
    this.#clock = clock;
    this.#lag = lag;
    this.#write = write;
  }

  /** Queues a request. */
  add(ended: EndedRequest): void {
    this.#ended.push(ended);
    if (this.#lag === 0) this.flush();
    else this.#cancel ??= this.#clock.after(this.#lag, () => this.flush());
  }

  /** Records all queued requests. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#ended.length === 0) return;
    const ended = this.#ended;
    this.#ended = [];
    this.#write(ended);
  }
}

/**
 * Equal requests in flight in this worker: the first one is sent, and the others wait for its
 * answer.
 */

import type { Clock } from "../../core/clock.ts";
import type { StoredAnswer } from "./stored_answer.ts";

/** How long a request may wait. */
export interface WaitLimits {
  /** Fires when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Milliseconds until the caller's deadline; Infinity without one. */
  readonly leftMs: number;
}

/** A request that others wait for. */
export interface Flight {
  /** Ends it with its answer, or with undefined if others cannot use it. */
  land(answer: StoredAnswer | undefined): void;
}

export class Flights {
  readonly #clock: Pick<Clock, "after">;
  readonly #open = new Map<string, Promise<StoredAnswer | undefined>>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** The number of requests in flight. */
  get size(): number {
    return this.#open.size;
  }

  /** Begins a flight. The caller must call `land`. */
  begin(id: string): Flight {
    const { promise, resolve } = Promise.withResolvers<StoredAnswer | undefined>();
    this.#open.set(id, promise);
    return {
      land: (answer) => {
        if (this.#open.get(id) === promise) this.#open.delete(id);
        resolve(answer);
      },
    };
  }

  /**
   * Waits for the flight of an equal request; returns undefined at once if there is none. Resolves
   * to undefined if its answer cannot be used or does not arrive in time.
   */
  wait(id: string, limits: WaitLimits): Promise<StoredAnswer | undefined> | undefined {
    const flight = this.#open.get(id);
    return flight && this.#within(flight, limits);
  }

  async #within(
    flight: Promise<StoredAnswer | undefined>,
    { signal, leftMs }: WaitLimits,
  ): Promise<StoredAnswer | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const stop = () => resolve(undefined);
    const cancel = Number.isFinite(leftMs) ? this.#clock.after(Math.max(0, leftMs), stop) : stop;
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await Promise.race([flight, promise]);
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
  }
}

/** What to do when no connection can be accepted: wait, and tell the operator now and then. */

import type { Clock } from "../core/clock.ts";
import { RELIEF_MS } from "./connections.ts";
import { reasonOf } from "./files.ts";

export interface AcceptFailuresOptions {
  readonly clock: Clock;
  /** Tells the operator. */
  readonly say: (text: string) => void;
  /** Called each time that no connection could be accepted. */
  readonly onAcceptFailure: () => void;
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;

/** The operator is told no more often. */
const TELL_EVERY_MS = 60_000;

/** Failures in a row to accept a connection. */
export class AcceptFailures {
  readonly #options: AcceptFailuresOptions;
  /** When the first one of them was. */
  #since: number | undefined;
  #pauseMs = MIN_PAUSE_MS;
  #toldAt = -Infinity;
  #isTold = false;
  #endPause = () => {};

  constructor(options: AcceptFailuresOptions) {
    this.#options = options;
  }

  /**
   * Waits until it is time to try again.
   *
   * @param closed how many connections were closed to make room
   */
  async pause(thrown: unknown, closed: number): Promise<void> {
    const { clock, say, onAcceptFailure } = this.#options;
    const now = clock.now();
    this.#since ??= now;
    onAcceptFailure();
    if (now - this.#toldAt >= TELL_EVERY_MS) {
      this.#toldAt = now;
      this.#isTold = true;
      const relief = closed === 0 ? "" : `; ${closed} idle ones were closed`;
      say(`no connection can be accepted: ${reasonOf(thrown)}${relief}`);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(closed > 0 ? RELIEF_MS : this.#pauseMs, resolve);
    this.#endPause = () => {
      cancel();
      resolve();
    };
    if (closed === 0) this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
    await promise;
  }

  /** A connection was accepted. */
  end(): void {
    if (this.#since === undefined) return;
    if (this.#isTold) {
      const seconds = ((this.#options.clock.now() - this.#since) / 1000).toFixed(1);
      this.#options.say(`connections are accepted again, after ${seconds} s`);
    }
    this.#since = undefined;
    this.#isTold = false;
    this.#pauseMs = MIN_PAUSE_MS;
  }

  /** Nothing is tried again. */
  stop(): void {
    this.#endPause();
  }
}

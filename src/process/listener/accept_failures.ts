/**
 * Handles failures to accept a connection: waits before the next attempt, and logs the failures.
 */

import type { LogLevel } from "../../core/log_level.ts";
import type { Clock } from "../../core/clock.ts";
import { RELIEF_MS } from "./connections.ts";
import { reasonOf } from "../system/files.ts";

/** The options of {@linkcode AcceptFailures}. */
export interface AcceptFailuresOptions {
  readonly clock: Clock;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
  /** Called for each failure to accept a connection. */
  readonly onAcceptFailure: () => void;
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;

/** The minimum time between two log messages about failures. */
const MESSAGE_INTERVAL_MS = 60_000;

/** Consecutive failures to accept a connection. */
export class AcceptFailures {
  readonly #options: AcceptFailuresOptions;
  /** The time of the first failure. */
  #since: number | undefined;
  #pauseMs = MIN_PAUSE_MS;
  #loggedAt = -Infinity;
  #isLogged = false;
  #endPause = () => {};

  constructor(options: AcceptFailuresOptions) {
    this.#options = options;
  }

  /**
   * Waits before the next attempt.
   *
   * @param closed the number of connections that were closed to free file descriptors
   */
  async pause(thrown: unknown, closed: number): Promise<void> {
    const { clock, log, onAcceptFailure } = this.#options;
    const now = clock.now();
    this.#since ??= now;
    onAcceptFailure();
    if (now - this.#loggedAt >= MESSAGE_INTERVAL_MS) {
      this.#loggedAt = now;
      this.#isLogged = true;
      const relief = closed === 0 ? "" : `; closed ${closed} idle connections`;
      log(`cannot accept connections: ${reasonOf(thrown)}${relief}`, "error");
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

  /** Ends the failures, because a connection was accepted. */
  end(): void {
    if (this.#since === undefined) return;
    if (this.#isLogged) {
      const seconds = ((this.#options.clock.now() - this.#since) / 1000).toFixed(1);
      this.#options.log(`accepting connections again after ${seconds} s`);
    }
    this.#since = undefined;
    this.#isLogged = false;
    this.#pauseMs = MIN_PAUSE_MS;
  }

  /** Ends the wait, because the listener is closed. */
  stop(): void {
    this.#endPause();
  }
}

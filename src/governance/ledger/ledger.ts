/**
 * Writes rows in batches, off the path of requests. Rows wait in bounded memory while the store is
 * slow or gone; beyond it they are dropped and counted.
 */

import type { Clock } from "../../core/clock.ts";
import type { LedgerRow } from "./row.ts";

/** Rows that are written at once, at most. A longer batch would hold the event loop. */
const MAX_BATCH_ROWS = 100;
/** Milliseconds that a row waits for others. */
const MAX_WAIT_MS = 100;
/** Rows that wait for the store, at most. */
const MAX_WAITING_ROWS = 10_000;
/** Milliseconds until a failed batch is tried again: the first wait, and the longest. */
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5000;

export interface LedgerOptions {
  readonly write: (rows: readonly LedgerRow[]) => Promise<void>;
  readonly clock: Clock;
  /** Rows were dropped. */
  readonly onDrop: (count: number) => void;
  /** The store fails, or works again. Called once for each change. */
  readonly onState: (failure: unknown) => void;
}

export class Ledger {
  readonly #options: LedgerOptions;
  #waiting: LedgerRow[] = [];
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isFailing = false;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Takes a row. Returns at once, whatever the state of the store. */
  add(row: LedgerRow): void {
    if (this.#waiting.length >= MAX_WAITING_ROWS) return this.#options.onDrop(1);
    this.#waiting.push(row);
    if (this.#writing !== undefined || this.#isFailing) return;
    if (this.#waiting.length >= MAX_BATCH_ROWS) this.#start();
    else this.#cancelTimer ??= this.#options.clock.after(MAX_WAIT_MS, () => this.#start());
  }

  /** Writes everything that waits. Resolves when it is written, or when the store fails. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#start();
    await this.#writing;
  }

  /** Stops writing. What still waits is dropped. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#waiting.length > 0) this.#options.onDrop(this.#waiting.length);
    this.#waiting = [];
  }

  #start(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#writing ??= this.#writeAll().finally(() => this.#writing = undefined);
  }

  async #writeAll(): Promise<void> {
    const { write, clock, onState } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_BATCH_ROWS);
      try {
        await write(batch);
      } catch (thrown) {
        if (!this.#isFailing) onState(thrown);
        this.#isFailing = true;
        this.#cancelTimer = clock.after(this.#retryMs, () => this.#start());
        this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
        return;
      }
      this.#waiting.splice(0, batch.length);
      this.#retryMs = FIRST_RETRY_MS;
      if (this.#isFailing) onState(undefined);
      this.#isFailing = false;
    }
  }
}

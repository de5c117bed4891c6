/**
 * Writes rows in batches; requests never wait for it. While the store is slow or unreachable, rows
 * are queued in bounded memory. Further rows are dropped and counted.
 */

import type { Clock } from "../../core/clock.ts";
import type { LedgerRow } from "./row.ts";
import { StoreError, type UsageStore } from "./usage_store.ts";

/** Milliseconds for which a row is delayed, so that several are written together. */
const MAX_WAIT_MS = 100;
/** The maximum number of queued rows. */
const MAX_WAITING_ROWS = 10_000;
/** Milliseconds until a failed batch is retried: the first wait, and the maximum. */
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5000;
/** Milliseconds between two attempts during shutdown. */
const LAST_RETRY_MS = 100;

export interface LedgerOptions {
  readonly write: UsageStore["write"];
  readonly maxBatchRows: number;
  readonly clock: Clock;
  /** Returns a new batch ID. */
  readonly newId: (prefix: string) => string;
  /** Called when rows were dropped. */
  readonly onDrop: (count: number) => void;
  /** Called once whenever the store becomes unavailable or available. */
  readonly onState: (failure: unknown) => void;
  /** Called when the store rejects a row, which is dropped. */
  readonly onRefusal: (failure: unknown) => void;
}

/** Rows that are written together. A batch keeps its ID when it is tried again. */
interface Batch {
  readonly id: string;
  readonly rows: readonly LedgerRow[];
}

export class Ledger {
  readonly #options: LedgerOptions;
  #waiting: LedgerRow[] = [];
  /** The next batch. Its rows are no longer in the queue. */
  #batches: Batch[] = [];
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  /** Whether queued rows are written before a batch is full. */
  #isDue = false;
  #retryMs = FIRST_RETRY_MS;
  #isFailing = false;
  #isClosed = false;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** Whether no row is queued. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#batches.length === 0;
  }

  /** Queues a row. Never blocks. */
  add(row: LedgerRow): void {
    const held = this.#batches.length > 0 ? this.#options.maxBatchRows : 0;
    if (this.#waiting.length + held >= MAX_WAITING_ROWS) return this.#options.onDrop(1);
    this.#waiting.push(row);
    if (this.#isFailing) return;
    if (this.#waiting.length >= this.#options.maxBatchRows) this.#write();
    if (this.#waiting.length === 0) return;
    this.#cancelTimer ??= this.#options.clock.after(MAX_WAIT_MS, () => this.#start());
  }

  /** Writes all queued rows. Resolves when they are written, or when the store fails. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#start();
    await this.#writing;
  }

  /**
   * Writes all queued rows, and retries while the store fails. Resolves when the queue is empty, or
   * after {@linkcode close}.
   */
  async end(): Promise<void> {
    await this.flush();
    while (this.#isFailing && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#options.clock.after(LAST_RETRY_MS, resolve));
      await this.flush();
    }
  }

  /** Stops writing. Drops the queued rows, and returns their number. */
  close(): number {
    this.#isClosed = true;
    this.#stopTimer();
    const count = this.#batches.reduce((sum, { rows }) => sum + rows.length, this.#waiting.length);
    if (count > 0) this.#options.onDrop(count);
    this.#waiting = [];
    this.#batches = [];
    return count;
  }

  /** Writes all queued rows. */
  #start(): void {
    this.#stopTimer();
    this.#isDue = true;
    this.#write();
  }

  /** Writes due rows and full batches. */
  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => this.#writing = undefined);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #writeAll(): Promise<void> {
    for (let batch = this.#next(); batch !== undefined; batch = this.#next()) {
      try {
        await this.#options.write(batch.rows, batch.id);
      } catch (thrown) {
        if (thrown instanceof StoreError && thrown.failure === "values") {
          this.#split(batch, thrown);
          continue;
        }
        return this.#onFailure(thrown);
      }
      this.#batches.shift();
      this.#retryMs = FIRST_RETRY_MS;
      if (this.#isFailing) this.#options.onState(undefined);
      this.#isFailing = false;
    }
  }

  #next(): Batch | undefined {
    const { maxBatchRows } = this.#options;
    const isFull = this.#waiting.length >= maxBatchRows;
    if (this.#batches.length === 0 && this.#waiting.length > 0 && (isFull || this.#isDue)) {
      this.#batches.push(this.#toBatch(this.#waiting.splice(0, maxBatchRows)));
      if (this.#waiting.length === 0) {
        this.#isDue = false;
        this.#stopTimer();
      }
    }
    return this.#batches[0];
  }

  #toBatch(rows: readonly LedgerRow[]): Batch {
    return { id: this.#options.newId("batch_"), rows };
  }

  /**
   * Finds the row in a batch that the store rejects and drops it, so that the others can be
   * written.
   */
  #split({ rows }: Batch, refusal: StoreError): void {
    this.#batches.shift();
    if (rows.length === 1) {
      this.#options.onRefusal(refusal);
      return this.#options.onDrop(1);
    }
    const half = Math.ceil(rows.length / 2);
    this.#batches.unshift(this.#toBatch(rows.slice(0, half)), this.#toBatch(rows.slice(half)));
  }

  #onFailure(thrown: unknown): void {
    if (this.#isClosed) return;
    const { clock, onState } = this.#options;
    if (!this.#isFailing) onState(thrown);
    this.#isFailing = true;
    this.#stopTimer();
    this.#cancelTimer = clock.after(this.#retryMs, () => this.#start());
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
  }
}

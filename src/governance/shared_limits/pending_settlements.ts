/** Settlements that are not sent yet. Requests do not wait for them. They are kept while the store is unavailable. */

import type { Clock } from "../../core/clock.ts";
import type { Settlement } from "./batch.ts";

export interface PendingOptions {
  readonly clock: Clock;
  /** Sends settlements. Resolves to those that the store has not confirmed; never rejects. */
  readonly send: (settlements: readonly Settlement[]) => Promise<readonly Settlement[]>;
  /** Called when settlements are dropped because too many wait. */
  readonly onDrop: (count: number) => void;
}

/** Milliseconds that a settlement waits to be sent along with an admission. */
const MAX_DELAY_MS = 1;
/** The maximum number of settlements that wait for an unavailable store. */
const MAX_WAITING = 10_000;
/** Settlements of one call, at most. */
const MAX_BATCH = 50;

export class PendingSettlements {
  readonly #options: PendingOptions;
  /** What will be sent next. */
  #next: Settlement[] = [];
  #cancelTimer: (() => void) | undefined;
  readonly #sending = new Set<Promise<void>>();
  /** What the store has not confirmed. */
  readonly #waiting: Settlement[] = [];

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  /** Whether the store has confirmed everything. */
  get isEmpty(): boolean {
    return this.#next.length + this.#waiting.length + this.#sending.size === 0;
  }

  /** Sends a settlement with the next admission, or soon. */
  add(settlement: Settlement): void {
    this.#next.push(settlement);
    this.#cancelTimer ??= this.#options.clock.after(MAX_DELAY_MS, () => this.#sendNext());
  }

  /** Takes settlements out to send them along with an admission. */
  take(): readonly Settlement[] {
    const taken = this.#next.splice(0, MAX_BATCH);
    if (this.#next.length === 0) this.#stopTimer();
    return taken;
  }

  /** The store has not confirmed these settlements: they wait until it is back. */
  failed(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) {
      const { isCharge, limits: { places, budget } } = settlement;
      if (places.length === 0 && budget === undefined && !isCharge) continue;
      if (this.#waiting.length === MAX_WAITING) {
        this.#options.onDrop(1);
        continue;
      }
      // A bucket has been refilled when the store is back. A budget's marker makes the store ignore
      // repeated settlements; buckets have no marker.
      const changes = isCharge ? settlement.changes : settlement.changes.map(() => 0);
      this.#waiting.push({ ...settlement, changes });
    }
  }

  /** Sends everything. Resolves when the store has confirmed it, or fails again. */
  async flush(): Promise<void> {
    this.#sendNext();
    await Promise.all(this.#sending);
    // What fails is added again, at the end.
    for (let left = this.#waiting.length; left > 0; left -= MAX_BATCH) {
      await this.#send(this.#waiting.splice(0, Math.min(left, MAX_BATCH)));
    }
  }

  #sendNext(): void {
    this.#stopTimer();
    while (this.#next.length > 0) void this.#send(this.take());
  }

  #send(settlements: readonly Settlement[]): Promise<void> {
    const sending = this.#options.send(settlements).then((unconfirmed) => {
      this.failed(unconfirmed);
      this.#sending.delete(sending);
    });
    this.#sending.add(sending);
    return sending;
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

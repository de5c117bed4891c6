/** Settlements on their way to the store. Nobody waits for them; they wait while the store is gone. */

import type { Settlement } from "./commands.ts";

export interface PendingOptions {
  /** Sends a settlement. Resolves to whether the store has confirmed it; never rejects. */
  readonly send: (settlement: Settlement) => Promise<boolean>;
  /** Called when settlements are dropped because too many wait. */
  readonly onDrop: (count: number) => void;
}

/** The maximum number of settlements that wait for the store. */
const MAX_WAITING = 10_000;
/** Settlements that are sent at once after the store has come back. */
const SENT_AT_ONCE = 200;

export class PendingSettlements {
  readonly #options: PendingOptions;
  readonly #sending = new Set<Promise<void>>();
  #waiting: Settlement[] = [];

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  /** Sends a settlement, or keeps it until the next {@linkcode flush}. */
  add(settlement: Settlement): void {
    const sending = this.#send(settlement).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Sends what waits. Resolves when the store has confirmed everything, or fails again. */
  async flush(): Promise<void> {
    await Promise.all(this.#sending);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += SENT_AT_ONCE) {
      await Promise.all(waiting.slice(at, at + SENT_AT_ONCE).map((entry) => this.#send(entry)));
    }
  }

  async #send(settlement: Settlement): Promise<void> {
    if (await this.#options.send(settlement)) return;
    const { places, budget } = settlement.limits;
    if (places.length === 0 && budget === undefined) return;
    if (this.#waiting.length === MAX_WAITING) return this.#options.onDrop(1);
    // A bucket has been refilled when the store is back. The marker of a budget makes the store
    // ignore a settlement that it has already seen; buckets have none.
    this.#waiting.push({ ...settlement, changes: settlement.changes.map(() => 0) });
  }
}

/**
 * Sends admissions together, as a call costs more than they do: those of one turn of the event loop,
 * and those that arrive while a call is under way.
 */

import type { Clock } from "../../core/clock.ts";
import type { Operation } from "./commands.ts";
import type { StoreReply } from "./connection.ts";

/** Receives the reply to an operation that came late, or undefined if none will come. */
type OnLate = (reply: readonly number[] | undefined) => void;

interface Waiting {
  readonly operation: Operation;
  readonly resolve: (reply: readonly number[] | undefined) => void;
  readonly onLate: OnLate;
}

/**
 * Runs operations. Resolves to undefined if the store did not reply in time; never rejects.
 *
 * @param onLate called once if the operations were sent, but there was no reply in time
 */
type Run = (
  operations: readonly Operation[],
  onLate: (replies: StoreReply | undefined) => void,
) => Promise<StoreReply | undefined>;

/** Operations of one call, at most: the server does nothing else meanwhile. */
const MAX_BATCH = 50;
/** How long an admission waits for the reply to an earlier call, in milliseconds. */
export const MAX_COLLECT_MS = 2;

export class AdmissionBatch {
  readonly #clock: Clock;
  readonly #run: Run;
  #waiting: Waiting[] = [];
  /** The number of calls without a reply. */
  #calls = 0;
  #isScheduled = false;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, run: Run) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Runs an admission. Resolves to undefined if the store did not reply in time. */
  add(operation: Operation, onLate: OnLate): Promise<readonly number[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly number[] | undefined>();
    this.#waiting.push({ operation, resolve, onLate });
    if (this.#calls === 0) this.#schedule();
    else this.#cancelTimer ??= this.#clock.after(MAX_COLLECT_MS, () => this.#flush());
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += MAX_BATCH) {
      void this.#send(waiting.slice(at, at + MAX_BATCH));
    }
  }

  async #send(some: readonly Waiting[]): Promise<void> {
    this.#calls++;
    const replies = await this.#run(some.map(({ operation }) => operation), (late) => {
      for (const [index, { onLate }] of some.entries()) onLate(late?.[index]);
    });
    this.#calls--;
    for (const [index, { resolve }] of some.entries()) resolve(replies?.[index]);
    if (this.#waiting.length > 0) this.#schedule();
  }
}

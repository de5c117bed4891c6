/**
 * Sends admissions together, as a call costs more than they do: those of one turn of the event loop,
 * and those that arrive while a call is under way.
 */

import type { Clock } from "../../core/clock.ts";
import type { Application, Outcome } from "./batch.ts";

/** Receives the outcome of an admission that came late, or undefined if none will come. */
type OnLate = (outcome: Outcome | undefined) => void;

interface Waiting {
  readonly application: Application;
  readonly resolve: (outcome: Outcome | undefined) => void;
  readonly onLate: OnLate;
}

/**
 * Sends applications. Resolves to undefined if the store did not reply in time; never rejects.
 *
 * @param onLate called once if they were sent, but there was no reply in time
 */
type Run = (
  applications: readonly Application[],
  onLate: (outcomes: readonly Outcome[] | undefined) => void,
) => Promise<readonly Outcome[] | undefined>;

/** Admissions of one call, at most: the server does nothing else meanwhile. */
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

  /** Asks for an admission. Resolves to undefined if the store did not reply in time. */
  add(application: Application, onLate: OnLate): Promise<Outcome | undefined> {
    const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
    this.#waiting.push({ application, resolve, onLate });
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
    const outcomes = await this.#run(some.map(({ application }) => application), (late) => {
      for (const [index, { onLate }] of some.entries()) onLate(late?.[index]);
    });
    this.#calls--;
    for (const [index, { resolve }] of some.entries()) resolve(outcomes?.[index]);
    if (this.#waiting.length > 0) this.#schedule();
  }
}

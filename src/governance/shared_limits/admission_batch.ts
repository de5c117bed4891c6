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
 * Sends applications. Resolves to the outcomes of those that the store replied to in time; never
 * rejects.
 *
 * @param onLate called once for each application that was sent without a reply in time
 */
type Run = (
  applications: readonly Application[],
  onLate: (application: Application, outcome: Outcome | undefined) => void,
) => Promise<ReadonlyMap<Application, Outcome>>;

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
    const waiting = new Map(some.map((one) => [one.application, one]));
    const outcomes = await this.#run([...waiting.keys()], (application, outcome) => {
      waiting.get(application)?.onLate(outcome);
    });
    this.#calls--;
    for (const [application, { resolve }] of waiting) resolve(outcomes.get(application));
    if (this.#waiting.length > 0) this.#schedule();
  }
}

/**
 * Batches admissions, because a call is expensive: those of one turn of the event loop, and those
 * that arrive while a call is in flight.
 */

import type { Clock } from "../../core/clock.ts";
import type { AdmissionRequest, AdmissionResult } from "./batch.ts";

/** Receives the result of an admission that came late, or undefined if none will come. */
type OnLate = (result: AdmissionResult | undefined) => void;

interface Waiting {
  readonly request: AdmissionRequest;
  readonly resolve: (result: AdmissionResult | undefined) => void;
  readonly onLate: OnLate;
}

/**
 * Sends requests. Resolves to the results of those that the store replied to in time; never
 * rejects.
 *
 * @param onLate called once for each request that was sent without a reply in time
 */
type Run = (
  requests: readonly AdmissionRequest[],
  onLate: (request: AdmissionRequest, result: AdmissionResult | undefined) => void,
) => Promise<ReadonlyMap<AdmissionRequest, AdmissionResult>>;

/** The maximum number of admissions per call: it blocks the server. */
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
  add(request: AdmissionRequest, onLate: OnLate): Promise<AdmissionResult | undefined> {
    const { promise, resolve } = Promise.withResolvers<AdmissionResult | undefined>();
    this.#waiting.push({ request, resolve, onLate });
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
    const waiting = new Map(some.map((one) => [one.request, one]));
    const results = await this.#run([...waiting.keys()], (request, result) => {
      waiting.get(request)?.onLate(result);
    });
    this.#calls--;
    for (const [request, { resolve }] of waiting) resolve(results.get(request));
    if (this.#waiting.length > 0) this.#schedule();
  }
}

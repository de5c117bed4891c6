/** Admissions of one turn of the event loop, which are sent together: a call costs more than they do. */

import type { Operation } from "./commands.ts";
import type { StoreReply } from "./connection.ts";

interface Waiting {
  readonly operation: Operation;
  readonly resolve: (reply: readonly number[] | undefined) => void;
}

/** Operations of one call, at most: the server does nothing else meanwhile. */
const MAX_BATCH = 50;

export class AdmissionBatch {
  readonly #run: (operations: readonly Operation[]) => Promise<StoreReply | undefined>;
  #waiting: Waiting[] = [];

  /** @param run runs operations; resolves to undefined if the store did not reply, never rejects */
  constructor(run: (operations: readonly Operation[]) => Promise<StoreReply | undefined>) {
    this.#run = run;
  }

  /** Runs an admission. Resolves to undefined if the store did not reply. */
  add(operation: Operation): Promise<readonly number[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly number[] | undefined>();
    if (this.#waiting.push({ operation, resolve }) === 1) queueMicrotask(() => this.#flush());
    return promise;
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += MAX_BATCH) {
      void this.#send(waiting.slice(at, at + MAX_BATCH));
    }
  }

  async #send(some: readonly Waiting[]): Promise<void> {
    const replies = await this.#run(some.map(({ operation }) => operation));
    for (const [index, { resolve }] of some.entries()) resolve(replies?.[index]);
  }
}

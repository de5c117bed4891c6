/** Commands that several workers answer: each query collects the answers to one command. */

import type { Clock } from "../../core/clock.ts";
import type { WorkerCommand } from "./messages.ts";

/** A query to several workers. */
interface PendingQuery<Worker, Answer> {
  readonly waiting: Set<Worker>;
  readonly answers: Map<Worker, Answer>;
  readonly end: () => void;
}

/** The open queries of a supervisor. */
export class WorkerQueries<Worker extends { send(command: WorkerCommand): void }, Answer> {
  readonly #clock: Clock;
  readonly #pending = new Map<number, PendingQuery<Worker, Answer>>();
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Sends a command to workers; resolves when all have answered or exited, or after a time limit.
   *
   * @param toCommand makes the command from the ID that its answers contain
   */
  async ask(
    workers: Iterable<Worker>,
    toCommand: (id: number) => WorkerCommand,
    timeoutMs: number,
  ): Promise<ReadonlyMap<Worker, Answer>> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<void>();
    const query: PendingQuery<Worker, Answer> = {
      waiting: new Set(workers),
      answers: new Map(),
      end: resolve,
    };
    this.#pending.set(id, query);
    const cancel = this.#clock.after(timeoutMs, resolve);
    for (const worker of workers) worker.send(toCommand(id));
    if (query.waiting.size > 0) await promise;
    cancel();
    this.#pending.delete(id);
    return query.answers;
  }

  /** A worker has handled a command. An answer that comes after the time limit is ignored. */
  settle(worker: Worker, id: number, answer?: Answer): void {
    const query = this.#pending.get(id);
    if (query === undefined) return;
    if (answer !== undefined) query.answers.set(worker, answer);
    query.waiting.delete(worker);
    if (query.waiting.size === 0) query.end();
  }

  /** A worker has exited: no query waits for it. */
  settleAll(worker: Worker): void {
    for (const id of this.#pending.keys()) this.settle(worker, id);
  }
}

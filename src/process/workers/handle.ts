/** A worker as its supervisor sees it. */

import type { Clock } from "../../core/clock.ts";
import type { MetricsSnapshot } from "../../telemetry/aggregate_metrics.ts";
import { CallChannel } from "../threads/call_channel.ts";
import type { Thread } from "../threads/threads.ts";
import type { WorkerCall, WorkerCommand, WorkerResults } from "./messages.ts";

/** How long a call waits for the replies of workers, in milliseconds. */
const CALL_TIMEOUT_MS = {
  read: 1000,
  set: 5000,
  change_keys: 5000,
  administer: 1000,
  flush: 4000,
} as const;

/** A worker of the supervisor: its thread, its state and the calls that it has not replied to. */
export class WorkerHandle {
  readonly number: number;
  readonly calls: CallChannel<WorkerCall, WorkerResults>;
  /** The time when it began to serve. */
  servingSince: number | undefined;
  drained = false;
  /** Whether it accepts no more connections. */
  isEnding = false;
  /** Its last known counters. */
  counters: MetricsSnapshot = [];
  readonly #thread: Thread<WorkerCommand>;

  constructor(number: number, thread: Thread<WorkerCommand>, clock: Pick<Clock, "after">) {
    this.number = number;
    this.#thread = thread;
    this.calls = new CallChannel((message) => thread.send(message), clock);
  }

  get isServing(): boolean {
    return this.servingSince !== undefined;
  }

  send(command: WorkerCommand): void {
    this.#thread.send(command);
  }

  /** The worker has exited: its thread is ended, and no call waits for it. */
  exited(): void {
    this.#thread.end();
    this.calls.failAll("the worker has exited");
  }
}

/**
 * Calls workers; resolves with the results of those that reply in time.
 *
 * @param onResult takes each result as soon as it is there
 */
export async function callAll<Type extends WorkerCall["type"]>(
  call: Extract<WorkerCall, { readonly type: Type }>,
  workers: Iterable<WorkerHandle>,
  onResult?: (worker: WorkerHandle, result: WorkerResults[Type]) => void,
): Promise<ReadonlyMap<WorkerHandle, WorkerResults[Type]>> {
  const results = new Map<WorkerHandle, WorkerResults[Type]>();
  const timeoutMs = CALL_TIMEOUT_MS[call.type];
  await Promise.allSettled([...workers].map(async (worker) => {
    const result = await worker.calls.call<Type>(call, timeoutMs);
    results.set(worker, result);
    onResult?.(worker, result);
  }));
  return results;
}

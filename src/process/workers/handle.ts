/** The supervisor's view of workers: handles, calls, restart delays and metrics. */

import type { Clock } from "../../core/clock.ts";
import { CallChannel, type Thread } from "../threads/threads.ts";
import type { WorkerCall, WorkerCommand, WorkerResults } from "./messages.ts";
import { type MetricsSnapshot, printSum, sumSnapshots } from "../../telemetry/process_metrics.ts";

/** How long a call waits for the replies of workers, in milliseconds. */
const CALL_TIMEOUT_MS = {
  read: 1000,
  set: 5000,
  change_keys: 5000,
  administer: 1000,
  flush: 4000,
} as const;

/** The supervisor's handle of a worker: its thread, its state and its unanswered calls. */
export class WorkerHandle {
  readonly number: number;
  readonly calls: CallChannel<WorkerCall, WorkerResults>;
  /** The time when it began to serve. */
  servingSince: number | undefined;
  drained = false;
  /** Whether it has stopped accepting connections. */
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

  /** Called when the worker has exited; its thread has ended, and no call waits for it. */
  exited(): void {
    this.#thread.end();
    this.calls.failAll("the worker has exited");
  }
}

/**
 * Calls workers; resolves with the results of those that reply in time.
 *
 * @param onResult called with each result as it arrives
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

/** The delay doubles with each restart, from the first up to the maximum. */
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 5000;
/** After a worker has run for at least this long, its delay is reset to the first one. */
const MIN_HEALTHY_MS = 10_000;

export class RestartDelays {
  /** The delay of the next restart, by worker number. */
  readonly #delays = new Map<number, number>();

  /** Whether this worker has ever exited. */
  has(number: number): boolean {
    return this.#delays.has(number);
  }

  /** Called when the worker has ended, so that its number may be reused. */
  forget(number: number): void {
    this.#delays.delete(number);
  }

  /** The delay before a worker that ran for `uptime` restarts. */
  next(number: number, uptime: number): number {
    const known = uptime >= MIN_HEALTHY_MS ? undefined : this.#delays.get(number);
    const delay = known ?? FIRST_RESTART_MS;
    this.#delays.set(number, Math.min(2 * delay, MAX_RESTART_MS));
    return delay;
  }
}

export class WorkerMetrics {
  readonly #read: () => Promise<readonly MetricsSnapshot[]>;
  /** The sum of the counters of workers that have exited. */
  #exited: MetricsSnapshot = [];
  /** The pending read of metrics, and the next one. */
  #gathering: Promise<string> | undefined;
  #nextGathering: Promise<string> | undefined;

  /** @param read returns the metrics of each worker; never rejects */
  constructor(read: () => Promise<readonly MetricsSnapshot[]>) {
    this.#read = read;
  }

  /** Stores the counters of a worker that has exited, so that sums do not decrease. */
  keep(counters: MetricsSnapshot): void {
    this.#exited = sumSnapshots([this.#exited, counters]);
  }

  /** The sums, in the text format of Prometheus. Concurrent calls share a result. */
  gather(): Promise<string> {
    if (this.#gathering === undefined) {
      this.#gathering = this.#gather().finally(() => this.#gathering = undefined);
      return this.#gathering;
    }
    // The pending read may have begun before this call.
    this.#nextGathering ??= this.#gathering.finally(() => this.#nextGathering = undefined).then(
      () => this.gather(),
    );
    return this.#nextGathering;
  }

  async #gather(): Promise<string> {
    const running = await this.#read();
    return await printSum([...running, this.#exited]);
  }
}

/**
 * Supervises several workers on one port, from the main thread. Workers share no state. A worker
 * that exits is restarted.
 */

import { runStoreCall } from "./store_calls.ts";
import type { RunKeyCall } from "../governance/keys/key_calls.ts";
import type { StoredKeyring } from "../governance/keys/stored_keyring.ts";
import type { KeySet } from "../governance/keys/key_store.ts";
import type { UsageStore } from "../governance/ledger/usage_store.ts";
import type { AdminAnswer, AdminCommand, AdminResult } from "../routing/admin.ts";
import type { Clock } from "../core/clock.ts";
import { SharedCounters } from "../governance/shared_counters.ts";
import { MAX_WORKERS } from "../config/config.ts";
import { StartError } from "./startup_error.ts";
import {
  countersOf,
  type MetricsSnapshot,
  printSum,
  sumSnapshots,
} from "../telemetry/aggregate_metrics.ts";
import type { Address } from "./port.ts";
import type { Spawn, Thread, ThreadListener } from "./threads.ts";
import { WorkerQueries } from "./worker_queries.ts";
import type { WorkerCommand, WorkerConfig, WorkerInit, WorkerReport } from "./worker.ts";

/** The number of workers to start: one where the system cannot share a port between threads. */
export function countWorkers(
  wanted: number | "auto",
  { cores, os }: { readonly cores: number; readonly os: string },
): number {
  if (os !== "linux") return 1;
  if (wanted !== "auto") return wanted;
  // One worker and the system keep two cores busy.
  return cores <= MAX_SINGLE_WORKER_CORES ? 1 : Math.min(cores, MAX_WORKERS);
}

const MAX_SINGLE_WORKER_CORES = 2;

/** The delay before a worker restarts. It doubles with each restart up to the maximum. */
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 5000;
/** A worker that ran for at least this long starts again with the first delay. */
const MIN_HEALTHY_MS = 10_000;

/** How long a query waits for the answers of workers, in milliseconds. */
const ANSWER_TIMEOUT_MS = { read: 1000, set: 5000, administer: 1000 } as const;

/** The options of {@linkcode Workers}. */
export interface WorkersOptions {
  readonly init: WorkerInit;
  readonly spawn: Spawn<WorkerCommand, WorkerReport>;
  readonly clock: Clock;
  /** The store of the ledger, which workers reach through this thread. */
  readonly store: UsageStore;
  /** The keys of the store, for workers that start. */
  readonly keyring: StoredKeyring;
  /** Runs admins' calls on the keys of the store. */
  readonly runKeyCall: RunKeyCall;
  /** Writes a message for the operator. */
  readonly log: (text: string) => void;
}

/** A worker as its supervisor sees it. */
interface WorkerHandle extends Thread<WorkerCommand> {
  readonly number: number;
  /** The time when it began to serve. */
  servingSince: number | undefined;
  drained: boolean;
  /** Its last known counters. */
  counters: MetricsSnapshot;
}

/** The answer of a worker: its metrics, or the result of an admin command. */
interface Answer {
  readonly metrics?: MetricsSnapshot;
  readonly result?: AdminResult;
}

/** The supervisor of all workers. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers = new Set<WorkerHandle>();
  readonly #queries: WorkerQueries<WorkerHandle, Answer>;
  /** The delay of the next restart, by the number of the worker. */
  readonly #restartDelays = new Map<number, number>();
  readonly #started = Promise.withResolvers<Address>();
  readonly #drained = Promise.withResolvers<void>();
  /** The places that workers hold; those of a worker that exits are freed. */
  readonly #places: SharedCounters;
  #config: WorkerConfig;
  #isStarted = false;
  #isDraining = false;
  /** The sum of the counters of workers that have exited. */
  #endedCounters: MetricsSnapshot = [];
  /** The metrics that are being gathered, and the next ones. */
  #gathering: Promise<string> | undefined;
  #nextGathering: Promise<string> | undefined;

  constructor(config: WorkerConfig, options: WorkersOptions) {
    this.#config = config;
    this.#options = options;
    this.#queries = new WorkerQueries(options.clock);
    this.#places = new SharedCounters(options.init.counters);
  }

  /**
   * Starts all workers and returns the address when all of them serve.
   *
   * @throws {StartError} when a worker cannot start.
   */
  start(): Promise<Address> {
    for (let number = 1; number <= this.#options.init.workers; number++) this.#spawn(number);
    return this.#started.promise;
  }

  /**
   * Replaces the configuration; resolves when all workers use it, or after a time limit.
   */
  async set(config: WorkerConfig): Promise<void> {
    this.#config = config;
    const toCommand = (id: number): WorkerCommand => ({ type: "set", id, config });
    await this.#queries.ask(this.#workers, toCommand, ANSWER_TIMEOUT_MS.set);
  }

  /** Gives changed keys to all workers; resolves when they use them, or after a time limit. */
  async changeKeys(keys: KeySet): Promise<void> {
    const toCommand = (id: number): WorkerCommand => ({ type: "change_keys", id, keys });
    await this.#queries.ask(this.#workers, toCommand, ANSWER_TIMEOUT_MS.set);
  }

  /** Refuses new requests; resolves when all answers have ended. */
  drain(): Promise<void> {
    this.#isDraining = true;
    for (const worker of this.#workers) worker.send({ type: "drain" });
    this.#checkDrained();
    return this.#drained.promise;
  }

  /** Aborts all open answers. */
  abort(): void {
    for (const worker of this.#workers) worker.send({ type: "abort" });
  }

  /**
   * The metrics of all workers. For a worker that does not answer or has exited, the last known
   * counters are used: decreasing sums would look like a restart of the process. Concurrent calls
   * share a result.
   */
  metrics(): Promise<string> {
    if (this.#gathering === undefined) {
      this.#gathering = this.#gather().finally(() => this.#gathering = undefined);
      return this.#gathering;
    }
    // The metrics that are being gathered may be older than this call.
    this.#nextGathering ??= this.#gathering.finally(() => this.#nextGathering = undefined).then(
      () => this.metrics(),
    );
    return this.#nextGathering;
  }

  async #gather(): Promise<string> {
    const serving = [...this.#workers].filter(isServing);
    const toCommand = (id: number): WorkerCommand => ({ type: "read", id });
    const answers = await this.#queries.ask(serving, toCommand, ANSWER_TIMEOUT_MS.read);
    const known = [...this.#workers].map((worker) =>
      answers.get(worker)?.metrics ?? worker.counters
    );
    return await printSum([...known, this.#endedCounters]);
  }

  /** Runs an admin command in every worker. A worker that does not answer in time runs it later. */
  async administer(command: AdminCommand): Promise<readonly AdminAnswer[]> {
    const serving = [...this.#workers].filter(isServing);
    const toCommand = (id: number): WorkerCommand => ({ type: "administer", id, command });
    const answers = await this.#queries.ask(serving, toCommand, ANSWER_TIMEOUT_MS.administer);
    return serving.map((worker) => ({
      worker: worker.number,
      result: answers.get(worker)?.result,
    })).sort((one, other) => one.worker - other.worker);
  }

  #spawn(number: number): void {
    const { init, spawn } = this.#options;
    const listener: ThreadListener<WorkerReport> = {
      onReport: (report) => this.#onReport(worker, report),
      onExit: (reason) =>
        this.#remove(
          worker,
          this.#isStarted ? reason : `A worker exited during startup: ${reason}`,
        ),
    };
    const thread = spawn(`worker ${number}`, listener);
    const worker: WorkerHandle = {
      number,
      send: (command) => thread.send(command),
      end: () => thread.end(),
      servingSince: undefined,
      drained: false,
      counters: [],
    };
    this.#workers.add(worker);
    const keys = this.#options.keyring.whole;
    worker.send({ type: "serve", number, init, config: this.#config, keys });
  }

  #onReport(worker: WorkerHandle, report: WorkerReport): void {
    switch (report.type) {
      case "serves":
        worker.servingSince = this.#options.clock.now();
        return this.#onReady(worker, report.address);
      case "fails":
        return this.#remove(worker, report.reason);
      case "done":
        return this.#queries.settle(worker, report.id);
      case "read":
        worker.counters = countersOf(report.metrics);
        return this.#queries.settle(worker, report.id, { metrics: report.metrics });
      case "gather":
        return void this.metrics().then((text) =>
          worker.send({ type: "gathered", id: report.id, text })
        );
      case "administered":
        return this.#queries.settle(worker, report.id, { result: report.result });
      case "ask_all":
        return void this.administer(report.command).then((answers) =>
          worker.send({ type: "answered", id: report.id, answers })
        );
      case "store":
        return void runStoreCall(this.#options.store, report.call).then((result) =>
          worker.send({ type: "stored", id: report.id, result })
        );
      case "key_call":
        return void this.#options.runKeyCall(report.call).then((result) =>
          worker.send({ type: "key_result", id: report.id, result })
        );
      case "drained":
        worker.drained = true;
        return this.#checkDrained();
      default:
        report satisfies never;
    }
  }

  #onReady({ number }: WorkerHandle, address: Address): void {
    if (this.#isStarted) return this.#options.log(`worker ${number} is running again`);
    const { init } = this.#options;
    if ([...this.#workers].filter(isServing).length < init.workers) return;
    this.#isStarted = true;
    this.#started.resolve(address);
  }

  /** Removes a worker that has exited, and settles its queries. */
  #remove(worker: WorkerHandle, reason: string): void {
    if (!this.#workers.delete(worker)) return;
    worker.end();
    this.#places.releaseWorker(worker.number);
    this.#endedCounters = sumSnapshots([this.#endedCounters, worker.counters]);
    this.#queries.settleAll(worker);
    if (!this.#isStarted) this.#started.reject(new StartError(reason));
    else if (this.#isDraining) this.#checkDrained();
    else this.#replace(worker, reason);
  }

  #replace({ number, servingSince }: WorkerHandle, reason: string): void {
    const { clock, log } = this.#options;
    const uptime = servingSince === undefined ? 0 : clock.now() - servingSince;
    const delay = uptime >= MIN_HEALTHY_MS
      ? FIRST_RESTART_MS
      : this.#restartDelays.get(number) ?? FIRST_RESTART_MS;
    this.#restartDelays.set(number, Math.min(2 * delay, MAX_RESTART_MS));
    log(`worker ${number} exited: ${reason}; it restarts in ${delay} ms`);
    clock.after(delay, () => {
      if (!this.#isDraining) this.#spawn(number);
    });
  }

  #checkDrained(): void {
    if ([...this.#workers].every(({ drained }) => drained)) this.#drained.resolve();
  }
}

function isServing({ servingSince }: WorkerHandle): boolean {
  return servingSince !== undefined;
}

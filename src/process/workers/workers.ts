/**
 * Supervises several workers on one port, from the main thread. Workers share only counters. A
 * worker that exits is restarted.
 */

import { runStoreCall } from "../stores/store_calls.ts";
import type { RunKeyCall } from "../../governance/keys/key_calls.ts";
import type { StoredKeyring } from "../../governance/keys/stored_keyring.ts";
import type { KeySet } from "../../governance/keys/key_store.ts";
import type { UsageStore } from "../../governance/ledger/usage_store.ts";
import type { AdminAnswer, AdminCommand, AdminResult } from "../../routing/admin.ts";
import type { Clock } from "../../core/clock.ts";
import { InFlightMemory } from "../../core/in_flight_memory.ts";
import { SharedCounters } from "../../governance/shared_counters.ts";
import { StartError } from "../system/startup_error.ts";
import { countersOf, type MetricsSnapshot } from "../../telemetry/aggregate_metrics.ts";
import type { Address } from "../listener/port.ts";
import { RestartDelays } from "./restart_delays.ts";
import type { Thread, ThreadListener } from "../threads/threads.ts";
import { WorkerMetrics } from "./metrics.ts";
import { WorkerQueries } from "./queries.ts";
import type { WorkerCommand, WorkerConfig, WorkerInit, WorkerReport } from "./messages.ts";

/** How long a query waits for the answers of workers, in milliseconds. */
const ANSWER_TIMEOUT_MS = { read: 1000, set: 5000, administer: 1000, flush: 4000 } as const;

/** The options of {@linkcode Workers}. */
export interface WorkersOptions {
  readonly init: WorkerInit;
  /** Starts a worker. Workers are numbered from 1. */
  readonly spawn: (
    number: number,
    listener: ThreadListener<WorkerReport>,
  ) => Thread<WorkerCommand>;
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
  /** Whether it accepts no more connections, since it was idle. */
  isEnding: boolean;
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
  /** The numbers of all workers, including those that will restart. */
  readonly #numbers = new Set<number>();
  readonly #queries: WorkerQueries<WorkerHandle, Answer>;
  readonly #metrics = new WorkerMetrics(() => this.#readMetrics());
  readonly #restartDelays = new RestartDelays();
  readonly #started = Promise.withResolvers<Address>();
  /** Resolves when the workers that were added serve. */
  #grown: (() => void) | undefined;
  readonly #drained = Promise.withResolvers<void>();
  /** The number of workers, and the places that they hold: those of a worker that exits are freed. */
  readonly #counters: SharedCounters;
  #config: WorkerConfig;
  #isStarted = false;
  #isDraining = false;

  constructor(config: WorkerConfig, options: WorkersOptions) {
    this.#config = config;
    this.#options = options;
    this.#queries = new WorkerQueries(options.clock);
    this.#counters = new SharedCounters(options.init.counters);
  }

  /**
   * Starts all workers and returns the address when all of them serve.
   *
   * @throws {StartError} when a worker cannot start.
   */
  start(): Promise<Address> {
    for (let number = 1; number <= this.count; number++) this.#spawn(number);
    return this.#started.promise;
  }

  /** The number of workers, including those that start, and without those that end. */
  get count(): number {
    return this.#counters.workers;
  }

  /** Adds workers until there are this many; resolves when they serve. */
  async grow(count: number): Promise<void> {
    const before = [...this.#workers];
    const added = this.#freeNumbers().slice(0, Math.max(0, count - this.count));
    if (added.length === 0 || this.#isDraining) return;
    const grown = Promise.withResolvers<void>();
    this.#grown = grown.resolve;
    this.#setCount(this.count + added.length);
    for (const number of added) this.#spawn(number);
    await grown.promise;
    this.#options.log(`under load: ${this.count} workers serve`);
    // The system spreads new connections evenly. If only a part moved, the first workers would keep
    // the rest and get some of those that move as well.
    for (const worker of before) worker.send({ type: "move_connections" });
  }

  /** Ends the workers that are idle, except the one in this thread. */
  endIdle(): void {
    for (const worker of this.#workers) {
      if (worker.number > 1 && isServing(worker)) worker.send({ type: "end_if_idle" });
    }
  }

  #freeNumbers(): number[] {
    const numbers = Array.from({ length: this.#counters.maxWorkers }, (_, index) => index + 1);
    return numbers.filter((number) => !this.#numbers.has(number));
  }

  /** Changes the number of workers, and the share of each. */
  #setCount(count: number): void {
    this.#counters.workers = count;
    for (const worker of this.#workers) worker.send({ type: "share" });
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

  /** Waits until all output is written, with a time limit. */
  async flush(): Promise<void> {
    const toCommand = (id: number): WorkerCommand => ({ type: "flush", id });
    await this.#queries.ask(this.#workers, toCommand, ANSWER_TIMEOUT_MS.flush);
  }

  /** Aborts all open answers. */
  abort(): void {
    for (const worker of this.#workers) worker.send({ type: "abort" });
  }

  /**
   * The metrics of each worker. For a worker that does not answer, the last known counters are used:
   * decreasing sums would look like a restart of the process.
   */
  async #readMetrics(): Promise<readonly MetricsSnapshot[]> {
    const serving = [...this.#workers].filter(isServing);
    const toCommand = (id: number): WorkerCommand => ({ type: "read", id });
    const answers = await this.#queries.ask(serving, toCommand, ANSWER_TIMEOUT_MS.read);
    return [...this.#workers].map((worker) => answers.get(worker)?.metrics ?? worker.counters);
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
    const thread = spawn(number, listener);
    const worker: WorkerHandle = {
      number,
      send: (command) => thread.send(command),
      end: () => thread.end(),
      servingSince: undefined,
      drained: false,
      isEnding: false,
      counters: [],
    };
    this.#workers.add(worker);
    this.#counters.threads = this.#workers.size;
    this.#numbers.add(number);
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
        return void this.#metrics.gather().then((text) =>
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
      case "ending":
        worker.isEnding = true;
        return this.#setCount(this.count - 1);
      case "ended":
        worker.counters = countersOf(report.metrics);
        return this.#remove(worker, "it was idle");
      default:
        report satisfies never;
    }
  }

  #onReady({ number }: WorkerHandle, address: Address): void {
    const serving = [...this.#workers].filter((worker) => isServing(worker) && !worker.isEnding);
    const isComplete = serving.length >= this.count;
    if (this.#isStarted) {
      if (this.#restartDelays.has(number)) this.#options.log(`worker ${number} is running again`);
      if (isComplete) this.#grown?.();
      return;
    }
    if (!isComplete) return;
    this.#isStarted = true;
    this.#started.resolve(address);
  }

  /** Removes a worker that has exited, and settles its queries. */
  #remove(worker: WorkerHandle, reason: string): void {
    if (!this.#workers.delete(worker)) return;
    this.#counters.threads = this.#workers.size;
    worker.end();
    this.#counters.releaseWorker(worker.number);
    InFlightMemory.releaseWorker(this.#options.init.inFlight, worker.number);
    this.#metrics.keep(worker.counters);
    this.#queries.settleAll(worker);
    if (!this.#isStarted) this.#started.reject(new StartError(reason));
    else if (this.#isDraining) this.#checkDrained();
    else if (worker.isEnding) this.#forget(worker, reason);
    else this.#replace(worker, reason);
  }

  #forget({ number }: WorkerHandle, reason: string): void {
    this.#numbers.delete(number);
    this.#restartDelays.forget(number);
    this.#options.log(`worker ${number} exited: ${reason}; workers left: ${this.count}`);
  }

  #replace({ number, servingSince }: WorkerHandle, reason: string): void {
    const { clock, log } = this.#options;
    const uptime = servingSince === undefined ? 0 : clock.now() - servingSince;
    const delay = this.#restartDelays.next(number, uptime);
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

/**
 * Supervises several workers on one port, from the main thread. Workers share only counters. A
 * worker that exits is restarted.
 */

import type { LogLevel } from "../../core/log_level.ts";
import { runStoreCall } from "../stores/store_calls.ts";
import type { RunConfigCall } from "../../config/editing/changes.ts";
import type { KeySet, RunKeyCall } from "../../governance/keys/key_store.ts";
import type { StoredKeyring } from "../../governance/keys/stored_keyring.ts";
import type { HealthBoard } from "../../console/health/health_board.ts";
import type { UsageStore } from "../../governance/ledger/usage_store.ts";
import type { AdminAnswer, AdminCommand } from "../../gateway/admin.ts";
import type { Clock } from "../../core/clock.ts";
import { type Endpoint, isCertifiedBy, type RenewedCertificate } from "../listener/endpoint.ts";
import { InFlightMemory } from "../../core/in_flight_memory.ts";
import { SharedCounters } from "../../governance/shared_counters.ts";
import { callAll, RestartDelays, WorkerHandle, WorkerMetrics } from "./handle.ts";
import { replyTo, type Thread, type ThreadListener } from "../threads/threads.ts";
import type { RequestCounts } from "./scaling.ts";
import type {
  SupervisorCall,
  SupervisorResults,
  WorkerCommand,
  WorkerConfig,
  WorkerInit,
  WorkerReport,
} from "./messages.ts";
import { StartError } from "../system/stdio.ts";
import { countersOf, type MetricsSnapshot } from "../../telemetry/process_metrics.ts";

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
  /** The keys in the store, for starting workers. */
  readonly keyring: StoredKeyring;
  /** Runs admin calls on the keys in the store. */
  readonly runKeyCall: RunKeyCall;
  /** Runs admin calls on the configuration. */
  readonly runConfigCall: RunConfigCall;
  /** The health of targets; undefined without the console. */
  readonly health: HealthBoard | undefined;
  /** Called when a vendor has rejected credentials that may come from a secret manager. */
  readonly onRefused: () => void;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
}

/** @throws {Error} without the console, in which case no worker calls it. */
function boardOf({ health }: WorkersOptions): HealthBoard {
  if (health === undefined) throw new Error("There is no console");
  return health;
}

/** The supervisor of all workers. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers = new Set<WorkerHandle>();
  /** The numbers of all workers, including those that will restart. */
  readonly #numbers = new Set<number>();
  readonly #metrics = new WorkerMetrics(() => this.#readMetrics());
  readonly #restartDelays = new RestartDelays();
  readonly #started = Promise.withResolvers<void>();
  /** Resolves when the added workers are serving. */
  #grown: (() => void) | undefined;
  readonly #drained = Promise.withResolvers<void>();
  /** The number of workers and their slots, which are freed when a worker exits. */
  readonly #counters: SharedCounters;
  #config: WorkerConfig;
  /** The endpoints with their current certificates. */
  #endpoints: readonly Endpoint[];
  #isStarted = false;
  #isDraining = false;

  constructor(config: WorkerConfig, options: WorkersOptions) {
    this.#config = config;
    this.#options = options;
    this.#endpoints = options.init.endpoints;
    this.#counters = new SharedCounters(options.init.counters);
  }

  /**
   * Starts all workers; resolves when all of them are serving.
   *
   * @throws {StartError} when a worker cannot start.
   */
  start(): Promise<void> {
    for (let number = 1; number <= this.count; number++) this.#spawn(number);
    return this.#started.promise;
  }

  /**
   * The number of workers, including those that are starting, excluding those that are stopping.
   */
  get count(): number {
    return this.#counters.workers;
  }

  /** Adds workers until there are this many; resolves when they are serving. */
  async grow(count: number): Promise<void> {
    const before = [...this.#workers];
    const added = this.#freeNumbers().slice(0, Math.max(0, count - this.count));
    if (added.length === 0 || this.#isDraining) return;
    const grown = Promise.withResolvers<void>();
    this.#grown = grown.resolve;
    this.#setCount(this.count + added.length);
    for (const number of added) this.#spawn(number);
    await grown.promise;
    this.#options.log(`under load: ${this.count} workers are running`);
    // The system spreads new connections evenly. If only some connections moved, the first workers
    // would keep the others and also receive some of the moved ones.
    for (const worker of before) worker.send({ type: "move_connections" });
  }

  /** Stops idle workers, except the one in this thread. */
  endIdle(): void {
    for (const worker of this.#workers) {
      if (worker.number > 1 && worker.isServing) worker.send({ type: "end", onlyIfIdle: true });
    }
  }

  /** Stops the latest workers until there are this many. Their open responses are completed. */
  shrink(count: number): void {
    const latest = [...this.#workers].filter(({ isServing, isEnding }) => isServing && !isEnding)
      .sort((one, other) => other.number - one.number).slice(0, this.count - count);
    for (const worker of latest) worker.send({ type: "end", onlyIfIdle: false });
    this.#options.log(`under load: more workers did not raise throughput; ${count} remain`);
  }

  /** The number of completed requests to models by worker; undefined if a worker does not reply. */
  async countRequests(): Promise<RequestCounts | undefined> {
    const counts = new Map<number, number>();
    for (const { worker, result } of await this.administer({ type: "report" })) {
      if (result?.type !== "report") return undefined;
      counts.set(worker, result.load.requests);
    }
    return counts;
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
    await callAll({ type: "set", config }, this.#workers);
  }

  /** Publishes changed keys to all workers; resolves when every worker uses them, or times out. */
  async changeKeys(keys: KeySet): Promise<void> {
    await callAll({ type: "change_keys", keys }, this.#workers);
  }

  /** Uses a new certificate for new connections, including in workers that start later. */
  renew(renewed: RenewedCertificate): void {
    this.#endpoints = this.#endpoints.map((one) =>
      isCertifiedBy(one, renewed.tls) ? { ...one, certificate: renewed.certificate } : one
    );
    for (const worker of this.#workers) worker.send({ type: "renew", renewed });
  }

  /** Reports that the process is about to end; requests are still served. */
  leaveSoon(): void {
    for (const worker of this.#workers) worker.send({ type: "leave_soon" });
  }

  /** Accepts no more connections; resolves when all responses have ended. */
  drain(): Promise<void> {
    this.#isDraining = true;
    for (const worker of this.#workers) worker.send({ type: "drain" });
    this.#checkDrained();
    return this.#drained.promise;
  }

  /** Waits until all output is written, with a time limit. */
  async flush(): Promise<void> {
    await callAll({ type: "flush" }, this.#workers);
  }

  /** Aborts all open responses. */
  abort(): void {
    for (const worker of this.#workers) worker.send({ type: "abort" });
  }

  /**
   * The metrics of each worker. For a worker that does not respond, the last known counters are
   * used, since decreasing sums would look like a restart of the process.
   */
  async #readMetrics(): Promise<readonly MetricsSnapshot[]> {
    const keep = (worker: WorkerHandle, metrics: MetricsSnapshot) => {
      worker.counters = countersOf(metrics);
    };
    const replies = await callAll({ type: "read" }, this.#serving, keep);
    return [...this.#workers].map((worker) => replies.get(worker) ?? worker.counters);
  }

  /**
   * Runs an admin command in every worker. A worker that does not respond in time runs it later.
   */
  async administer(command: AdminCommand): Promise<readonly AdminAnswer[]> {
    const serving = this.#serving;
    const replies = await callAll({ type: "administer", command }, serving);
    return serving.map((worker) => ({ worker: worker.number, result: replies.get(worker) }))
      .sort((one, other) => one.worker - other.worker);
  }

  get #serving(): readonly WorkerHandle[] {
    return [...this.#workers].filter(({ isServing }) => isServing);
  }

  #spawn(number: number): void {
    const { spawn, clock } = this.#options;
    const init = { ...this.#options.init, endpoints: this.#endpoints };
    const listener: ThreadListener<WorkerReport> = {
      onReport: (report) => this.#onReport(worker, report),
      onExit: (reason) =>
        this.#remove(
          worker,
          this.#isStarted ? reason : `A worker exited during startup: ${reason}`,
        ),
    };
    const worker = new WorkerHandle(number, spawn(number, listener), clock);
    this.#workers.add(worker);
    this.#counters.threads = this.#workers.size;
    this.#numbers.add(number);
    const keys = this.#options.keyring.whole;
    const isAdded = this.#isStarted;
    worker.send({ type: "serve", number, isAdded, init, config: this.#config, keys });
  }

  #onReport(worker: WorkerHandle, report: WorkerReport): void {
    switch (report.type) {
      case "serves":
        worker.servingSince = this.#options.clock.now();
        return this.#onReady(worker);
      case "fails":
        return this.#remove(worker, report.reason);
      case "call":
        return void replyTo(report, (call) => this.#run(call), (message) => worker.send(message));
      case "reply":
        return worker.calls.onReply(report);
      case "refused":
        return this.#options.onRefused();
      case "drained":
        worker.drained = true;
        return this.#checkDrained();
      case "attempts":
        return this.#options.health?.add(report.attempts);
      case "breaker":
        return this.#options.health?.switched(report.change);
      case "ending":
        worker.isEnding = true;
        return this.#setCount(this.count - 1);
      case "ended":
        worker.counters = countersOf(report.metrics);
        return this.#remove(worker, "it was not needed");
      default:
        report satisfies never;
    }
  }

  /** Runs a call from a worker. */
  async #run(call: SupervisorCall): Promise<SupervisorResults[SupervisorCall["type"]]> {
    switch (call.type) {
      case "gather":
        return await this.#metrics.gather();
      case "administer_all":
        return await this.administer(call.command);
      case "store":
        return await runStoreCall(this.#options.store, call.call);
      case "keys":
        return await this.#options.runKeyCall(call.call);
      case "config":
        return await this.#options.runConfigCall(call.call);
      case "health":
        return boardOf(this.#options).report();
      case "health_history":
        return boardOf(this.#options).history();
    }
  }

  #onReady({ number }: WorkerHandle): void {
    const serving = [...this.#workers].filter((worker) => worker.isServing && !worker.isEnding);
    const isComplete = serving.length >= this.count;
    if (this.#isStarted) {
      if (this.#restartDelays.has(number)) this.#options.log(`worker ${number} is running again`);
      if (isComplete) this.#grown?.();
      return;
    }
    if (!isComplete) return;
    this.#isStarted = true;
    this.#started.resolve();
  }

  /** Removes a worker that has exited, and fails its calls. */
  #remove(worker: WorkerHandle, reason: string): void {
    if (!this.#workers.delete(worker)) return;
    this.#counters.threads = this.#workers.size;
    worker.exited();
    this.#counters.releaseWorker(worker.number);
    InFlightMemory.releaseWorker(this.#options.init.inFlight, worker.number);
    this.#metrics.keep(worker.counters);
    if (!this.#isStarted) this.#started.reject(new StartError(reason));
    else if (this.#isDraining) this.#checkDrained();
    else if (worker.isEnding) this.#forget(worker, reason);
    else this.#replace(worker, reason);
  }

  #forget({ number }: WorkerHandle, reason: string): void {
    this.#numbers.delete(number);
    this.#restartDelays.forget(number);
    this.#options.log(`worker ${number} exited: ${reason}; workers left: ${this.count}`, "error");
  }

  #replace({ number, servingSince }: WorkerHandle, reason: string): void {
    const { clock, log } = this.#options;
    const uptime = servingSince === undefined ? 0 : clock.now() - servingSince;
    const delay = this.#restartDelays.next(number, uptime);
    log(`worker ${number} exited: ${reason}; restarting in ${delay} ms`, "error");
    clock.after(delay, () => {
      if (!this.#isDraining) this.#spawn(number);
    });
  }

  #checkDrained(): void {
    if ([...this.#workers].every(({ drained }) => drained)) this.#drained.resolve();
  }
}

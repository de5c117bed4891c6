/**
 * One of several workers: a thread with a separate gateway on the shared port. It runs the commands
 * of the supervisor and sends reports.
 */

import { RemoteKeys } from "../stores/keys.ts";
import { shareOf } from "./plan.ts";
import { RemoteStore } from "../stores/store_calls.ts";
import { type AdminAnswer, type AdminCommand, administer } from "../../routing/admin.ts";
import { systemClock } from "../../core/clock.ts";
import type { Config } from "../../config/config.ts";
import type { StaleConfig } from "../../config/stale_config.ts";
import { StartError } from "../system/startup_error.ts";
import type { RunKeyCall } from "../../governance/keys/key_calls.ts";
import type { UsageStore } from "../../governance/ledger/usage_store.ts";
import { StoredKeyring } from "../../governance/keys/stored_keyring.ts";
import { SharedCounters } from "../../governance/shared_counters.ts";
import { adapters } from "../../providers/registry.ts";
import type { Address, Listening } from "../listener/port.ts";
import { createGateway, type Gateway } from "../server.ts";
import type { WorkerCommand, WorkerConfig, WorkerInit, WorkerReport } from "./messages.ts";
import { loadSnapshot } from "../../config/snapshot.ts";
import { State } from "../../routing/state.ts";

/** The interval at which a worker that ends checks whether it still holds something. */
const EMPTY_CHECK_MS = 1000;

/** The global scope of the worker's thread. */
export interface WorkerScope {
  postMessage(report: WorkerReport): void;
  onmessage: ((event: { readonly data: WorkerCommand }) => void) | null;
}

/** What a worker in the thread of its supervisor uses without messages. */
export interface OwnStores {
  readonly usage: UsageStore;
  readonly runKeyCall: RunKeyCall;
}

/** Runs the commands of the supervisor that started this thread. */
export function runWorker(scope: WorkerScope): void {
  const run = createWorker((report) => scope.postMessage(report));
  scope.onmessage = ({ data }) => run(data);
}

/** Creates a worker; returns the function that runs its commands. */
export function createWorker(
  report: (message: WorkerReport) => void,
  stores?: OwnStores,
): (command: WorkerCommand) => void {
  let worker: RunningWorker | undefined;
  return (command) => {
    if (command.type === "serve") worker = start(command, report, stores);
    else worker?.onCommand(command);
  };
}

function start(
  command: Extract<WorkerCommand, { type: "serve" }>,
  report: (message: WorkerReport) => void,
  stores?: OwnStores,
): RunningWorker | undefined {
  const worker = new RunningWorker(command, report, stores);
  try {
    report({ type: "serves", address: worker.listen() });
    return worker;
  } catch (thrown) {
    if (!(thrown instanceof StartError)) throw thrown;
    report({ type: "fails", reason: thrown.message });
    return undefined;
  }
}

/** A started worker. */
class RunningWorker {
  readonly #gateway: Gateway;
  #listening: Listening | undefined;
  #isEnding = false;
  readonly #init: WorkerInit;
  readonly #report: (message: WorkerReport) => void;
  readonly #state = new State();
  readonly #store = new RemoteStore(
    "main thread",
    (id, call) => this.#report({ type: "store", id, call }),
  );
  /** Pending requests for the metrics of all workers, by ID. */
  readonly #metricsWaiters = new Map<number, (text: string) => void>();
  /** Pending admin commands, by ID. */
  readonly #adminWaiters = new Map<number, (answers: readonly AdminAnswer[]) => void>();
  #lastId = 0;
  readonly #keys = new RemoteKeys((id, call) => this.#report({ type: "key_call", id, call }));
  readonly #keyring = new StoredKeyring();
  readonly #counters: SharedCounters;
  /** The configuration without the keys of the store, for all workers together. */
  #loaded: Config;
  #config: Config;
  #stale: StaleConfig | undefined;

  constructor(
    { init, number, config: { snapshot, stale }, keys }: Extract<WorkerCommand, { type: "serve" }>,
    report: (message: WorkerReport) => void,
    stores?: OwnStores,
  ) {
    this.#init = init;
    this.#report = report;
    this.#counters = new SharedCounters(init.counters, number);
    if (keys !== undefined) this.#keyring.apply(keys);
    this.#config = this.#loaded = loadSnapshot(snapshot, adapters);
    this.#updateConfig();
    this.#stale = stale;
    this.#gateway = createGateway({
      config: () => this.#config,
      stale: () => this.#stale,
      state: this.#state,
      startedAt: init.startedAt,
      stateKey: init.stateKey,
      replica: init.replica,
      hostname: init.address.hostname,
      gather: () => this.#gather(),
      administer: (command) => this.#administerAll(command),
      counters: this.#counters,
      inFlight: { buffer: init.inFlight, worker: number },
      usage: stores?.usage ?? this.#store,
      runKeyCall: stores?.runKeyCall ?? this.#keys.run,
    });
  }

  onCommand(command: Exclude<WorkerCommand, { type: "serve" }>): void {
    switch (command.type) {
      case "set":
        this.#set(command.config);
        return this.#report({ type: "done", id: command.id });
      case "change_keys":
        this.#keyring.apply(command.keys);
        this.#updateConfig();
        return this.#report({ type: "done", id: command.id });
      case "share":
        return this.#updateConfig();
      case "move_connections":
        return this.#gateway.moveConnections();
      case "end_if_idle":
        return void this.#endIfIdle();
      case "flush":
        return void this.#gateway.flush().then(() =>
          this.#report({ type: "done", id: command.id })
        );
      case "key_result":
        return this.#keys.answered(command.id, command.result);
      case "read":
        return void this.#read(command.id);
      case "gathered":
        this.#metricsWaiters.get(command.id)?.(command.text);
        return void this.#metricsWaiters.delete(command.id);
      case "administer":
        return this.#administer(command.id, command.command);
      case "answered":
        this.#adminWaiters.get(command.id)?.(command.answers);
        return void this.#adminWaiters.delete(command.id);
      case "stored":
        return this.#store.answered(command.id, command.result);
      case "drain":
        return void this.#drain();
      case "abort":
        return this.#gateway.app.abort();
      default:
        command satisfies never;
    }
  }

  #set({ snapshot, stale }: WorkerConfig): void {
    this.#stale = stale;
    // The file has errors, so the current configuration stays in use.
    if (stale !== undefined) return;
    this.#loaded = loadSnapshot(snapshot, adapters);
    this.#updateConfig();
    this.#state.prune(this.#config.providers.values());
  }

  /** Adds the keys of the store, and takes this worker's share of the limits. */
  #updateConfig(): void {
    this.#config = this.#keyring.addTo(shareOf(this.#loaded, this.#counters.workers));
  }

  async #read(id: number): Promise<void> {
    this.#report({ type: "read", id, metrics: await this.#gateway.readMetrics() });
  }

  /** @throws {StartError} when it cannot listen on the address. */
  listen(): Address {
    this.#listening = this.#gateway.listen(this.#init.address, true);
    return this.#listening.address;
  }

  async #drain(): Promise<void> {
    await this.#listening?.drain();
    this.#report({ type: "drained" });
  }

  async #endIfIdle(): Promise<void> {
    const leave = this.#listening?.leave;
    if (leave === undefined || this.#isEnding) return;
    if (!this.#gateway.isIdle() || !this.#gateway.isEmpty()) return;
    this.#isEnding = true;
    const left = leave();
    this.#report({ type: "ending" });
    await left;
    // The last requests may have left something here.
    while (!this.#gateway.isEmpty()) {
      await new Promise<void>((resolve) => void systemClock.after(EMPTY_CHECK_MS, resolve));
    }
    await this.#gateway.flush();
    this.#report({ type: "ended", metrics: await this.#gateway.readMetrics() });
  }

  #administer(id: number, command: AdminCommand): void {
    const result = administer(command, this.#config, this.#state, systemClock.now(), () => {
      return this.#gateway.app.load();
    });
    this.#report({ type: "administered", id, result });
  }

  #administerAll(command: AdminCommand): Promise<readonly AdminAnswer[]> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#adminWaiters.set(id, resolve);
      this.#report({ type: "ask_all", id, command });
    });
  }

  #gather(): Promise<string> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#metricsWaiters.set(id, resolve);
      this.#report({ type: "gather", id });
    });
  }
}

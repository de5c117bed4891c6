/**
 * One of several workers: a thread with a separate gateway on the shared port. It runs the commands
 * of the supervisor and sends reports.
 */

import { RemoteKeys } from "./keys.ts";
import { shareOf } from "./worker_plan.ts";
import { RemoteStore, type StoreCall, type StoreResult } from "./store_calls.ts";
import {
  type AdminAnswer,
  type AdminCommand,
  administer,
  type AdminResult,
} from "../routing/admin.ts";
import { systemClock } from "../core/clock.ts";
import type { Config } from "../config/config.ts";
import type { StaleConfig } from "../config/stale_config.ts";
import { StartError } from "./startup_error.ts";
import type { MetricsSnapshot } from "../telemetry/aggregate_metrics.ts";
import type { KeyCall, KeyResult, RunKeyCall } from "../governance/keys/key_calls.ts";
import type { UsageStore } from "../governance/ledger/usage_store.ts";
import type { KeySet } from "../governance/keys/key_store.ts";
import { StoredKeyring } from "../governance/keys/stored_keyring.ts";
import { SharedCounters, type SharedMemory } from "../governance/shared_counters.ts";
import { adapters } from "../providers/registry.ts";
import type { Address, Listening } from "./port.ts";
import { createGateway, type Gateway } from "./server.ts";
import { loadSnapshot, type Snapshot } from "../config/snapshot.ts";
import { State } from "../routing/state.ts";

/** The settings of a worker that never change. */
export interface WorkerInit {
  readonly address: Address;
  /** The start time of the process, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The memory of the counters that all workers share. */
  readonly counters: SharedMemory;
  /** The ID of the process among those that share a limits store. */
  readonly replica: string;
  /** The key of the process for reasoning state. */
  readonly stateKey: Uint8Array;
}

/** The current configuration, and why it differs from the file, if it does. */
export interface WorkerConfig {
  readonly snapshot: Snapshot;
  readonly stale: StaleConfig | undefined;
}

/** A message from the supervisor to a worker. */
export type WorkerCommand =
  | {
    readonly type: "serve";
    /** The number of the worker, from 1. */
    readonly number: number;
    readonly init: WorkerInit;
    readonly config: WorkerConfig;
    /** The keys of the store, if it has been read. */
    readonly keys: KeySet | undefined;
  }
  | { readonly type: "set"; readonly id: number; readonly config: WorkerConfig }
  | { readonly type: "change_keys"; readonly id: number; readonly keys: KeySet }
  /** The number of workers has changed. */
  | { readonly type: "share" }
  /** Asks the clients of all open connections to open others. */
  | { readonly type: "move_connections" }
  /** Ends the worker if no client uses it and nothing would be lost. */
  | { readonly type: "end_if_idle" }
  /** Writes all output. */
  | { readonly type: "flush"; readonly id: number }
  | { readonly type: "read"; readonly id: number }
  /** The answer to `gather`. */
  | { readonly type: "gathered"; readonly id: number; readonly text: string }
  | { readonly type: "administer"; readonly id: number; readonly command: AdminCommand }
  /** The answer to `ask_all`. */
  | { readonly type: "answered"; readonly id: number; readonly answers: readonly AdminAnswer[] }
  /** The answer to `store`. */
  | { readonly type: "stored"; readonly id: number; readonly result: StoreResult }
  /** The answer to `key_call`. */
  | { readonly type: "key_result"; readonly id: number; readonly result: KeyResult }
  | { readonly type: "drain" }
  | { readonly type: "abort" };

/** A message from a worker to the supervisor. */
export type WorkerReport =
  | { readonly type: "serves"; readonly address: Address }
  /** The worker cannot start. */
  | { readonly type: "fails"; readonly reason: string }
  | { readonly type: "done"; readonly id: number }
  | { readonly type: "read"; readonly id: number; readonly metrics: MetricsSnapshot }
  /** Requests the metrics of all workers. */
  | { readonly type: "gather"; readonly id: number }
  | { readonly type: "administered"; readonly id: number; readonly result: AdminResult }
  /** Requests that every worker runs an admin command. */
  | { readonly type: "ask_all"; readonly id: number; readonly command: AdminCommand }
  /** Calls the store of the ledger. */
  | { readonly type: "store"; readonly id: number; readonly call: StoreCall }
  /** Calls the store of keys. */
  | { readonly type: "key_call"; readonly id: number; readonly call: KeyCall }
  | { readonly type: "drained" }
  /** The worker accepts no more connections, since it is idle. */
  | { readonly type: "ending" }
  /** The worker has closed its last connection and written all output. */
  | { readonly type: "ended"; readonly metrics: MetricsSnapshot };

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
    if (leave === undefined || this.#isEnding || !this.#gateway.isIdle()) return;
    this.#isEnding = true;
    const left = leave();
    this.#report({ type: "ending" });
    await left;
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

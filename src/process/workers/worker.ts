/**
 * One of several workers: a thread with a separate gateway on the shared port. It runs the
 * supervisor's commands and sends reports.
 */

import { RemoteStore } from "../stores/store_calls.ts";
import { type AdminCommand, administer, type AdminResult } from "../../gateway/admin.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { runInSlices } from "../../core/steps.ts";
import type { AlertSources } from "../../alerts/conditions.ts";
import type { Config } from "../../config/config.ts";
import type { RunConfigCall } from "../../config/editing/changes.ts";
import type {
  HealthAccess,
  HealthHistory,
  HealthReport,
} from "../../console/health/health_board.ts";
import {
  loadSnapshot,
  loadSnapshotInSteps,
  type Snapshot,
  type StaleConfig,
} from "../../config/snapshot.ts";
import type { KeyCall, KeyResult, RunKeyCall } from "../../governance/keys/key_store.ts";
import type { UsageStore } from "../../governance/ledger/usage_store.ts";
import { StoredKeyring } from "../../governance/keys/stored_keyring.ts";
import { SharedCounters } from "../../governance/shared_counters.ts";
import { loadAdapters, loadedAdapters } from "../../providers/kinds.ts";
import { isUnix, type RenewedCertificate } from "../listener/endpoint.ts";
import type { Listening } from "../listener/port.ts";
import { createGateway, type Gateway } from "../server.ts";
import type {
  SupervisorCall,
  SupervisorResults,
  WorkerCall,
  WorkerCommand,
  WorkerConfig,
  WorkerInit,
  WorkerReport,
  WorkerResults,
} from "./messages.ts";
import { CallChannel, replyTo } from "../threads/threads.ts";
import { reasonOf } from "../system/files.ts";
import { logMessage, shareLog, StartError } from "../system/stdio.ts";
import { CallError } from "../../core/open_calls.ts";
import { State } from "../../gateway/state.ts";
import { shareOf } from "./scaling.ts";
import { type TargetAttempt, targetAttemptsOf } from "../../console/health/target_attempts.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import type { AttemptRecord } from "../../gateway/attempt_state.ts";

/** The time limits of calls to the supervisor, in milliseconds. */
const CALL_TIMEOUT_MS = {
  gather: 5000,
  administer_all: 5000,
  keys: 30_000,
  config: 300_000,
  health: 5000,
} as const;

/** The interval at which a stopping worker checks whether it still stores data. */
const EMPTY_CHECK_MS = 1000;

/**
 * How long the first worker waits before it warms up, since callers may have been waiting for the
 * port.
 */
export const WARM_UP_DELAY_MS = 100;

/** The global scope of the worker's thread. */
export interface WorkerScope {
  postMessage(report: WorkerReport): void;
  onmessage: ((event: { readonly data: WorkerCommand }) => void) | null;
}

/** Functions that a worker in the supervisor's thread calls directly, without messages. */
export interface OwnStores {
  readonly usage: UsageStore;
  readonly health: HealthAccess | undefined;
  readonly alerts: AlertSources | undefined;
  readonly runKeyCall: RunKeyCall;
  readonly runConfigCall: RunConfigCall;
}

/** Runs the commands of the supervisor that started this thread, after adapters are loaded. */
export function runWorker(scope: WorkerScope): void {
  const run = createWorker((report) => scope.postMessage(report));
  let ready: Promise<unknown> = Promise.resolve();
  scope.onmessage = ({ data }) => {
    if (data.type === "serve") ready = loadAdapters(data.config.snapshot.kinds);
    // Commands stay in order.
    ready.then(() => run(data)).catch(reportError);
  };
}

/** Creates a worker; returns the function that runs its commands. */
export function createWorker(
  report: (message: WorkerReport) => void,
  stores?: OwnStores,
): (command: WorkerCommand) => void {
  let worker: RunningWorker | undefined;
  return (command) => {
    if (command.type !== "serve") return worker?.onCommand(command);
    worker = new RunningWorker(command, report, stores);
    void worker.start(command.isAdded);
  };
}

/** A started worker. */
class RunningWorker {
  readonly #gateway: Gateway;
  #listening: Listening | undefined;
  #isDraining = false;
  #isEnding = false;
  readonly #init: WorkerInit;
  readonly #number: number;
  readonly #report: (message: WorkerReport) => void;
  readonly #state = new State();
  readonly #supervisor = new CallChannel<SupervisorCall, SupervisorResults>(
    (message) => this.#report(message),
    systemClock,
  );
  readonly #store = new RemoteStore(
    "main thread",
    (call, timeoutMs) => this.#supervisor.call({ type: "store", call }, timeoutMs),
  );
  /** The reports to the main thread; undefined in that thread, and without the console. */
  readonly #health: RemoteHealth | undefined;
  readonly #keyring = new StoredKeyring();
  readonly #counters: SharedCounters;
  /** The configuration for all workers, without the keys in the store. */
  #loaded: Config;
  #config: Config;
  /** The number of configurations so far; of two configurations, the later one is used. */
  #sets = 0;
  #stale: StaleConfig | undefined;

  constructor(
    { init, number, config: { snapshot, stale }, keys }: Extract<WorkerCommand, { type: "serve" }>,
    report: (message: WorkerReport) => void,
    stores?: OwnStores,
  ) {
    shareLog(init.log);
    this.#init = init;
    this.#number = number;
    this.#report = report;
    this.#counters = new SharedCounters(init.counters, number);
    if (keys !== undefined) this.#keyring.apply(keys);
    this.#config = this.#loaded = loadSnapshot(snapshot, loadedAdapters());
    this.#followRefusals(snapshot);
    this.#updateConfig();
    this.#stale = stale;
    if (init.hasHealth && stores === undefined) this.#health = this.#createHealth();
    this.#gateway = createGateway({
      config: () => this.#config,
      stale: () => this.#stale,
      state: this.#state,
      startedAt: init.startedAt,
      stateKey: init.stateKey,
      replica: init.replica,
      hostname: init.hostname,
      gather: () => this.#supervisor.call({ type: "gather" }, CALL_TIMEOUT_MS.gather),
      administer: (command) =>
        this.#supervisor.call(
          { type: "administer_all", command },
          CALL_TIMEOUT_MS.administer_all,
        ),
      counters: this.#counters,
      inFlight: { buffer: init.inFlight, worker: number },
      usage: stores?.usage ?? this.#store,
      health: stores === undefined ? this.#health : stores.health,
      alerts: stores?.alerts,
      runKeyCall: stores?.runKeyCall ?? ((call) => this.#runKeyCall(call)),
      runConfigCall: stores?.runConfigCall ??
        ((call) => this.#supervisor.call({ type: "config", call }, CALL_TIMEOUT_MS.config)),
    });
  }

  onCommand(command: Exclude<WorkerCommand, { type: "serve" }>): void {
    switch (command.type) {
      case "share":
        return this.#updateConfig();
      case "move_connections":
        return this.#gateway.moveConnections();
      case "renew":
        return this.#renew(command.renewed);
      case "end":
        return void this.#end(command.onlyIfIdle);
      case "call":
        return void replyTo(command, (call) => this.#run(call), this.#report);
      case "reply":
        return this.#supervisor.onReply(command);
      case "leave_soon":
        return this.#gateway.app.leaveSoon();
      case "drain":
        return void this.#drain();
      case "abort":
        return this.#gateway.app.abort();
      default:
        command satisfies never;
    }
  }

  /** Runs a call from the supervisor. */
  async #run(call: WorkerCall): Promise<WorkerResults[WorkerCall["type"]]> {
    switch (call.type) {
      case "set":
        await this.#set(call.config);
        return undefined;
      case "change_keys":
        this.#keyring.apply(call.keys);
        this.#updateConfig();
        return undefined;
      case "flush":
        await this.#flush();
        return undefined;
      case "read":
        return await this.#gateway.readMetrics();
      case "administer":
        return this.#administer(call.command);
    }
  }

  async #set({ snapshot, stale }: WorkerConfig): Promise<void> {
    this.#stale = stale;
    // The file has errors, so the current configuration stays in use.
    if (stale !== undefined) return;
    const set = ++this.#sets;
    const adapters = await loadAdapters(snapshot.kinds);
    const loaded = await runInSlices(loadSnapshotInSteps(snapshot, adapters));
    if (set !== this.#sets) return;
    this.#loaded = loaded;
    this.#followRefusals(snapshot);
    this.#updateConfig();
    this.#state.prune(this.#config.providers.values());
  }

  /**
   * Reports rejected credentials if they may come from a secret manager, which may have newer ones.
   */
  #followRefusals({ secrets }: Snapshot): void {
    const hasSecrets = [...secrets.values()].some((one) => one !== undefined);
    this.#state.onRefused = hasSecrets ? () => this.#report({ type: "refused" }) : () => {};
  }

  /** Adds the keys in the store, and applies this worker's share of the limits. */
  #updateConfig(): void {
    this.#config = this.#keyring.addTo(shareOf(this.#loaded, this.#counters.workers));
  }

  /** Starts serving, and warms up; if other workers are serving, warms up first. */
  async start(isAdded: boolean): Promise<void> {
    if (isAdded) await this.#gateway.warmUp();
    if (this.#isDraining) return;
    try {
      this.#listen();
    } catch (thrown) {
      // Any other error ends the thread.
      if (!(thrown instanceof StartError)) return reportError(thrown);
      return this.#report({ type: "fails", reason: thrown.message });
    }
    this.#report({ type: "serves" });
    if (!isAdded) systemClock.after(WARM_UP_DELAY_MS, () => void this.#gateway.warmUp());
  }

  /** @throws {StartError} when it cannot listen on an address. */
  #listen(): void {
    const { endpoints } = this.#init;
    // Threads can share a port, but not a Unix socket.
    const own = this.#number === 1 ? endpoints : endpoints.filter((one) => !isUnix(one));
    this.#listening = this.#gateway.listen(own, true);
  }

  /** The supervisor has checked the certificate. */
  #renew(renewed: RenewedCertificate): void {
    try {
      this.#listening?.renew(renewed);
    } catch (thrown) {
      logMessage(`worker ${this.#number} keeps the previous certificate: ${reasonOf(thrown)}`);
    }
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    await this.#listening?.drain();
    this.#report({ type: "drained" });
  }

  async #end(onlyIfIdle: boolean): Promise<void> {
    const leave = this.#listening?.leave;
    if (leave === undefined || this.#isEnding) return;
    if (onlyIfIdle && !(this.#gateway.isIdle() && this.#gateway.isEmpty())) return;
    this.#isEnding = true;
    const left = leave();
    this.#report({ type: "ending" });
    await left;
    // The last requests may have left data here.
    while (!this.#gateway.isEmpty()) {
      await new Promise<void>((resolve) => void systemClock.after(EMPTY_CHECK_MS, resolve));
    }
    await this.#flush();
    this.#report({ type: "ended", metrics: await this.#gateway.readMetrics() });
  }

  async #flush(): Promise<void> {
    await this.#gateway.flush();
    this.#health?.flush();
  }

  #createHealth(): RemoteHealth {
    const { health: timeoutMs } = CALL_TIMEOUT_MS;
    return new RemoteHealth({
      clock: systemClock,
      send: (attempts) => this.#report({ type: "attempts", attempts }),
      switched: (change) => this.#report({ type: "breaker", change }),
      keepsTexts: () => this.#config.server.console_vendor_errors === "on",
      report: () => this.#supervisor.call({ type: "health" }, timeoutMs),
      history: () => this.#supervisor.call({ type: "health_history" }, timeoutMs),
    });
  }

  #administer(command: AdminCommand): AdminResult {
    const load = () => this.#gateway.app.load();
    const { openAlerts } = this.#gateway;
    return administer(command, this.#config, this.#state, systemClock.now(), load, openAlerts);
  }

  async #runKeyCall(call: KeyCall): Promise<KeyResult> {
    try {
      return await this.#supervisor.call({ type: "keys", call }, CALL_TIMEOUT_MS.keys);
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      logMessage(`the key store cannot be reached through the main thread: ${thrown.message}`);
      return { type: "failed" };
    }
  }
}

/**
 * Milliseconds that an attempt is delayed to send several together, and the maximum number per
 * message.
 */
const MAX_WAIT_MS = 500;
const MAX_ATTEMPTS = 500;

interface RemoteHealthOptions {
  readonly clock: Pick<Clock, "after">;
  /** Sends attempts to the main thread. */
  readonly send: (attempts: readonly TargetAttempt[]) => void;
  /** Sends a breaker's change to the main thread. */
  readonly switched: HealthAccess["switched"];
  readonly keepsTexts: () => boolean;
  readonly report: () => Promise<HealthReport>;
  readonly history: () => Promise<HealthHistory>;
}

/** The health of targets, which the main thread tracks. Exported for tests. */
export class RemoteHealth implements HealthAccess {
  readonly #options: RemoteHealthOptions;
  readonly switched: HealthAccess["switched"];
  readonly report: () => Promise<HealthReport>;
  readonly history: () => Promise<HealthHistory>;
  #waiting: TargetAttempt[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: RemoteHealthOptions) {
    this.#options = options;
    this.switched = options.switched;
    this.report = options.report;
    this.history = options.history;
  }

  add(row: LedgerRow, records: readonly AttemptRecord[]): void {
    const { clock, keepsTexts } = this.#options;
    this.#waiting.push(...targetAttemptsOf(row, keepsTexts() ? records : []));
    if (this.#waiting.length >= MAX_ATTEMPTS) this.flush();
    else if (this.#waiting.length > 0) {
      this.#cancel ??= clock.after(MAX_WAIT_MS, () => this.flush());
    }
  }

  /** Sends the queued attempts. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#waiting.length === 0) return;
    this.#options.send(this.#waiting);
    this.#waiting = [];
  }
}

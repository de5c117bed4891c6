/** The running gateway: only this thread, or several workers that it supervises. */

import process from "node:process";
import type { Config } from "../config/config.ts";
import type { ConfigWithSnapshot, Snapshot } from "../config/snapshot.ts";
import { systemClock, within } from "../core/clock.ts";
import { newId, randomBytes } from "../core/ids.ts";
import type { Counters } from "../governance/counters.ts";
import { LocalCounters } from "../governance/local_counters.ts";
import { allocateInFlight } from "../core/in_flight_memory.ts";
import { allocateCounters, SharedCounters } from "../governance/shared_counters.ts";
import type { RunConfigCall } from "../config/editing/changes.ts";
import type { RunKeyCall } from "../governance/keys/key_store.ts";
import { StoredKeyring } from "../governance/keys/stored_keyring.ts";
import { RestoringStore } from "../governance/ledger/restoring_store.ts";
import type { UsageStore } from "../governance/ledger/usage_store.ts";
import { State } from "../gateway/state.ts";
import type { AlertSources, BudgetOfKey } from "../alerts/conditions.ts";
import type { HealthBoard } from "../console/health/health_board.ts";
import { createHealth } from "./stores/health.ts";
import { type KeyAccess, startKeys } from "./stores/keys.ts";
import { readEnvironment, reasonOf } from "./system/files.ts";
import { type ConfigOptions, readConfigAgain } from "./config/load_config.ts";
import type { EditedGateway } from "./config/editing/config_editor.ts";
import { LiveConfig, reloadOptions, withSameFile } from "./config/reload.ts";
import {
  Certificates,
  checkSocket,
  type Endpoint,
  type FollowOptions,
} from "./listener/endpoint.ts";
import { probe } from "./listener/port.ts";
import { readWaitedMs } from "./system/process_facts.ts";
import { createGateway, FLUSH_MS } from "./server.ts";
import { flushReports, followLog, logMessage, type SharedLog } from "./system/stdio.ts";
import { spawnFrom, type Thread, type ThreadListener } from "./threads/threads.ts";
import { createWorker, type OwnStores, WARM_UP_DELAY_MS } from "./workers/worker.ts";
import type { WorkerCommand, WorkerInit, WorkerReport } from "./workers/messages.ts";
import { scaleWithLoad, type WorkerPlan } from "./workers/scaling.ts";
import { Workers } from "./workers/workers.ts";
import { KEY_BYTES } from "../features/reasoning_state/packing.ts";

/** Milliseconds that startup waits for the earlier spending of keys. */
const RESTORE_MS = 3000;

/** The options for starting a gateway. */
export interface ServiceOptions {
  readonly first: ConfigWithSnapshot;
  /** The options that selected the configuration. */
  readonly command: ConfigOptions;
  /** The endpoints, the main one first. */
  readonly endpoints: readonly Endpoint[];
  /** The host name or IP address of the main endpoint. */
  readonly hostname: string;
  readonly workers: WorkerPlan;
  /** The store of the ledger. */
  readonly store: UsageStore;
  /** The log of all threads. */
  readonly log: SharedLog;
  /** The URL of the module that workers run. */
  readonly module: string;
  /** Called with the open addresses when all endpoints are open. */
  readonly onListening: (addresses: readonly Endpoint["address"][]) => void;
}

/** A running gateway. */
export interface Service {
  readonly live: LiveConfig;
  /** Stops following the files of certificates. */
  readonly stopRenewing: () => void;
  /** Reports that the process is about to end; requests are still served. */
  leaveSoon(): void;
  /** Stops accepting connections; resolves when all open responses have ended. */
  drain(): Promise<void>;
  /** Aborts all open responses. */
  abort(): void;
  /** Waits until all output is written, with a time limit. */
  flush(): Promise<void>;
  /** Closes the key store. */
  closeKeys(): Promise<void>;
}

/**
 * Starts the gateway.
 *
 * @throws {StartError} when it cannot listen on the address.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  for (const endpoint of options.endpoints) await checkSocket(endpoint);
  const certificates = await Certificates.load(options.endpoints);
  const serve = options.workers.max === 1 ? serveSingle : serveWorkers;
  const { renew, ...service } = await serve({ ...options, endpoints: certificates.endpoints });
  const stopRenewing = certificates.follow({ clock: systemClock, renew, log: logMessage });
  return { ...service, stopRenewing };
}

/** A running gateway before its certificates are followed. */
type Started = Omit<Service, "stopRenewing"> & Pick<FollowOptions, "renew">;

/** The settings shared by all threads of this run. */
function startValues(): Pick<WorkerInit, "startedAt" | "stateKey" | "replica"> {
  return {
    startedAt: systemClock.wallTime(),
    stateKey: randomBytes(KEY_BYTES),
    replica: newId(""),
  };
}

/** Runs a single gateway in this thread. */
async function serveSingle(
  { first, command, store, ...options }: ServiceOptions,
): Promise<Started> {
  const { config } = first;
  const state = new State();
  state.onRefused = () => command.secrets?.refused();
  const keyring = new StoredKeyring();
  let current = config;
  let { snapshot } = first;
  const loads = new WeakMap<Config, Snapshot>();
  const addKeys = () => current = keyring.addTo(live.current);
  const live = new LiveConfig(config, {
    ...reloadOptions(command, config, options.hostname),
    async load() {
      const loaded = await readConfigAgain(withSameFile(command, config), readEnvironment());
      loads.set(loaded.config, loaded.snapshot);
      return loaded.config;
    },
    log: logMessage,
    onSwap(next) {
      snapshot = loads.get(next) ?? snapshot;
      addKeys();
      usage.onKeysChanged();
      state.prune(next.providers.values());
      board?.changed("config", "The configuration was loaded");
    },
  });
  const counters = new LocalCounters();
  const usage = restoring(store, counters, () => live.current, keyring);
  const board = createHealth({
    ...{ first: config, hostname: options.hostname, store: usage, clock: systemClock },
    config: () => live.current,
  });
  const keys = await startKeys({
    first: config,
    config: () => live.current,
    publish(changes) {
      if (keyring.whole !== undefined) board?.changed("keys", "Keys in the store changed");
      keyring.apply(changes);
      addKeys();
      usage.onKeysChanged();
      return Promise.resolve();
    },
  });
  await restoreBudgets(usage);
  const alerts = alertsOf(config, board, usage, () => budgetsOf(live.current, keyring));
  const { app, listen, flush, warmUp } = createGateway({
    config: () => current,
    stale: () => live.stale,
    state,
    ...startValues(),
    hostname: options.hostname,
    counters,
    inFlight: { buffer: allocateInFlight(1), worker: 1 },
    usage,
    health: board?.access,
    alerts,
    runKeyCall: keys.run,
    runConfigCall: editorOf({
      ...{ command, first: config, hostname: options.hostname },
      live: () => live,
      snapshot: () => snapshot,
    }),
  });
  const { addresses, drain, renew } = listen(options.endpoints, false);
  options.onListening(addresses);
  systemClock.after(WARM_UP_DELAY_MS, () => void warmUp());
  return {
    live,
    renew,
    leaveSoon: () => app.leaveSoon(),
    drain,
    abort: () => app.abort(),
    flush,
    closeKeys: keys.close,
  };
}

/**
 * Runs several workers. The first worker is this thread, which supervises the others; their threads
 * also run this file.
 */
async function serveWorkers(
  { first, command, store, ...options }: ServiceOptions,
): Promise<Started> {
  const plan = options.workers;
  const isGrowing = plan.first < plan.max;
  // Done before the live configuration exists, in case probing the endpoints fails.
  followLog(() => first.config.log);
  let { snapshot } = first;
  const loads = new WeakMap<Config, Snapshot>();
  // While some workers end, the same number may start.
  const memory = allocateCounters(isGrowing ? 2 * plan.max : plan.max, plan.first);
  const counters = new SharedCounters(memory, 0);
  const keyring = new StoredKeyring();
  const usage = restoring(store, counters, () => live.current, keyring);
  const board = createHealth({
    ...{ first: first.config, hostname: options.hostname, store: usage, clock: systemClock },
    config: () => live.current,
  });
  const runKeyCall: RunKeyCall = (call) => keys.run(call);
  const runConfigCall = editorOf({
    ...{ command, first: first.config, hostname: options.hostname },
    live: () => live,
    snapshot: () => snapshot,
    applied: () => isApplied,
  });
  const spawnThread = spawnFrom<WorkerCommand, WorkerReport>(options.module);
  const endpoints = options.endpoints.map(probe);
  const workers = new Workers({ snapshot, stale: undefined }, {
    init: {
      endpoints,
      hostname: options.hostname,
      log: options.log,
      hasHealth: board !== undefined,
      ...startValues(),
      counters: memory,
      inFlight: allocateInFlight(memory.maxWorkers),
    },
    spawn: (number, listener) =>
      number === 1
        ? runInThisThread(listener, {
          ...{ usage, health: board?.access, runKeyCall, runConfigCall },
          alerts: alertsOf(first.config, board, usage, () => budgetsOf(live.current, keyring)),
        })
        : spawnThread(`worker ${number}`, listener),
    clock: systemClock,
    log: logMessage,
    store: usage,
    keyring,
    health: board,
    runKeyCall,
    runConfigCall,
    onRefused: () => command.secrets?.refused(),
  });
  let isApplied = Promise.resolve();
  const live = new LiveConfig(first.config, {
    ...reloadOptions(command, first.config, options.hostname),
    async load() {
      const loaded = await readConfigAgain(withSameFile(command, first.config), readEnvironment());
      loads.set(loaded.config, loaded.snapshot);
      return loaded.config;
    },
    // A message about a new configuration is printed once all workers use it.
    log: (text, level) => void isApplied.then(() => logMessage(text, level)),
    onSwap(next) {
      snapshot = loads.get(next) ?? snapshot;
      usage.onKeysChanged();
      board?.changed("config", "The configuration was loaded");
      isApplied = workers.set({ snapshot, stale: undefined });
    },
    onStale: (stale) => isApplied = workers.set({ snapshot, stale }),
  });
  followLog(() => live.current.log);
  const keys: KeyAccess = await startKeys({
    first: first.config,
    config: () => live.current,
    publish(changes) {
      if (keyring.whole !== undefined) board?.changed("keys", "Keys in the store changed");
      keyring.apply(changes);
      usage.onKeysChanged();
      return workers.changeKeys(changes);
    },
  });
  await restoreBudgets(usage);
  await workers.start();
  options.onListening(endpoints.map(({ address }) => address));
  const scaling = {
    clock: systemClock,
    cpuMs,
    waitedMs: () => readWaitedMs(),
    requests: () => workers.countRequests(),
    workers: () => workers.count,
    minWorkers: plan.first,
    maxWorkers: plan.max,
    grow: (count: number) => workers.grow(count),
    shrink: (count: number) => workers.shrink(count),
    endIdle: () => workers.endIdle(),
  };
  const stopScaling = isGrowing ? scaleWithLoad(scaling) : () => {};
  return {
    live,
    renew: (renewed) => workers.renew(renewed),
    leaveSoon: () => workers.leaveSoon(),
    drain() {
      stopScaling();
      return workers.drain();
    },
    abort: () => workers.abort(),
    async flush() {
      await workers.flush();
      await flushReports(FLUSH_MS);
    },
    closeKeys: keys.close,
  };
}

/** The configuration editor, loaded at the first admin call. */
function editorOf(gateway: EditedGateway): RunConfigCall {
  const load = async () => {
    const { createEditor } = await import("./config/editing/config_editor.ts");
    return createEditor(gateway);
  };
  let editor: Promise<RunConfigCall> | undefined;
  return async (call) => await (await (editor ??= load()))(call);
}

/** The CPU time of the process so far, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Runs a worker in this thread. It ends with the process. */
function runInThisThread(
  { onReport }: ThreadListener<WorkerReport>,
  stores: OwnStores,
): Thread<WorkerCommand> {
  // Calls are asynchronous, like messages between threads.
  const run = createWorker((report) => queueMicrotask(() => onReport(report)), stores);
  return { send: (command) => queueMicrotask(() => run(command)), end() {} };
}

/** The store, which restores the earlier spending of budgets. */
function restoring(
  store: UsageStore,
  counters: Counters,
  config: () => Config,
  keyring: StoredKeyring,
): RestoringStore {
  return new RestoringStore(store, {
    counters,
    clock: systemClock,
    budgets: () => budgetsOf(config(), keyring),
    userBudgets: () =>
      config().serviceKeys.flatMap(({ name, endUsers: rules }) =>
        rules?.budget ? [{ name, rules }] : []
      ),
  });
}

/** The budgets of all keys, in config.yaml and in the store. */
function budgetsOf(config: Config, keyring: StoredKeyring): readonly BudgetOfKey[] {
  return [
    ...config.serviceKeys.flatMap(({ name, budget }) => budget ? [{ ...budget, name }] : []),
    ...keyring.keys.flatMap(({ name, settings }) =>
      settings?.budget ? [{ ...settings.budget, name }] : []
    ),
  ];
}

/** The number of end users per key for which budget alerts are possible. */
const MAX_ALERTED_USERS = 100;

/** The inputs of alerts; undefined without alerts. */
function alertsOf(
  { alerts }: Config,
  board: HealthBoard | undefined,
  usage: RestoringStore,
  budgets: () => readonly BudgetOfKey[],
): AlertSources | undefined {
  if (alerts === undefined) return undefined;
  return {
    badTargets: () => board?.bad() ?? [],
    budgets,
    userBudgets: () => usage.userSpending(MAX_ALERTED_USERS),
    isLedgerFailing: () => usage.isFailing,
  };
}

/**
 * Restores budgets before the first request. If the store fails, budgets are restored once it is
 * available.
 */
async function restoreBudgets(store: RestoringStore): Promise<void> {
  const failed = (thrown: unknown) =>
    logMessage(
      `budgets count from 0 until the store ${store.name} is available: ${reasonOf(thrown)}`,
      "error",
    );
  await within(RESTORE_MS, store.restore().catch(failed));
}

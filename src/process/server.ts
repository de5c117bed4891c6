/** Creates the gateway of one worker and opens its port. */

import type { Ledger } from "../governance/ledger/ledger.ts";
import type { RunKeyCall } from "../governance/keys/key_store.ts";
import type { UsageStore } from "../governance/ledger/usage_store.ts";
import {
  createLines,
  flushReports,
  followLog,
  hasReadableLines,
  logMessage,
  lowestLevel,
  reportBug,
} from "./system/stdio.ts";
import { createAccessLog } from "../telemetry/access_log.ts";
import { createObserver } from "../telemetry/observers.ts";
import { type App, createApp } from "../http/app.ts";
import type { Administer, OpenAlert } from "../gateway/admin.ts";
import type { AlertSources } from "../alerts/conditions.ts";
import { type Clock, systemClock, within } from "../core/clock.ts";
import type { Config } from "../config/config.ts";
import type { RunConfigCall } from "../config/editing/changes.ts";
import type { StaleConfig } from "../config/snapshot.ts";
import type { HealthAccess } from "../console/health/health_board.ts";
import { Connections, RELIEF_MS } from "./listener/connections.ts";
import { dial } from "../upstream/http1/dial.ts";
import { createLedger } from "./stores/ledger.ts";
import { startAlerts } from "./stores/alerts.ts";
import { mayShowConsole } from "./stores/health.ts";
import { createStoreUsers } from "./stores/shared_store.ts";
import { Limiter } from "../governance/limiter.ts";
import type { Counters } from "../governance/counters.ts";
import { Credentials } from "../upstream/credentials/credentials.ts";
import { type Dial, HttpClient } from "../upstream/http1/client.ts";
import { newId, random, randomBytes } from "../core/ids.ts";
import { isLoopback } from "../core/loopback.ts";
import type { Download } from "../upstream/images/download.ts";
import {
  createInFlightMemory,
  findCollector,
  IdleTime,
  type InFlightPlace,
  type ReadLoad,
  releaseWhenIdle,
} from "./memory/idle_memory.ts";
import { LineWriter } from "../telemetry/line_writer.ts";
import { isOutOfDescriptors, readFile } from "./system/files.ts";
import { readEnvironmentProxies } from "./config/network_clients.ts";
import type { Endpoint } from "./listener/endpoint.ts";
import { listen, type Listening } from "./listener/port.ts";
import { Upgrades } from "./listener/web_socket.ts";
import { createProcessFacts } from "./system/process_facts.ts";
import { surviveRejections } from "./system/signals.ts";
import { Metrics } from "../telemetry/metrics.ts";
import type { ServerMetrics } from "../telemetry/server_metrics.ts";
import { createFeatures, FeatureState } from "../features/list.ts";
import { Plans } from "../gateway/plan.ts";
import { OPERATIONS } from "../gateway/execute/list.ts";
import { StateCarrier } from "../features/reasoning_state/carrier.ts";
import { Shutdown } from "../core/stop_signal.ts";
import type { State } from "../gateway/state.ts";
import { isExporting, Telemetry } from "../telemetry/tracing.ts";
import { VERSION } from "../core/version.ts";
import type { MetricsSnapshot } from "../telemetry/process_metrics.ts";
import { passTracesOn } from "../upstream/transport.ts";

/** Milliseconds by which the log and the metrics may lag. */
const LAG_MS = 10;

/** The time limit for writing the last rows of the ledger at shutdown, in milliseconds. */
const LEDGER_FLUSH_MS = 3000;

/** How long a shutdown waits until all output is written. */
export const FLUSH_MS = 500;

/** How long a worker must be without model requests before it may end. */
const IDLE_MS = 60_000;

/** How many times idle client connections may be closed to open one connection to a vendor. */
const MAX_RELIEF_ATTEMPTS = 5;

/** The options of a gateway. */
export interface GatewayOptions {
  /** Returns the current configuration. */
  readonly config: () => Config;
  /** The reason why the current configuration differs from the file, if it does. */
  readonly stale: () => StaleConfig | undefined;
  readonly state: State;
  /** The start time of the process, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The key for reasoning state where none is configured: 32 bytes. */
  readonly stateKey: Uint8Array;
  /** Returns the text of `/metrics` of all workers. Default: this gateway's metrics. */
  readonly gather?: () => Promise<string>;
  /** Runs an admin command in every worker. */
  readonly administer?: Administer;
  /** The store of the ledger. */
  readonly usage: UsageStore;
  /** Runs admin calls on the keys in the store. */
  readonly runKeyCall: RunKeyCall;
  /** The health of targets; absent without the console and alerts. */
  readonly health?: HealthAccess | undefined;
  /** The inputs of the alerts. Present in only one worker, and only if alerts are configured. */
  readonly alerts?: AlertSources | undefined;
  /** Runs admin calls on the configuration and its file. */
  readonly runConfigCall: RunConfigCall;
  /** The counters of limits and budgets. */
  readonly counters: Counters;
  /** The memory of requests and answers, shared with other workers. */
  readonly inFlight: InFlightPlace;
  /** The ID of this process among those that share a shared store. */
  readonly replica: string;
  /** The host name or IP address to listen on. */
  readonly hostname: string;
}

/** A gateway. */
export interface Gateway {
  readonly app: App;
  /** Returns the open alerts; absent under the same conditions as in the options. */
  readonly openAlerts: (() => readonly OpenAlert[]) | undefined;
  /** The metrics of this worker, to be aggregated with those of others. */
  readMetrics(): Promise<MetricsSnapshot>;
  /** Opens all endpoints. @throws {StartError} when it cannot listen on one of them. */
  listen(endpoints: readonly Endpoint[], shared: boolean): Listening;
  /**
   * Releases memory used during startup, compiles the request code, and from then on releases
   * memory whenever the process is idle.
   */
  warmUp(): Promise<void>;
  /** Makes clients reconnect (`Connection: close`). */
  moveConnections(): void;
  /** Whether it has had no request to a model for a minute. */
  isIdle(): boolean;
  /** Whether no client or store depends on it. */
  isEmpty(): boolean;
  /** Waits until all output is written, with a time limit. */
  flush(): Promise<void>;
}

/** Creates a gateway. It does not listen yet. */
export function createGateway(options: GatewayOptions): Gateway {
  const { config, stale, state, startedAt, gather, administer, counters, usage } = options;
  const clock = systemClock;
  const metrics = createMetrics(startedAt, config);
  const connections = createConnections(config, clock, metrics.server);
  followLog(() => config().log);
  const clients = createClients(connections, clock);
  const lines = createLines(counters, metrics.server);
  const ledger = createLedger(usage, clock, metrics.server);
  const { replica } = options;
  const memory = createInFlightMemory(options.inFlight, clock, metrics.server);
  const features = new FeatureState(state);
  const { states, limits, health: healthExchange, moves, claims } = createStoreUsers({
    ...{ config, counters, state, replica, metrics, memory },
    hasAlerts: options.alerts !== undefined,
    moved: features.moved,
  });
  const observer = createObserver({
    metrics,
    log: createAccessLog((text) => lines.push(text), {
      readable: hasReadableLines,
      level: lowestLevel,
    }),
    tracing: createTracing(config, clock),
    clock,
    lagMs: LAG_MS,
    ledger,
    health: options.health,
    onLogError: (thrown) => reportBug(thrown, "the access log"),
  });
  const { stateKey } = options;
  const reasoning = new StateCarrier({ key: stateKey, store: states.reasoning, randomBytes });
  const limiter = new Limiter(counters, clock, limits);
  const upgrades = config().server.websockets === "on" ? new Upgrades(clock) : undefined;
  const isConsole = mayShowConsole(config(), options.hostname);
  const openAlerts = options.alerts && (() => alerts?.open ?? []);
  const app = createApp({
    config,
    stale,
    ...(administer && { administer }),
    ...(options.health && isConsole && { health: options.health }),
    ...(openAlerts && { openAlerts }),
    usage,
    runKeyCall: options.runKeyCall,
    runConfigCall: options.runConfigCall,
    isLocal: isLoopback(options.hostname),
    ...(upgrades && {
      sockets: { upgrade: (request: Request) => upgrades.upgrade(request), counters },
    }),
    async printMetrics() {
      observer.flush();
      const text = await (gather?.() ?? metrics.print());
      return { contentType: metrics.registry.contentType, text };
    },
    memory,
    deps: {
      fetch: clients.vendor.fetch,
      download: downloadWith(clock),
      clock,
      newId,
      random,
      state,
      credentials: new Credentials({ readFile, direct: clients.direct.fetch, log: warn }),
      reasoning,
      plans: new Plans(createFeatures({
        ...{ reasoning, clock, newId, cache: states.cache, secret: stateKey },
        state: features,
      })),
      operations: OPERATIONS,
      answers: states.answers,
      unsettled: states.unsettled,
      shutdown: new Shutdown(),
      observer,
      limiter,
    },
    onStoreError: ({ message }) => warn(`the store ${usage.name} cannot be read: ${message}`),
    onBug: reportBug,
  });
  metrics.readGaugesFrom({
    inFlight: () => app.inFlight(),
    stale: () => stale() !== undefined,
    breakers: () => state.breakers(clock.now()),
    targets: () => state.targets(clock.now()),
    rejections: () => state.rejections(clock.now()),
    queued: () => features.queues.size,
    budgetOf: (key) => limiter.budgetOf(key, undefined),
  });
  const alerts = options.alerts && startAlerts({
    ...{ sources: options.alerts, config, stale, clock, counters, claims, administer },
    registry: metrics.registry,
    countOwnRequests: () => app.load().requests,
  });
  const idleTime = new IdleTime(clock, () => app.load());
  const warm = () => warmFor(config(), () => app.load());
  const flush = () =>
    flushOutput({
      lines,
      ledger,
      shared: [limits, healthExchange, states, moves, alerts],
      store: usage,
    });
  return {
    app,
    openAlerts,
    readMetrics() {
      // Requests that have ended are recorded first.
      observer.flush();
      return metrics.read();
    },
    async warmUp() {
      const collect = findCollector(globalThis);
      // Startup accounts for a fifth of the memory. Not done between requests, since it takes 0.1
      // s.
      if (app.load().requests === 0) collect?.();
      await warm();
      if (collect === undefined) return;
      const heapBytes = () => Deno.memoryUsage().heapTotal;
      const workers = () => counters.workers;
      releaseWhenIdle({ clock, idleTime, workers, heapBytes, collect, warmUp: warm });
    },
    moveConnections: () => connections.move(),
    isIdle: () => idleTime.read() >= IDLE_MS,
    isEmpty: () => [lines, ledger, limits, states].every((part) => part?.isEmpty ?? true),
    flush,
    listen: (endpoints, shared) =>
      listen(app, {
        ...{ endpoints, shared, upgrades, clock, connections, flush },
        metrics: metrics.server,
      }),
  };
}

/** Warms up the code that the providers of a configuration need, if enabled. */
async function warmFor({ server, providers }: Config, load: ReadLoad): Promise<void> {
  if ((server.warm_up ?? Deno.env.get("SLUICE_WARM_UP")) === "off") return;
  const kinds = [...providers.values()].map(({ adapter }) => adapter.kind);
  const { warmUp } = await import("./warm_up/warm_up.ts");
  await warmUp({ kinds, load }).catch((thrown) => reportBug(thrown, "the warm-up"));
}

/** Downloads images. The module is loaded when first needed. */
function downloadWith(clock: Clock): Download {
  return async (...image) => {
    const { createDownload, resolveBySystem } = await import("../upstream/images/download.ts");
    return await createDownload(clock, resolveBySystem)(...image);
  };
}

/** Creates the metrics, which also count unhandled rejections. */
function createMetrics(startedAt: number, config: () => Config): Metrics {
  const maxKeys = () => config().telemetry.metricKeys;
  const metrics = new Metrics(createProcessFacts(startedAt), maxKeys);
  surviveRejections((reason) => {
    metrics.server.unhandledErrors.add(1);
    reportBug(reason);
  });
  return metrics;
}

function warn(text: string): void {
  logMessage(text, "warn");
}

/** The exporter of traces, if the environment enables one. */
function createTracing(config: () => Config, clock: Clock): Telemetry | undefined {
  if (!isExporting()) return undefined;
  const capturesContent = () => config().telemetry.captureContent;
  const exportsMetrics = Deno.env.get("OTEL_METRICS_EXPORTER") !== "none";
  return new Telemetry({ version: VERSION, clock, capturesContent, exportsMetrics });
}

/** Writes all output, with time limits. */
async function flushOutput(
  { lines, ledger, shared, store }: {
    readonly lines: LineWriter;
    readonly ledger: Ledger;
    readonly shared: readonly ({ close(): Promise<void> } | undefined)[];
    readonly store: UsageStore;
  },
): Promise<void> {
  await Promise.all([
    within(FLUSH_MS, lines.flush()),
    within(LEDGER_FLUSH_MS, ledger.end()),
    ...shared.map((store) => within(FLUSH_MS, store?.close() ?? Promise.resolve())),
  ]);
  const lost = ledger.close();
  if (lost > 0) warn(`${lost} rows of the ledger are lost: the store ${store.name} fails`);
  await flushReports(FLUSH_MS);
}

/** The HTTP client for vendors, which uses the environment's proxies, and one without a proxy. */
function createClients(connections: Connections, clock: Clock) {
  const vendorDial = dialWithRelief(connections, clock);
  const direct = new HttpClient({ dial: vendorDial, clock });
  const proxied = new HttpClient({
    ...{ dial: vendorDial, clock },
    proxyFor: readEnvironmentProxies(),
  });
  const vendor = isExporting() ? passTracesOn(proxied) : proxied;
  return { direct, vendor };
}

function createConnections(
  config: () => Config,
  clock: Clock,
  metrics: ServerMetrics,
): Connections {
  return new Connections({
    limits: () => config().server,
    clock,
    onOpen: () => metrics.open.inc(),
    onRefuse: (reason) => metrics.refused.add(1, reason),
    onClose(reason) {
      metrics.open.dec();
      if (reason !== undefined) metrics.closed.add(1, reason);
    },
  });
}

/** Opens connections to vendors. If file descriptors run out, closes idle clients and retries. */
function dialWithRelief(connections: Connections, clock: Clock): Dial {
  return async (origin, signal) => {
    for (let reliefs = 0;; reliefs++) {
      try {
        return await dial(origin, signal);
      } catch (thrown) {
        const isFinal = !isOutOfDescriptors(thrown) || reliefs === MAX_RELIEF_ATTEMPTS;
        if (isFinal || connections.relieve() === 0) throw thrown;
      }
      await new Promise<void>((resolve) => void clock.after(RELIEF_MS, resolve));
    }
  };
}

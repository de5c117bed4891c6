/** A complete gateway without a port: an app with an injected vendor. */

import { HealthBoard } from "../../src/console/health/health_board.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import type { UsageStore } from "../../src/governance/ledger/usage_store.ts";
import type { RunConfigCall } from "../../src/config/editing/changes.ts";
import { refuseKeyCall, type RunKeyCall } from "../../src/governance/keys/key_store.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { type App, type AppOptions, createApp } from "../../src/http/app.ts";
import { type AccessLogSettings, createAccessLog } from "../../src/telemetry/access_log.ts";
import { type Config, loadConfig } from "../../src/config/config.ts";
import { Credentials } from "../../src/upstream/credentials/credentials.ts";
import { findAmbient, type HasMetadata } from "../../src/upstream/credentials/find_ambient.ts";
import type { AmbientSearch } from "../../src/config/disabled_providers.ts";
import type { Download } from "../../src/upstream/images/download.ts";
import { PLACEHOLDER } from "../../src/upstream/images/request_images.ts";
import { logLine } from "../../src/telemetry/log_schema.ts";
import { createObserver } from "../../src/telemetry/observers.ts";
import type { GaugeSources } from "../../src/telemetry/metric_values.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import type { LiveConfig } from "../../src/process/config/reload.ts";
import type { SocketsOptions } from "../../src/http/responses_socket/sockets.ts";
import { upgradeRuntimeSocket } from "./runtime_socket.ts";
import { adapters } from "../../src/providers/registry.ts";
import { type InFlightMemory, unlimitedMemory } from "../../src/core/in_flight_memory.ts";
import { Shutdown } from "../../src/core/stop_signal.ts";
import { randomBytes } from "../../src/core/ids.ts";
import type { Feature } from "../../src/gateway/feature.ts";
import { Plans } from "../../src/gateway/plan.ts";
import { createFeatures, FeatureState } from "../../src/features/list.ts";
import { OPERATIONS } from "../../src/gateway/execute/list.ts";
import { StateCarrier } from "../../src/features/reasoning_state/carrier.ts";
import {
  type MemoryLimits,
  MemoryStore,
  type OnceStore,
  type StateStore,
} from "../../src/memory/store.ts";
import { UNSETTLED_LIMITS } from "../../src/gateway/execute/responses/unsettled.ts";
import { State } from "../../src/gateway/state.ts";
import type { Clock } from "../../src/core/clock.ts";
import type { Fetch } from "../../src/upstream/transport.ts";
import { ManualClock } from "./manual_clock.ts";

export const SERVICE_KEY = "sk-test-service-key";
export const VENDOR_KEY = "sk-test-vendor-key";
/** The key of the process for reasoning state. */
export const STATE_KEY = new Uint8Array(32).fill(7);

export interface TestGateway<Time extends Clock = ManualClock> {
  readonly app: App;
  /** Records the requests that have ended. */
  flush(): void;
  readonly config: Config;
  readonly clock: Time;
  readonly state: State;
  /** The state of its features. */
  readonly features: FeatureState;
  /** The shutdown of the process. */
  readonly shutdown: CountedShutdown;
  /** The lines of the access log, parsed. */
  readonly lines: Record<string, unknown>[];
  readonly bugs: unknown[];
  /** Messages for the operator about credentials. */
  readonly logged: string[];
  /** Sends a request with the service key; a body makes it a POST. */
  call(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response>;
}

export interface TestOptions {
  /** The configuration without its service key, as an object. */
  readonly config: Record<string, unknown>;
  readonly fetch?: Fetch;
  /** The image download. Default: every image is one grey pixel. */
  readonly download?: Download;
  readonly env?: Record<string, string>;
  /** Whether metadata services exist. Default: the machine's credentials are not searched for. */
  readonly hasMetadata?: HasMetadata;
  /** A random number from 0 to 1. Default: 0.5. */
  readonly random?: () => number;
  /** A configuration that changes, instead of `config`. */
  readonly live?: Pick<LiveConfig, "current" | "stale">;
  /** Stores and returns the rows of requests. Default: a store in memory. */
  readonly usage?: AppOptions["usage"] & Partial<Pick<UsageStore, "write">>;
  /** Default: one with separate counters. */
  readonly limiter?: Limiter;
  /** The keys of the store. Default: there is no store. */
  readonly runKeyCall?: RunKeyCall;
  /** Runs calls on the configuration. Default: they are rejected. */
  readonly runConfigCall?: RunConfigCall;
  /** The charges for unfinished answers. Default: a store in memory. */
  readonly unsettled?: OnceStore;
  /** The answers of the response cache. Default: a store in memory. */
  readonly cache?: StateStore;
  /**
   * Used instead of the product's features; may be derived from them. Default: those of the
   * product.
   */
  readonly features?: readonly Feature[] | ((own: readonly Feature[]) => readonly Feature[]);
  readonly onStoreError?: AppOptions["onStoreError"];
  /** The open alerts. Default: none. */
  readonly openAlerts?: NonNullable<AppOptions["openAlerts"]>;
  /** The authentication schemes. Default: those of the product. */
  readonly schemes?: AppOptions["schemes"];
  /** Whether it listens on a loopback address. Default: false. */
  readonly isLocal?: boolean;
  /** The memory of requests and answers. Default: without a limit unless one is configured. */
  readonly memory?: InFlightMemory;
  /** Upgrades WebSockets. Default: like the runtime's own server. */
  readonly upgrade?: SocketsOptions["upgrade"];
  /** Milliseconds by which the log lags. Default: 0. */
  readonly lag?: number;
  /** Receives the access log. Default: its lines are checked, and kept in `lines`. */
  readonly writeLog?: (text: string) => void;
  /** The settings of the access log. Default: JSON at the level `info`. */
  readonly log?: AccessLogSettings;
}

/** The PNG that explanations show in place of an image. */
export const PIXEL = Uint8Array.fromBase64(PLACEHOLDER.slice(PLACEHOLDER.indexOf(",") + 1));

/** IDs are numbered and the time is fixed, so that answers can be compared. */
export function createTestGateway(options: TestOptions): TestGateway {
  return createGatewayOn(new ManualClock(), options);
}

/** The same with a given clock. */
export function createGatewayOn<Time extends Clock>(
  clock: Time,
  {
    config,
    fetch,
    download,
    env = {},
    hasMetadata,
    random = () => 0.5,
    live,
    lag = 0,
    isLocal = false,
    runKeyCall = refuseKeyCall,
    runConfigCall,
    unsettled,
    features = (own) => own,
    cache,
    usage = new MemoryUsageStore(),
    limiter = new Limiter(new LocalCounters(), clock),
    onStoreError,
    openAlerts,
    schemes,
    memory = unlimitedMemory(),
    upgrade = upgradeRuntimeSocket,
    writeLog,
    log,
  }: TestOptions,
): TestGateway<Time> {
  const loaded = live?.current ?? loadTestConfig(config, env, hasMetadata);
  const lines: Record<string, unknown>[] = [];
  const bugs: unknown[] = [];
  const logged: string[] = [];
  const reasoning = createCarrier(clock, () => loaded.server.reasoning_state.memory);
  const newId = countedIds();
  const state = new State();
  const featureState = new FeatureState(state);
  const shutdown = new CountedShutdown();
  const metrics = createTestMetrics(() => (live?.current ?? loaded).telemetry.metricKeys);
  const keepsTexts = () => loaded.server.console_vendor_errors === "on";
  const board = loaded.server.console === "off"
    ? undefined
    : new HealthBoard({ clock, keepsTexts });
  const observer = createObserver({
    metrics,
    log: createAccessLog(writeLog ?? ((text) => lines.push(...toLines(text))), log),
    clock,
    lagMs: lag,
    ledger: { add: (row) => void usage.write?.([row], row.id) },
    health: board?.access,
    onLogError: (thrown) => bugs.push(thrown),
  });
  const app = createApp({
    config: () => live?.current ?? loaded,
    stale: () => live?.stale,
    usage,
    ...(board && { health: board.access }),
    ...(onStoreError && { onStoreError }),
    ...(openAlerts && { openAlerts }),
    ...(schemes && { schemes }),
    runKeyCall,
    ...(runConfigCall && { runConfigCall }),
    isLocal,
    memory,
    sockets: { upgrade, counters: new LocalCounters() },
    async printMetrics() {
      observer.flush();
      return { contentType: metrics.registry.contentType, text: await metrics.print() };
    },
    deps: {
      fetch: fetch ?? (() => Promise.reject(new TypeError("No vendor in this test"))),
      download: download ?? (() => Promise.resolve(PIXEL)),
      clock,
      newId,
      random,
      state,
      credentials: new Credentials({
        readFile: (path) => Deno.readTextFileSync(path),
        log: (text) => logged.push(text),
      }),
      answers: new MemoryStore(
        () => loaded.server.responses_memory,
        () => clock.now(),
        memory.accountFor("stored", () => loaded.server.max_in_flight_bytes),
      ),
      unsettled: unsettled ?? new MemoryStore(() => UNSETTLED_LIMITS, () => clock.now()),
      reasoning,
      operations: OPERATIONS,
      plans: new Plans(
        typeof features === "object" ? features : features(createFeatures({
          ...{ reasoning, clock, newId, secret: STATE_KEY, state: featureState },
          cache: cache ?? new MemoryStore(() => ({
            bytes: loaded.server.response_cache.size,
            ttlMs: loaded.cacheTtlMs,
          }), () => clock.now()),
        })),
      ),
      shutdown,
      limiter,
      observer,
    },
    onBug: (thrown) => bugs.push(thrown),
  });
  shutdown.created();
  metrics.readGaugesFrom({
    inFlight: () => app.inFlight(),
    stale: () => live?.stale !== undefined,
    breakers: () => state.breakers(clock.now()),
    targets: () => state.targets(clock.now()),
    rejections: () => state.rejections(clock.now()),
    queued: () => featureState.queues.size,
    budgetOf: (key) => limiter.budgetOf(key, undefined),
  });
  return {
    app,
    flush: () => observer.flush(),
    config: loaded,
    clock,
    state,
    features: featureState,
    shutdown,
    lines,
    bugs,
    logged,
    call: (path, body, headers = {}, signal) =>
      app.handle(
        new Request(`http://gateway.test${path}`, {
          method: body === undefined ? "GET" : "POST",
          headers: { authorization: `Bearer ${SERVICE_KEY}`, ...headers },
          ...(signal && { signal }),
          ...(body === undefined
            ? {}
            : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        }),
      ),
  };
}

/** Every log line in every test must match the log schema. */
function toLines(text: string): Record<string, unknown>[] {
  return text.trimEnd().split("\n").map((line) => {
    const parsed = JSON.parse(line);
    const { error } = logLine.safeParse(parsed);
    // The gateway catches errors of its log.
    if (error !== undefined) {
      queueMicrotask(() => {
        throw error;
      });
    }
    return parsed;
  });
}

/** Counts the listeners that requests add. */
class CountedShutdown extends Shutdown {
  /** Listeners of the app itself. */
  #others = 0;

  get listeners(): number {
    return this.waiting.size - this.#others;
  }

  /** The app has been created, so later listeners belong to requests. */
  created(): void {
    this.#others = this.waiting.size;
  }
}

/**
 * Carries reasoning state as a gateway does; by default it keeps 1 MB of it for an hour.
 */
export function createCarrier(
  clock: Pick<Clock, "now">,
  limits: () => MemoryLimits = () => ({ bytes: 1_000_000, ttlMs: 3_600_000 }),
): StateCarrier {
  const store = new MemoryStore(limits, () => clock.now());
  return new StateCarrier({ key: STATE_KEY, store, randomBytes });
}

/** Gauges of an idle gateway. */
export const NO_GAUGES: GaugeSources = {
  inFlight: () => 0,
  stale: () => false,
  breakers: () => [],
  targets: () => [],
  rejections: () => [],
  queued: () => 0,
  budgetOf: () => undefined,
};

/** Metrics of a process with four bytes of memory. */
export function createTestMetrics(maxKeys = () => 100): Metrics {
  const memory = () => ({ rss: 4, heapTotal: 3, heapUsed: 2, external: 1 });
  const cpu = () => ({ user: 1_500_000, system: 500_000 });
  const facts = { version: "1.2.3", startedAt: 1_700_000_000_000, memory, cpu };
  return new Metrics({ ...facts, freeDescriptor: () => 21 }, maxKeys);
}

/**
 * @param hasMetadata whether metadata services exist. Default: the machine's credentials are not
 * searched for
 */
export function loadTestConfig(
  config: Record<string, unknown>,
  env: Record<string, string> = {},
  hasMetadata?: HasMetadata,
): Config {
  const readFile = (path: string) => Deno.readTextFileSync(path);
  const sources = { env: (name: string) => new Map(Object.entries(env)).get(name), readFile };
  // Keep-alive needs a clock that advances, so only its tests enable it.
  const server = {
    keep_alive: "0s",
    keys: [{ name: "test", key: SERVICE_KEY }],
    ...config.server as object,
  };
  const providers = withoutRetries(config.providers);
  return loadConfig(JSON.stringify({ ...config, server, providers }), {
    source: "test",
    ...sources,
    adapters,
    now: () => 1_700_000_000_000,
    newKey: () => "sk-sluice-generated",
    ...(hasMetadata && {
      findAmbient: (search: AmbientSearch) => findAmbient(search, sources, hasMetadata),
    }),
  });
}

/**
 * The time is fixed, so a wait before a retry would never end: only tests of retries enable them.
 */
function withoutRetries(providers: unknown): unknown {
  if (typeof providers !== "object" || providers === null) return providers;
  return Object.fromEntries(
    Object.entries(providers).map(([id, entry]) => [id, { retries: 0, ...entry }]),
  );
}

export function countedIds(): (prefix: string) => string {
  let count = 0;
  return (prefix) => `${prefix}${++count}`;
}

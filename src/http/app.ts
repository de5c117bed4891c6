/** The HTTP app of one process or worker, which turns a request into a response. */

import { isConsoleOn } from "../config/server_settings.ts";
import { refuseConfigCall, type RunConfigCall } from "../config/editing/changes.ts";
import type { RunKeyCall } from "../governance/keys/key_store.ts";
import { LocalCounters } from "../governance/local_counters.ts";
import type { ReadableUsage, StoreError } from "../governance/ledger/usage_store.ts";
import { isDirect } from "./host_check.ts";
import type { CallerConnection } from "../gateway/request_record.ts";
import type { Config } from "../config/config.ts";
import type { ListenerRules } from "../config/listeners.ts";
import type { StaleConfig } from "../config/snapshot.ts";
import { type InFlightMemory, unlimitedMemory } from "../core/in_flight_memory.ts";
import { authenticate, type Reauthenticate } from "../identity/authenticate.ts";
import type { IdentityScheme } from "../identity/principal.ts";
import type { HealthAccess } from "../console/health/health_board.ts";
import { LiveFeed } from "../console/live_feed.ts";
import { Exchange } from "./exchange.ts";
import { IncomingBodies, OpenRequests } from "./open_requests.ts";
import { type Administer, administer, type Load, type OpenAlert } from "../gateway/admin.ts";
import type { PrintMetrics } from "./routes/gateway.ts";
import { Dispatcher } from "./router.ts";
import { ResponsesSockets, type SocketsOptions } from "./responses_socket/sockets.ts";
import { createRoutes } from "./routes/table.ts";
import { UsageReader } from "./usage_reader.ts";
import type { PathDeps } from "../gateway/attempt.ts";
import { serveAllParts } from "./routes/route.ts";

/** The dependencies of the app. */
export interface AppOptions {
  /** Returns the current configuration. A request keeps the configuration that it started with. */
  readonly config: () => Config;
  /** The reason why the current configuration differs from the file, if it does. */
  readonly stale?: () => StaleConfig | undefined;
  readonly deps: PathDeps;
  /** The memory for requests and answers. Default: unlimited unless a limit is configured. */
  readonly memory?: InFlightMemory;
  /** Writes the body of `/metrics`. */
  readonly printMetrics: PrintMetrics;
  /** Runs admin commands. Default: in this worker only. */
  readonly administer?: Administer;
  /** The ledger's store. */
  readonly usage: ReadableUsage;
  /** Runs an admin call on the keys in the store. */
  readonly runKeyCall: RunKeyCall;
  /** Runs an admin call on the configuration. Default: such calls are rejected. */
  readonly runConfigCall?: RunConfigCall;
  /** Target health. Default: none, as without the console. */
  readonly health?: HealthAccess;
  /** Returns the open alerts. Default: none. */
  readonly openAlerts?: () => readonly OpenAlert[];
  /** Whether only this machine can connect, which enables the console by default. */
  readonly isLocal?: boolean;
  /** Upgrades and counts WebSockets. Default: no request can be upgraded. */
  readonly sockets?: Pick<SocketsOptions, "counters" | "upgrade">;
  /** The authentication schemes. Default: all built-in ones. */
  readonly schemes?: readonly IdentityScheme[];
  /** Called when the ledger's store cannot be read. */
  readonly onStoreError?: (error: StoreError) => void;
  /** Called with an unexpected error, which the caller sees only as `internal_error`. */
  readonly onBug?: (thrown: unknown, requestId: string) => void;
}

/** The HTTP application of one process or worker. */
export interface App {
  /** Answers a request. `connection` is notified when the request has ended. */
  handle(
    request: Request,
    connection?: CallerConnection,
    /** Default: a listener that serves everything. */
    listener?: ListenerRules,
  ): Promise<Response>;
  /** The number of open requests, excluding health routes and state streams. */
  inFlight(): number;
  /** The model requests. */
  load(): Load;
  /** Begins draining: `/readyz` returns 503, and answers have `Connection: close`. */
  leaveSoon(): void;
  /** Also ends WebSockets; resolves when no response is open. */
  finish(): Promise<void>;
  /** Also rejects new requests. */
  drain(): Promise<void>;
  /** Ends every open response with an error, and rejects new requests. */
  abort(): void;
}

/** Creates the HTTP application. */
export function createApp(options: AppOptions): App {
  const { deps } = options;
  const { observer } = deps;
  const open = new OpenRequests();
  const { memory = unlimitedMemory(), onBug } = options;
  const { live, routes, sockets } = createServices(
    options,
    open,
    memory,
    // The listener has checked the request that opened the socket.
    (request) => handle(request, undefined, { ...serveAllParts(false), hosts: new Set() }),
  );
  const main = serveAllParts(options.isLocal ?? false);
  const incoming = new IncomingBodies(deps.shutdown);
  const { schemes } = options;
  const dispatcher = new Dispatcher(routes);
  const shared = { deps, dispatcher, open, incoming, memory, schemes, onBug };
  const handle: App["handle"] = (request, connection, listener = main) =>
    new Exchange(request, connection, listener, options.config(), shared).answer();
  const finish = async () => {
    open.leaveSoon();
    live.end();
    sockets.leave();
    await open.idle();
    observer.flush();
  };
  return {
    handle,
    inFlight: () => open.size - live.size - sockets.size,
    load: () => open.load(),
    leaveSoon: () => open.leaveSoon(),
    finish,
    drain() {
      open.refuse();
      return finish();
    },
    abort() {
      open.refuse();
      deps.shutdown.begin();
      observer.flush();
    },
  };
}

/** Creates the routes with their dependencies, and the state feed. */
function createServices(
  options: AppOptions,
  open: OpenRequests,
  memory: InFlightMemory,
  handle: SocketsOptions["handle"],
) {
  const { config, deps, health } = options;
  const { clock, state } = deps;
  const reauthenticate: Reauthenticate = (auth, request, config) =>
    authenticate(auth, request, { config, deps }, options.schemes);
  const sockets = new ResponsesSockets({
    ...{ clock, config, memory, handle, authenticate: reauthenticate },
    ...(options.sockets ?? NO_SOCKETS),
  });
  const stale = () => options.stale?.();
  const usage = new UsageReader(options.usage, options.onStoreError);
  const runHere: Administer = (command) => {
    const result = administer(
      ...[command, config(), state, clock.now(), () => open.load(), options.openAlerts] as const,
    );
    return Promise.resolve([{ worker: 1, result }]);
  };
  const runEverywhere = options.administer ?? runHere;
  const live = new LiveFeed({
    ...{ clock, config, stale },
    report: () => runEverywhere({ type: "report" }),
    usage,
    health,
  });
  if (health !== undefined) state.onBreaker = (change) => health.switched(change);
  const routes = createRoutes({
    status: {
      get draining() {
        return open.isLeaving;
      },
      get stale() {
        return stale();
      },
    },
    printMetrics: options.printMetrics,
    live: { feed: live, authenticate: reauthenticate },
    sockets,
    usage,
    administer: runEverywhere,
    health,
    runKeyCall: options.runKeyCall,
    runConfigCall: options.runConfigCall ?? refuseConfigCall,
    hasConsole: ({ server }, { serves, isLocal }, request) =>
      serves.has("console") && isConsoleOn(server, isLocal && isDirect(request)),
  });
  return { live, routes, sockets };
}

/** Used for connections that cannot be upgraded. */
const NO_SOCKETS: NonNullable<AppOptions["sockets"]> = {
  counters: new LocalCounters(),
  upgrade: () => undefined,
};

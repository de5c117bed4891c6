/** Finds the route of a request, checks its key, and is the error boundary of every request. */

import type { RunKeyCall } from "../governance/keys/key_calls.ts";
import {
  type RequestPage,
  type RequestQuery,
  StoreError,
  type UsageQuery,
  type UsageStore,
  type UsageSummary,
} from "../governance/ledger/usage_store.ts";
import { type AdminAnswer, type AdminCommand, administer, type Load } from "../routing/admin.ts";
import { authorize, NO_KEY } from "./authentication.ts";
import type { Config, ServiceKey } from "../config/config.ts";
import { LiveFeed, type Watcher } from "./console/live_feed.ts";
import type { StaleConfig } from "../config/stale_config.ts";
import { PASSTHROUGH_METHODS } from "../config/passthrough.ts";
import { preflight } from "./cors.ts";
import { type InFlightMemory, unlimitedMemory } from "../core/in_flight_memory.ts";
import { shuttingDown } from "../routing/deadline.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { LinkedList, type ListEntry } from "../core/linked_list.ts";
import { type RequestRecord, toErrorRecord } from "../routing/request_record.ts";
import { checkHost, checkSite } from "./host_check.ts";
import { IncomingBodies } from "./incoming_bodies.ts";
import { closing, toErrorResponse } from "./response.ts";
import type { PathDeps } from "../routing/failover.ts";
import { readPath } from "./request_target.ts";
import { Router } from "./router.ts";
import { isOtherApi, unknownPath } from "./routes/about.ts";
import type { GaugeValues, PrintMetrics } from "./routes/metrics.ts";
import {
  type AuthPolicy,
  type Route,
  type RouteContext,
  type RouteResponse,
  type ServerContext,
} from "./routes/route.ts";
import { ROUTES } from "./routes/table.ts";

/** Runs an admin command in every worker. */
export type Administer = (command: AdminCommand) => Promise<readonly AdminAnswer[]>;

/** The dependencies of the app. */
export interface AppOptions {
  /** Returns the current configuration. A request keeps the one that it began with. */
  readonly config: () => Config;
  /** Why the current configuration differs from the file, if it does. */
  readonly stale?: () => StaleConfig | undefined;
  readonly deps: PathDeps;
  /** The memory of requests and answers. Default: without a limit unless one is configured. */
  readonly memory?: InFlightMemory;
  /** Writes the body of `/metrics`. */
  readonly printMetrics: PrintMetrics;
  /** Runs admin commands. Default: in this worker only. */
  readonly administer?: Administer;
  /** The store of the ledger. */
  readonly usage: Pick<UsageStore, "list" | "summarize">;
  /** Runs an admin's call on the keys of the store. */
  readonly runKeyCall: RunKeyCall;
  /** Whether only this machine can connect, which enables the console by default. */
  readonly isLocal?: boolean;
  /** Called when the store of the ledger cannot be read. */
  readonly onStoreError?: (error: StoreError) => void;
  /** Called with an unexpected error, which the caller sees only as `internal_error`. */
  readonly onBug?: (thrown: unknown, requestId: string) => void;
}

const ROUTER = new Router(ROUTES);

/** The list of endpoints in the answer of `GET /`. */
const ENDPOINTS = ROUTES.filter(({ listed }) => listed !== false)
  .map((route) => `${route.method} ${labelOf(route)}`);

/** The routes that load balancers ask by any name. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** Answers requests, and counts those whose answers are open. */
export class Dispatcher implements ServerContext {
  readonly endpoints = ENDPOINTS;
  readonly printMetrics: PrintMetrics;
  readonly runKeyCall: RunKeyCall;
  readonly #options: AppOptions;
  #draining = false;
  /** The requests whose answer has not ended. */
  readonly #open = new LinkedList<RequestRecord>();
  /** The number of requests to models that have ended, and of those that failed. */
  #requests = 0;
  #errors = 0;
  /** The number of open requests whose body has arrived. */
  #inFlight = 0;
  /** The number of open requests of routes that always answer: they are not load. */
  #uncounted = 0;
  readonly #incoming = new IncomingBodies();
  readonly #memory: InFlightMemory;
  readonly #live: LiveFeed;
  #onIdle: (() => void) | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
    this.printMetrics = options.printMetrics;
    this.runKeyCall = options.runKeyCall;
    this.#memory = options.memory ?? unlimitedMemory();
    this.#live = new LiveFeed({
      clock: options.deps.clock,
      config: options.config,
      stale: () => this.stale,
      report: () => this.administer({ type: "report" }),
      summarize: (query) => this.summarizeUsage(query),
    });
  }

  get draining(): boolean {
    return this.#draining;
  }

  get stale(): StaleConfig | undefined {
    return this.#options.stale?.();
  }

  enter(record: RequestRecord): ListEntry<RequestRecord> {
    return this.#open.add(record);
  }

  leave(entry: ListEntry<RequestRecord>): void {
    this.#open.remove(entry);
    const { value: record } = entry;
    if (record.admitted) this.#inFlight--;
    if (record.asksModel) {
      this.#requests++;
      if (record.outcome === "failed" || record.status >= 500) this.#errors++;
    }
    if (this.#open.size === 0) this.#onIdle?.();
  }

  async drain(): Promise<void> {
    this.#draining = true;
    this.#live.end();
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#onIdle = resolve);
  }

  /** The error boundary: answers every request, and converts every error into an error body. */
  async answer(request: Request, record: RequestRecord, config: Config): Promise<RouteResponse> {
    try {
      const routeResponse = await this.#dispatch(request, record, config);
      return this.#draining ? closing(routeResponse) : routeResponse;
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.kind === "internal") this.#options.onBug?.(error.cause, record.id);
      record.outcome = error.kind === "client_gone" || record.signal.aborted
        ? "client_gone"
        : "failed";
      record.error = toErrorRecord(error);
      const routeResponse = toErrorResponse(error, record);
      return this.#draining ? closing(routeResponse) : routeResponse;
    }
  }

  /** @throws and rejects with whatever the route does. */
  #dispatch(
    request: Request,
    record: RequestRecord,
    config: Config,
  ): RouteResponse | Promise<RouteResponse> {
    const path = record.path = readPath(request);
    const match = ROUTER.match(path);
    const isDisabled = match?.routes[0]?.ofConsole === true && !this.hasConsole(config);
    if (match === undefined || isDisabled) {
      record.route = "unknown";
      this.#checkSender(request, config, undefined);
      throw unknownPath(path, isApiPath);
    }
    const { routes, params } = match;
    if (routes[0] !== undefined) record.route = labelOf(routes[0]);
    const formatFor = routes[0]?.formatFor;
    if (formatFor !== undefined) record.format = formatFor(request);
    this.#checkSender(request, config, routes[0]);
    const isForBrowsers = routes[0]?.auth !== "admin_key";
    if (request.method === "OPTIONS" && config.server.cors.length > 0 && isForBrowsers) {
      return preflight(request, routes.flatMap(methodsOf));
    }
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = routes.find((candidate) =>
      candidate.method === method || candidate.method === "ANY"
    );
    if (route === undefined) {
      throw isOtherApi(path) ? unknownPath(path, isApiPath) : wrongMethod(request.method, routes);
    }
    if (this.#draining && route.answers !== "always") throw shuttingDown();
    const isBusy = this.#inFlight >= config.server.maxInFlight;
    if (isBusy && route.answers === undefined) throw tooMany();
    const { deps } = this.#options;
    if (route.action !== undefined) record.audit = { action: route.action };
    const key = authorize(route, request, config, deps.clock.wallTime());
    if (key !== NO_KEY) {
      record.key = key.name;
      record.serviceKey = key;
      record.memory = this.#memory.begin(key.name, config.server.maxInFlightBytes);
    }
    if (!route.readsBody && !route.watches) this.#admit(record);
    const admit = () => {
      if (this.#inFlight >= config.server.maxInFlight) throw tooMany();
      this.#admit(record);
    };
    const incoming = this.#incoming;
    const context = { config, record, key, params, server: this, deps, incoming, admit };
    if (route.answers !== "always") return route.handle(request, context);
    return this.#handleUncounted(route, request, context);
  }

  /** @throws {GatewayError} for a request that a web page may have sent without permission. */
  #checkSender(request: Request, { server }: Config, route: Route | undefined): void {
    if (route === undefined || !PROBES.has(route.path)) {
      checkHost(request, server, this.#options.isLocal ?? false);
    }
    if (route?.auth === "admin_key") {
      checkSite(
        request,
        server.cors.filter((origin) => origin !== "*"),
      );
    } else if (route?.watches && !server.cors.includes("*")) checkSite(request, server.cors);
  }

  async #handleUncounted(
    route: Route,
    request: Request,
    context: RouteContext,
  ): Promise<RouteResponse> {
    this.#uncounted++;
    try {
      return await route.handle(request, context);
    } finally {
      this.#uncounted--;
    }
  }

  #admit(record: RequestRecord): void {
    record.admitted = true;
    this.#inFlight++;
  }

  gauges(): GaugeValues {
    const { stale, deps: { clock, observer, state } } = this.#options;
    observer.flush();
    return {
      inFlight: this.#open.size - this.#uncounted - this.#live.size,
      breakers: state.breakers(clock.now()),
      rejections: state.rejections(clock.now()),
      stale: stale?.() !== undefined,
    };
  }

  hasConsole({ server }: Config): boolean {
    return server.console ?? this.#options.isLocal ?? false;
  }

  summarizeUsage(query: UsageQuery): Promise<readonly UsageSummary[]> {
    return this.#read((usage) => usage.summarize(query));
  }

  listRequests(query: RequestQuery): Promise<RequestPage> {
    return this.#read((usage) => usage.list(query));
  }

  /** @throws {GatewayError} `overloaded` when the store fails; the log has the reason. */
  async #read<Result>(run: (usage: AppOptions["usage"]) => Promise<Result>): Promise<Result> {
    const { usage, onStoreError } = this.#options;
    try {
      return await run(usage);
    } catch (thrown) {
      if (!(thrown instanceof StoreError)) throw thrown;
      onStoreError?.(thrown);
      throw new GatewayError("overloaded", "The store of the ledger cannot be read now", {
        code: "store_unavailable",
        headers: { "retry-after": "5" },
      });
    }
  }

  load(): Load {
    const byProvider = new Map<string, number>();
    let inFlight = 0;
    for (const { asksModel, reached } of this.#open) {
      if (!asksModel) continue;
      inFlight++;
      if (reached === undefined) continue;
      byProvider.set(reached.provider, (byProvider.get(reached.provider) ?? 0) + 1);
    }
    return { inFlight, requests: this.#requests, errors: this.#errors, byProvider };
  }

  watchLive(watcher: Watcher): () => void {
    return this.#live.watch(watcher);
  }

  authorize(request: Request, config: Config, auth: AuthPolicy): ServiceKey {
    return authorize({ auth }, request, config, this.#options.deps.clock.wallTime());
  }

  async administer(command: AdminCommand): Promise<readonly AdminAnswer[]> {
    const { administer: administerAll, config, deps: { clock, state } } = this.#options;
    if (administerAll !== undefined) return await administerAll(command);
    const result = administer(command, config(), state, clock.now(), () => this.load());
    return [{ worker: 1, result }];
  }
}

/** The label of a route in logs and metrics. */
function labelOf({ path }: Route): string {
  return path.replace("...}", "}");
}

function tooMany(): GatewayError {
  return new GatewayError("overloaded", "The gateway has too many requests in flight", {
    headers: { "retry-after": "1" },
  });
}

/** The methods that a route answers. */
function methodsOf({ method }: Route): readonly string[] {
  return method === "ANY" ? PASSTHROUGH_METHODS : [method];
}

/** Whether this path is an endpoint of the API under `/v1`. */
function isApiPath(path: string): boolean {
  const [route] = ROUTER.match(path)?.routes ?? [];
  return route?.auth === "service_key";
}

function wrongMethod(method: string, routes: readonly Route[]): GatewayError {
  const allowed = routes.flatMap((route) =>
    route.method === "GET" ? ["GET", "HEAD"] : [route.method]
  );
  return new GatewayError(
    "method_not_allowed",
    `The method ${method} is not allowed here; use ${allowed[0]}`,
    { headers: { allow: allowed.join(", ") } },
  );
}

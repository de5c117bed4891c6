/** Finds the route of a request, checks its key, and is the error boundary of every request. */

import { authorize, NO_KEY } from "./authentication.ts";
import type { Config } from "../config/config.ts";
import type { ListenerRules } from "../config/listeners.ts";
import { PASSTHROUGH_METHODS } from "../config/passthrough.ts";
import { preflight } from "./cors.ts";
import type { InFlightMemory } from "../core/in_flight_memory.ts";
import { shuttingDown } from "../routing/deadline.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { RequestRecord } from "../routing/request_record.ts";
import { checkHost, checkSite } from "./host_check.ts";
import { IncomingBodies } from "./incoming_bodies.ts";
import type { OpenRequests } from "./open_requests.ts";
import { closing, toErrorResponse } from "./response.ts";
import type { PathDeps } from "../routing/failover.ts";
import { isServed } from "./listener_routes.ts";
import { readPath } from "./request_target.ts";
import { Router } from "./router.ts";
import { isOtherApi, unknownPath } from "./routes/about.ts";
import { labelOf, type Route, type RouteContext, type RouteResponse } from "./routes/route.ts";

/** The options of {@linkcode Dispatcher}. */
export interface DispatcherOptions {
  readonly routes: readonly Route[];
  readonly open: OpenRequests;
  readonly deps: PathDeps;
  /** The memory of requests and answers. */
  readonly memory: InFlightMemory;
  /** Called with an unexpected error, which the caller sees only as `internal_error`. */
  readonly onBug: ((thrown: unknown, requestId: string) => void) | undefined;
}

/** The routes that load balancers may call with any host name. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** Answers requests. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #router: Router<Route>;
  readonly #incoming = new IncomingBodies();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#router = new Router(options.routes);
  }

  /** The error boundary: answers every request, and converts every error into an error body. */
  async answer(
    request: Request,
    record: RequestRecord,
    config: Config,
    listener: ListenerRules,
  ): Promise<RouteResponse> {
    const { open, onBug } = this.#options;
    try {
      const routeResponse = await this.#dispatch(request, record, config, listener);
      return open.isLeaving ? closing(routeResponse) : routeResponse;
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.kind === "internal") onBug?.(error.cause, record.id);
      record.failed(error, config);
      const routeResponse = toErrorResponse(error, record);
      return open.isLeaving ? closing(routeResponse) : routeResponse;
    }
  }

  /** @throws and rejects with whatever the route does. */
  #dispatch(
    request: Request,
    record: RequestRecord,
    config: Config,
    listener: ListenerRules,
  ): RouteResponse | Promise<RouteResponse> {
    const path = record.path = readPath(request);
    const match = this.#router.match(path);
    const [first] = match?.routes ?? [];
    const isMissing = first === undefined || first.exists?.(config, listener, request) === false ||
      !isServed(first, listener);
    if (match === undefined || isMissing) {
      record.route = "unknown";
      this.#checkSender(request, config, listener, undefined);
      throw unknownPath(path, this.#isApiPath);
    }
    const { routes, params } = match;
    record.route = labelOf(first);
    if (first.formatFor !== undefined) record.routeFormat = first.formatFor(request);
    this.#checkSender(request, config, listener, first);
    const isForBrowsers = typeof first.auth === "string";
    if (request.method === "OPTIONS" && config.server.cors.length > 0 && isForBrowsers) {
      return preflight(request, routes.flatMap(methodsOf));
    }
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = routes.find((candidate) =>
      candidate.method === method || candidate.method === "ANY"
    );
    if (route !== undefined) {
      return this.#handle(request, route, record, { config, listener, params });
    }
    throw isOtherApi(path)
      ? unknownPath(path, this.#isApiPath)
      : wrongMethod(request.method, routes);
  }

  /** Checks the key and the load, and calls the route. */
  #handle(
    request: Request,
    route: Route,
    record: RequestRecord,
    found: Pick<RouteContext, "config" | "listener" | "params">,
  ): RouteResponse | Promise<RouteResponse> {
    const { config } = found;
    const { deps, memory, open } = this.#options;
    const { auth, admission } = route;
    const { maxInFlight, maxInFlightBytes } = config.server;
    if (open.isRefusing && admission !== "always") throw shuttingDown();
    const isLimited = admission === "on_arrival" || admission === "after_body";
    if (isLimited) open.checkFree(maxInFlight);
    if (typeof auth === "object") record.audit = { action: auth.admin };
    const key = authorize(auth, request, config, deps.clock.wallTime());
    if (key !== NO_KEY) {
      record.key = key.name;
      record.serviceKey = key;
      record.memory = memory.begin(key.name, maxInFlightBytes);
    }
    if (admission !== "after_body" && admission !== "watch") open.admit(record);
    const admit = () => {
      open.checkFree(maxInFlight);
      open.admit(record);
    };
    const incoming = this.#incoming;
    const context = { ...found, record, key, deps, incoming, admit };
    if (admission !== "always") return route.handle(request, context);
    return open.uncounted(() => route.handle(request, context));
  }

  /** @throws {GatewayError} for a request that a web page may have sent without permission. */
  #checkSender(
    request: Request,
    { server }: Config,
    listener: ListenerRules,
    route: Route | undefined,
  ): void {
    if (route === undefined || !PROBES.has(route.path)) checkHost(request, server, listener);
    if (typeof route?.auth === "object") {
      checkSite(
        request,
        server.cors.filter((origin) => origin !== "*"),
      );
    } else if (route?.admission === "watch" && !server.cors.includes("*")) {
      checkSite(request, server.cors);
    }
  }

  /** Whether this path is an endpoint of the API under `/v1`. */
  readonly #isApiPath = (path: string): boolean => {
    const [route] = this.#router.match(path)?.routes ?? [];
    return route?.auth === "service_key" || route?.auth === "query_key";
  };
}

/** The methods that a route answers. */
function methodsOf({ method }: Route): readonly string[] {
  return method === "ANY" ? PASSTHROUGH_METHODS : [method];
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

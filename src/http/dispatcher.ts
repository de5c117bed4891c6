/** Finds the route of a request, and refuses what pages of other sites may have sent. */

import type { Config } from "../config/config.ts";
import type { ListenerPart, ListenerRules } from "../config/listeners.ts";
import { PASSTHROUGH_METHODS } from "../config/passthrough.ts";
import { preflight } from "./cors.ts";
import { GatewayError } from "../core/errors.ts";
import { checkHost, checkSite } from "./host_check.ts";
import { partOf } from "./listener_routes.ts";
import { readPath } from "./request_target.ts";
import { Router } from "./router.ts";
import { isOtherApi, unknownPath } from "./routes/about.ts";
import { labelOf, type Route, type RouteContext, type RouteResponse } from "./routes/route.ts";
import { formatOf } from "./routes/table.ts";

/** The routes that load balancers may call with any host name. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** A route with what all requests need of it. */
type KnownRoute = Route & { readonly label: string; readonly part: ListenerPart | undefined };

/** The route of a request, and the values of its path's parameters. */
export interface FoundRoute {
  readonly route: Route;
  readonly params: ReadonlyMap<string, string>;
}

/** Finds the routes of requests. */
export class Dispatcher {
  readonly #router: Router<KnownRoute>;

  constructor(routes: readonly Route[]) {
    this.#router = new Router(
      routes.map((route) => ({ ...route, label: labelOf(route), part: partOf(route) })),
    );
  }

  /**
   * Finds the route of a request, or answers the preflight request of a browser.
   *
   * @throws {GatewayError} `route_not_found`, `method_not_allowed`, and for requests that are not
   * meant for the gateway.
   */
  find(
    request: Request,
    { config, listener, record }: Pick<RouteContext, "config" | "listener" | "record">,
  ): FoundRoute | RouteResponse {
    const path = record.path = readPath(request);
    const match = this.#router.match(path);
    const [first] = match?.routes ?? [];
    const isMissing = first === undefined || first.exists?.(config, listener, request) === false ||
      first.part !== undefined && !listener.serves.has(first.part);
    if (match === undefined || isMissing) {
      record.route = "unknown";
      record.routeFormat = formatOf(request);
      this.#checkSender(request, config, listener, undefined);
      throw unknownPath(path, this.#isApiPath);
    }
    const { routes, params } = match;
    record.route = first.label;
    record.routeFormat = first.formatFor?.(request) ?? formatOf(request);
    this.#checkSender(request, config, listener, first);
    if (
      request.method === "OPTIONS" && config.server.cors.length > 0 &&
      typeof first.auth === "string"
    ) {
      return preflight(request, routes.flatMap(methodsOf));
    }
    const method = request.method === "HEAD" ? "GET" : request.method;
    for (const route of routes) {
      if (route.method === method || route.method === "ANY") return { route, params };
    }
    throw isOtherApi(path)
      ? unknownPath(path, this.#isApiPath)
      : wrongMethod(request.method, routes);
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

/**
 * Finds a request's route in a table of methods and path patterns, and rejects requests that pages
 * from other sites may have sent.
 */

import type { ListenerPart, ListenerRules } from "../config/listeners.ts";
import type { ServerSettings } from "../config/server_settings.ts";
import { PASSTHROUGH_METHODS } from "../config/passthrough.ts";
import { preflight } from "./cors.ts";
import { GatewayError } from "../core/errors.ts";
import { checkHost, checkSite } from "./host_check.ts";
import { isOtherApi, unknownPath } from "./routes/other_paths.ts";
import {
  labelOf,
  partOf,
  type Route,
  type RouteContext,
  type RoutePattern,
  type RouteResponse,
} from "./routes/route.ts";
import { formatOf } from "./routes/table.ts";

/** The routes that load balancers may call with any host name. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** A route with precomputed data. */
type KnownRoute = Route & { readonly label: string; readonly part: ListenerPart | undefined };

/** A request's route, and the values of its path parameters. */
export interface FoundRoute {
  readonly route: Route;
  readonly params: ReadonlyMap<string, string>;
}

/** Finds requests' routes. */
export class Dispatcher {
  readonly #router: Router<KnownRoute>;
  /** Caches the last checked name and the rules that accepted it. */
  #known: { host?: string; server?: ServerSettings; listener?: ListenerRules } = {};

  constructor(routes: readonly Route[]) {
    this.#router = new Router(
      routes.map((route) => ({ ...route, label: labelOf(route), part: partOf(route) })),
    );
  }

  /**
   * Finds a request's route, or answers a browser's preflight request.
   *
   * @throws {GatewayError} `route_not_found`, `method_not_allowed`, and for requests that are not
   * meant for the gateway.
   */
  find(
    request: Request,
    { config, listener, record }: Pick<RouteContext, "config" | "listener" | "record">,
  ): FoundRoute | RouteResponse {
    const { server } = config;
    const { hosts = server.hosts, isLocal } = listener;
    // A listener for other machines accepts any host name unless names are configured.
    const hasNames = isLocal || hosts.size > 0;
    const host = request.headers.get("host");
    const path = record.path = readPath(request.url, host);
    const match = this.#router.match(path);
    const first = match?.routes[0];
    if (
      match === undefined || first === undefined ||
      first.exists?.(config, listener, request) === false ||
      first.part !== undefined && !listener.serves.has(first.part)
    ) {
      record.route = "unknown";
      record.routeFormat = formatOf(request);
      if (hasNames) this.#checkHost(request, host, server, listener);
      throw unknownPath(path, this.#isApiPath);
    }
    const { routes, params } = match;
    const { format = formatOf } = first;
    record.route = first.label;
    record.routeFormat = typeof format === "function" ? format(request) : format;
    if (hasNames && !PROBES.has(first.path)) this.#checkHost(request, host, server, listener);
    if (typeof first.auth === "object" || first.admission === "watch") {
      checkSender(request, server, first);
    }
    if (
      request.method === "OPTIONS" && server.cors.length > 0 &&
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

  /** Like {@linkcode checkHost}. Most requests have the same host name as the previous one. */
  #checkHost(
    request: Request,
    host: string | null,
    server: ServerSettings,
    listener: ListenerRules,
  ): void {
    const { host: known, server: knownBy, listener: knownAt } = this.#known;
    if (host === known && server === knownBy && listener === knownAt) return;
    checkHost(request, host, server, listener);
    if (host !== null) this.#known = { host, server, listener };
  }

  /** Whether this path is an API endpoint under `/v1`. */
  readonly #isApiPath = (path: string): boolean => {
    const [route] = this.#router.match(path)?.routes ?? [];
    return route?.auth === "service_key" || route?.auth === "query_key";
  };
}

/** @throws {GatewayError} for a request that another site's page may have sent. */
function checkSender(request: Request, { cors }: ServerSettings, { auth }: Route): void {
  if (typeof auth === "object") {
    checkSite(
      request,
      cors.filter((origin) => origin !== "*"),
    );
  } else if (!cors.includes("*")) checkSite(request, cors);
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

/** A path's routes, and the values of its parameters. */
export interface RouteMatch<Route> {
  readonly routes: readonly Route[];
  /** The values of the parameters, percent-decoded if they are valid. */
  readonly params: ReadonlyMap<string, string>;
}

/** All routes with the same path pattern. */
interface PathEntry<Route> {
  readonly segments: readonly string[];
  readonly routes: Route[];
}

export const NO_PARAMS: ReadonlyMap<string, string> = new Map();

/**
 * Matches paths against a table. A path without parameters takes one lookup.
 * Exported for tests.
 */
export class Router<Route extends RoutePattern> {
  readonly #exact = new Map<string, Route[]>();
  /** The paths with parameters, in table order. */
  readonly #patterns: PathEntry<Route>[] = [];
  /** Caches the last path without parameters. */
  #lastPath: string | undefined;
  #lastMatch: RouteMatch<Route> | undefined;

  constructor(table: readonly Route[]) {
    for (const route of table) {
      if (!route.path.includes("{")) {
        const routes = this.#exact.get(route.path);
        if (routes === undefined) this.#exact.set(route.path, [route]);
        else routes.push(route);
        continue;
      }
      const known = this.#patterns.find(({ routes }) => routes[0]?.path === route.path);
      if (known === undefined) {
        this.#patterns.push({ segments: route.path.split("/"), routes: [route] });
      } else known.routes.push(route);
    }
  }

  /** Returns the routes of a path. One trailing slash is ignored. */
  match(requested: string): RouteMatch<Route> | undefined {
    const path = requested.length > 1 && requested.endsWith("/")
      ? requested.slice(0, -1)
      : requested;
    // Comparing a path takes less time than computing its hash.
    if (path === this.#lastPath) return this.#lastMatch;
    const exact = this.#exact.get(path);
    if (exact !== undefined) {
      this.#lastPath = path;
      return this.#lastMatch = { routes: exact, params: NO_PARAMS };
    }
    for (const { segments, routes } of this.#patterns) {
      const params = capture(segments, path);
      if (params !== undefined) return { routes, params };
    }
    return undefined;
  }
}

/** The values of a pattern's parameters, or undefined when the path does not match. */
function capture(segments: readonly string[], path: string): Map<string, string> | undefined {
  const params = new Map<string, string>();
  let start = 0;
  for (const [index, segment] of segments.entries()) {
    if (start > path.length) return undefined;
    const name = /^\{(\w+)(\.\.\.)?\}$/.exec(segment);
    const takesRest = name?.[2] !== undefined;
    const slash = takesRest ? -1 : path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const value = path.slice(start, end);
    if (name === null ? value !== segment : value === "") return undefined;
    if (name?.[1] !== undefined) params.set(name[1], decoded(value));
    start = end + 1;
    if (index === segments.length - 1 && end !== path.length) return undefined;
  }
  return params;
}

/** Percent-decodes a segment, since some clients encode the `/` and the `@` of a model ID. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The characters of a host and port (RFC 3986, 3.2). None of them ends the authority of a URL. */
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]*$/;

/**
 * The path as the caller sent it. The runtime builds the request's URL from the Host header and the
 * target without a check, so a `/` or `?` in Host would change the path.
 *
 * A request without a Host header is accepted: it uses HTTP/2, for example from a service mesh, or
 * HTTP/1.0. Neither is distinguishable from HTTP/1.1 here, and no browser omits its host. Exported
 * for tests.
 *
 * @throws {GatewayError} `invalid_request` when the Host header is not valid.
 */
export function readPath(url: string, host: string | null): string {
  if (host !== null && !HOST.test(host)) {
    throw new GatewayError("invalid_request", "The Host header is not valid");
  }
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  // The target of a CONNECT request has no path.
  if (slash === -1) return "/";
  const query = url.indexOf("?", slash);
  return query === -1 ? url.slice(slash) : url.slice(slash, query);
}

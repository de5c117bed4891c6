/** The HTTP app: finds the route, checks the key, and is the error boundary of every request. */

import { type AdminAnswer, type AdminCommand, administer } from "../routing/admin.ts";
import { authenticate, authenticateAdmin } from "./authentication.ts";
import type { Config, ServiceKey } from "../config/config.ts";
import { addCors, preflight } from "./cors.ts";
import { shuttingDown } from "../routing/deadline.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { type CallerConnection, Exchange, toErrorRecord } from "../routing/request_record.ts";
import { IncomingBodies } from "./incoming_bodies.ts";
import { addReceipt } from "./receipt_headers.ts";
import type { PathDeps } from "../routing/failover.ts";
import { readPath } from "./request_target.ts";
import { Router } from "./router.ts";
import { unknownPath } from "./routes/about.ts";
import type { GaugeValues, PrintMetrics } from "./routes/metrics.ts";
import { type Draft, json, type Route, type ServerContext } from "./routes/route.ts";
import { ROUTES } from "./routes/table.ts";
import { readTraceId } from "./trace_context.ts";

/** Runs a command of an admin in every thread. */
export type Administer = (command: AdminCommand) => Promise<readonly AdminAnswer[]>;

export interface AppOptions {
  /** The configuration in force; a request keeps the one it began with. */
  readonly config: () => Config;
  /** Why the configuration in force is not the one in the file, if it is not. */
  readonly stale?: () => string | undefined;
  readonly deps: PathDeps;
  /** Writes the body of `/metrics`. */
  readonly printMetrics: PrintMetrics;
  /** Asks every thread what an admin asks; this thread alone unless given. */
  readonly administer?: Administer;
  /** Told of what should not have happened, for our own eyes. */
  readonly onBug?: (thrown: unknown, requestId: string) => void;
}

export interface App {
  /** @param connection what the request came over; it is told when the request is over */
  handle(request: Request, connection?: CallerConnection): Promise<Response>;
  /** The gauges of now. Everything that is queued for the metrics is recorded first. */
  gauges(): GaugeValues;
  /** New work is refused from now on; resolves when the last answer has been made. */
  drain(): Promise<void>;
  /** Ends every answer that is still open, each with a word to its caller. */
  cut(): void;
}

export function createApp(options: AppOptions): App {
  const { deps } = options;
  const { observer } = deps;
  const server = new Server(options);
  return {
    async handle(request, connection) {
      server.enter();
      let unsent = 0;
      const exchange = new Exchange(
        requestIdOf(request, deps),
        request.signal,
        deps.clock.now(),
        (ended) => {
          const at = deps.clock.now();
          observer.ended(ended, at);
          connection?.requestEnded(unsent, at);
          server.leave(ended);
        },
      );
      exchange.connection = connection;
      exchange.method = request.method;
      exchange.traceId = readTraceId(request.headers.get("traceparent"));
      const config = options.config();
      let draft = await server.answer(request, exchange, config);
      if (leavesBody(request, draft)) draft = closing(draft);
      exchange.answered(
        exchange.outcome === "client_gone" ? 499 : draft.status,
        deps.clock.now(),
      );
      if (typeof draft.body === "string") unsent = draft.body.length;
      if (draft.headers.connection === "close") connection?.closeAfterAnswer();
      const response = toResponse(draft, request, exchange, config);
      observer.responded(exchange, request.method);
      if (!exchange.open) exchange.end();
      return response;
    },
    gauges: () => server.gauges(),
    async drain() {
      await server.drain();
      observer.flush();
    },
    cut() {
      deps.shutdown.begin();
      observer.flush();
    },
  };
}

const ROUTER = new Router(ROUTES);

/** The endpoints as `GET /` lists them. */
const ENDPOINTS = ROUTES.filter(({ listed }) => listed !== false)
  .map((route) => `${route.method} ${labelOf(route)}`);

class Server implements ServerContext {
  readonly endpoints = ENDPOINTS;
  readonly printMetrics: PrintMetrics;
  readonly #options: AppOptions;
  #draining = false;
  /** Requests whose answer has not ended. */
  #open = 0;
  /** Those of them whose body has arrived. */
  #inFlight = 0;
  /** Open requests of routes that answer always: they are no load. */
  #uncounted = 0;
  readonly #incoming = new IncomingBodies();
  #whenIdle: (() => void) | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
    this.printMetrics = options.printMetrics;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get stale(): string | undefined {
    return this.#options.stale?.();
  }

  enter(): void {
    this.#open++;
  }

  leave({ admitted }: Exchange): void {
    this.#open--;
    if (admitted) this.#inFlight--;
    if (this.#open === 0) this.#whenIdle?.();
  }

  async drain(): Promise<void> {
    this.#draining = true;
    if (this.#open === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle = resolve);
  }

  /** The error boundary: whatever happens, there is one well-formed answer. */
  async answer(request: Request, exchange: Exchange, config: Config): Promise<Draft> {
    try {
      const draft = await this.#dispatch(request, exchange, config);
      return this.#draining ? closing(draft) : draft;
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.kind === "internal") this.#options.onBug?.(error.cause, exchange.id);
      exchange.outcome = error.kind === "client_gone" || exchange.signal.aborted
        ? "client_gone"
        : "failed";
      exchange.error = toErrorRecord(error);
      const draft = json(error.toBody(), error.headers, error.status);
      return this.#draining ? closing(draft) : draft;
    }
  }

  async #dispatch(request: Request, exchange: Exchange, config: Config): Promise<Draft> {
    const path = exchange.path = readPath(request);
    const match = ROUTER.match(path);
    if (match === undefined) {
      exchange.route = "unknown";
      throw unknownPath(path, isApiPath);
    }
    const { routes, params } = match;
    if (routes[0] !== undefined) exchange.route = labelOf(routes[0]);
    if (request.method === "OPTIONS" && config.server.cors.length > 0) {
      return preflight(request, routes.map((route) => route.method));
    }
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = routes.find((candidate) => candidate.method === method);
    if (route === undefined) throw wrongMethod(request.method, routes);
    if (this.#draining && route.answers !== "always") throw shuttingDown();
    const isBusy = this.#inFlight >= config.server.maxInFlight;
    if (isBusy && route.answers === undefined) throw tooMany();
    const key = authorize(route, request, config);
    if (key !== NOBODY) exchange.key = key.name;
    if (!route.readsBody) this.#admit(exchange);
    const { deps } = this.#options;
    const admit = () => {
      if (this.#inFlight >= config.server.maxInFlight) throw tooMany();
      this.#admit(exchange);
    };
    const incoming = this.#incoming;
    const context = { config, exchange, key, params, server: this, deps, incoming, admit };
    if (route.answers !== "always") return await route.handle(request, context);
    this.#uncounted++;
    try {
      return await route.handle(request, context);
    } finally {
      this.#uncounted--;
    }
  }

  #admit(exchange: Exchange): void {
    exchange.admitted = true;
    this.#inFlight++;
  }

  gauges(): GaugeValues {
    const { stale, deps: { clock, observer, state } } = this.#options;
    observer.flush();
    return {
      inFlight: this.#open - this.#uncounted,
      breakers: state.breakers(clock.now()),
      rejections: state.rejections(clock.now()),
      stale: stale?.() !== undefined,
    };
  }

  async administer(command: AdminCommand): Promise<readonly AdminAnswer[]> {
    const { administer: ask, config, deps: { clock, state } } = this.#options;
    if (ask !== undefined) return await ask(command);
    return [{ worker: 1, result: administer(command, config(), state, clock.now()) }];
  }
}

/** A route's path as logs and metrics name it. */
function labelOf({ path }: Route): string {
  return path.replace("...}", "}");
}

/** Checks the key that a route wants. */
function authorize({ auth }: Route, request: Request, config: Config): ServiceKey {
  switch (auth) {
    case "none":
      return NOBODY;
    case "metrics":
      return config.server.publicMetrics ? NOBODY : authenticate(request, config);
    case "service_key":
      return authenticate(request, config);
    case "admin_key":
      return authenticateAdmin(request, config);
  }
}

function tooMany(): GatewayError {
  return new GatewayError("overloaded", "The gateway has too many requests in flight", {
    headers: { "retry-after": "1" },
  });
}

/** A draining gateway keeps no connection open for more. */
function closing(draft: Draft): Draft {
  return { ...draft, headers: { ...draft.headers, connection: "close" } };
}

/** Whether a request was refused with its body unread, which would come before the next request. */
function leavesBody(request: Request, { status }: Draft): boolean {
  return status >= 400 && request.method !== "GET" && request.method !== "HEAD" &&
    !request.bodyUsed;
}

const NOBODY: ServiceKey = { name: "", models: undefined };
/** Whether the API has this path, below `/v1`. */
function isApiPath(path: string): boolean {
  const [route] = ROUTER.match(path)?.routes ?? [];
  return route?.auth === "service_key";
}

/** The caller's own id if it is 1 to 128 printable ASCII characters, else a new one. */
function requestIdOf(request: Request, deps: PathDeps): string {
  const own = request.headers.get("x-request-id");
  return own !== null && /^[\x20-\x7e]{1,128}$/.test(own) ? own : deps.newId("req_");
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

function toResponse(
  draft: Draft,
  request: Request,
  exchange: Exchange,
  config: Config,
): Response {
  const headers = { ...draft.headers };
  addReceipt(headers, exchange);
  addCors(headers, request, config.server.cors);
  if (request.method !== "HEAD") return new Response(draft.body, { status: draft.status, headers });
  const length = typeof draft.body === "string" ? new TextEncoder().encode(draft.body).length : 0;
  return new Response(null, {
    status: draft.status,
    headers: { ...headers, "content-length": String(length) },
  });
}

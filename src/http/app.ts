/** The HTTP edge: routes, caller authentication, request ids, the error boundary, the log. */

import type { AccessLog } from "../telemetry/access_log.ts";
import { type AdminAnswer, type AdminCommand, administer } from "../routing/admin.ts";
import { authenticate, authenticateAdmin } from "./authentication.ts";
import type { Config, ServiceKey } from "../config/config.ts";
import { addCors, preflight } from "./cors.ts";
import { shuttingDown } from "../routing/deadline.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { type CallerConnection, Exchange, toErrorRecord } from "../routing/request_record.ts";
import { IncomingBodies } from "./incoming_bodies.ts";
import type { Reading } from "../telemetry/metrics.ts";
import type { Figures } from "../telemetry/aggregate_metrics.ts";
import { Ledger } from "../telemetry/record_queue.ts";
import { addReceipt } from "./receipt_headers.ts";
import { about, unknownPath } from "./routes/about.ts";
import { type Administer, matchAdmin } from "./routes/admin.ts";
import { readPath } from "./request_target.ts";
import { chatCompletions } from "./routes/chat_completions.ts";
import { healthz, readyz } from "./routes/health.ts";
import { printMetrics } from "./routes/metrics.ts";
import { listModels, retrieveModel } from "./routes/models.ts";
import { listProviders } from "./routes/providers.ts";
import { type Draft, json, type Route, type RouteContext } from "./routes/route.ts";
import type { PathDeps } from "../telemetry/tracing.ts";
import { readTraceId } from "./trace_context.ts";

export interface AppOptions {
  /** The configuration in force; a request keeps the one it began with. */
  readonly config: () => Config;
  /** Why the configuration in force is not the one in the file, if it is not. */
  readonly stale?: () => string | undefined;
  readonly deps: PathDeps;
  readonly log: AccessLog;
  /** The most milliseconds that the log and the metrics are behind; none unless given. */
  readonly lag?: number;
  /** The text of `/metrics`, where other threads have a part in it. */
  readonly gather?: () => Promise<string>;
  /** Asks every thread what an admin asks; this thread alone unless given. */
  readonly administer?: Administer;
  /** Told of what should not have happened, for our own eyes. */
  readonly onBug?: (thrown: unknown, requestId: string) => void;
}

export interface App {
  /** @param connection what the request came over; it is told when the request is over */
  handle(request: Request, connection?: CallerConnection): Promise<Response>;
  /** What `/metrics` would say of this app alone. */
  read(): Promise<Figures>;
  /** New work is refused from now on; resolves when the last answer has been made. */
  drain(): Promise<void>;
  /** Ends every answer that is still open, each with a word to its caller. */
  cut(): void;
}

export function createApp(options: AppOptions): App {
  const { deps, log, lag = 0 } = options;
  const ledger = new Ledger(deps.clock, lag, (ended) => {
    for (const { exchange, at } of ended) deps.metrics.record(exchange, at);
    try {
      log.record(ended);
    } catch (thrown) {
      // Whoever read the log is gone; callers need not care.
      options.onBug?.(thrown, "the access log");
    }
  });
  const server = new Server(options, ledger);
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
          ledger.add({ exchange: ended, at, time: deps.clock.wallTime() });
          deps.telemetry?.ended(ended, at);
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
      deps.telemetry?.routed(exchange, request.method);
      if (!exchange.open) exchange.end();
      return response;
    },
    read: () => deps.metrics.read(server.reading()),
    async drain() {
      await server.drain();
      ledger.flush();
    },
    cut() {
      deps.shutdown.begin();
      ledger.flush();
    },
  };
}

class Server {
  readonly #options: AppOptions;
  readonly #ledger: Ledger;
  #draining = false;
  /** Requests whose answer has not ended. */
  #open = 0;
  /** Those of them whose body has arrived. */
  #inFlight = 0;
  readonly #incoming = new IncomingBodies();
  /** Those of them that ask for the metrics. */
  #watching = 0;
  #whenIdle: (() => void) | undefined;
  /** Routes that tell of the server itself. */
  readonly #own: ReadonlyMap<string, readonly Route[]>;

  constructor(options: AppOptions, ledger: Ledger) {
    this.#options = options;
    this.#ledger = ledger;
    const routes: readonly Route[] = [
      { label: "/readyz", ...OPEN, handle: () => readyz(this.#draining, options.stale?.()) },
      { label: "/metrics", ...OPEN, handle: (...asked) => this.#metrics(...asked) },
    ];
    const all = [...[...ROUTES.values()].flat(), ONE_MODEL, ...routes];
    const endpoints = all.map(({ method, label }) => `${method} ${label}`);
    const index: Route = { label: "/", ...OPEN, handle: () => about(endpoints) };
    this.#own = new Map([
      ...routes.map((route): [string, Route[]] => [route.label, [route]]),
      // The slash at the end of a path is cut.
      ["", [index]],
      ["/v1", [index]],
    ]);
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
    const routes = this.#match(path);
    exchange.route = routes[0]?.label ?? "unknown";
    if (routes.length === 0) throw unknownPath(path, isApiPath);
    if (request.method === "OPTIONS" && config.server.cors.length > 0) {
      return preflight(request, routes.map((route) => route.method));
    }
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = routes.find((candidate) => candidate.method === method);
    if (route === undefined) throw wrongMethod(request.method, routes);
    if (this.#draining && !route.open) throw shuttingDown();
    const isBusy = this.#inFlight >= config.server.maxInFlight;
    if (isBusy && !route.open && !route.admin) throw tooMany();
    const key = route.open
      ? NOBODY
      : route.admin
      ? authenticateAdmin(request, config)
      : authenticate(request, config);
    if (!route.open) exchange.key = key.name;
    if (!route.readsBody) this.#admit(exchange);
    const { deps } = this.#options;
    const admit = () => {
      if (this.#inFlight >= config.server.maxInFlight) throw tooMany();
      this.#admit(exchange);
    };
    const incoming = this.#incoming;
    return await route.handle(request, { config, exchange, key, deps, incoming, admit });
  }

  #admit(exchange: Exchange): void {
    exchange.admitted = true;
    this.#inFlight++;
  }

  /** The figures of now, with every request that has ended. */
  reading(): Reading {
    this.#ledger.flush();
    const { stale, deps: { clock, state } } = this.#options;
    return {
      // Whoever asks is no load.
      inFlight: this.#open - this.#watching,
      breakers: state.breakers(clock.now()),
      rejections: state.rejections(clock.now()),
      stale: stale?.() !== undefined,
    };
  }

  /** Answers whatever the load is, but not to everyone. */
  async #metrics(request: Request, context: RouteContext): Promise<Draft> {
    if (!context.config.server.publicMetrics) {
      context.exchange.key = authenticate(request, context.config).name;
    }
    const { gather, deps: { metrics } } = this.#options;
    this.#watching++;
    try {
      return await printMetrics(gather ?? (() => metrics.print(this.reading())), context);
    } finally {
      this.#watching--;
    }
  }

  /** Every route of a path: none for a path that we do not know. */
  #match(asked: string): readonly Route[] {
    // One slash too many at the end is forgiven.
    const path = asked.endsWith("/") ? asked.slice(0, -1) : asked;
    const known = ROUTES.get(path);
    if (known !== undefined) return known;
    const own = this.#own.get(path);
    if (own !== undefined) return own;
    if (path.startsWith(MODEL_PATH) && path.length > MODEL_PATH.length) return [ONE_MODEL];
    return matchAdmin(path, (command) => this.#administer(command));
  }

  async #administer(command: AdminCommand): Promise<readonly AdminAnswer[]> {
    const { administer: ask, config, deps: { clock, state } } = this.#options;
    if (ask !== undefined) return await ask(command);
    return [{ worker: 1, result: administer(command, config(), state, clock.now()) }];
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
const MODEL_PATH = "/v1/models/";

const OPEN = { method: "GET", open: true } as const;

const ONE_MODEL: Route = {
  label: "/v1/models/{model_id}",
  method: "GET",
  handle: (request, context) => retrieveModel(modelIdOf(request), context),
};

const ROUTES: ReadonlyMap<string, readonly Route[]> = new Map(
  ([
    {
      label: "/v1/chat/completions",
      method: "POST",
      readsBody: true,
      handle: chatCompletions,
    },
    { label: "/v1/models", method: "GET", handle: (_, context) => listModels(context) },
    { label: "/v1/providers", method: "GET", handle: (_, context) => listProviders(context) },
    { label: "/healthz", method: "GET", open: true, handle: () => healthz() },
  ] as const satisfies readonly Route[]).map((route) => [route.label, [route]]),
);

/** Whether the API has this path, below `/v1`. */
function isApiPath(path: string): boolean {
  return ROUTES.has(path) || path.startsWith(MODEL_PATH);
}

/** The caller's own id if it is 1 to 128 printable ASCII characters, else a new one. */
function requestIdOf(request: Request, deps: PathDeps): string {
  const own = request.headers.get("x-request-id");
  return own !== null && /^[\x20-\x7e]{1,128}$/.test(own) ? own : deps.newId("req_");
}

/** Clients percent-encode the slashes and `@` of a model ID, or do not. */
function modelIdOf(request: Request): string {
  const raw = readPath(request).slice(MODEL_PATH.length);
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
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

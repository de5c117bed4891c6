/** One request to the app, from its arrival to its response. */

import type { Config } from "../config/config.ts";
import type { ListenerRules } from "../config/listeners.ts";
import { sortableTime } from "../core/ids.ts";
import type { InFlightMemory } from "../core/in_flight_memory.ts";
import type { ListEntry } from "../core/collections.ts";
import { toGatewayError } from "../core/errors.ts";
import { type CallerConnection, RequestRecord } from "../gateway/request_record.ts";
import { authenticate, NOBODY } from "../identity/authenticate.ts";
import type { IdentityScheme, Principal } from "../identity/principal.ts";
import { readTraceId } from "./caller_labels.ts";
import type { IncomingBodies, OpenRequests } from "./open_requests.ts";
import { type BodyReceiver, type JsonRequest, receiveJson } from "./request_body.ts";
import {
  closing,
  hasUnreadBody,
  isLargeBody,
  toErrorResponse,
  toResponse,
  withLargeBody,
} from "./response.ts";
import { type Dispatcher, NO_PARAMS } from "./router.ts";
import { answerBody } from "./routes/model_routes.ts";
import type { Route, RouteContext, RouteResponse } from "./routes/route.ts";
import { DEFAULT_FORMAT, formatOf } from "./routes/table.ts";
import type { PathDeps } from "../gateway/attempt.ts";
import { NO_OPTIONS } from "../gateway/operation.ts";

/** The dependencies shared by all requests. */
export interface ExchangeDeps {
  readonly deps: PathDeps;
  readonly dispatcher: Dispatcher;
  readonly open: OpenRequests;
  /** The bodies of all requests that are being received. */
  readonly incoming: IncomingBodies;
  /** The memory for requests and answers. */
  readonly memory: InFlightMemory;
  /** The authentication schemes; undefined for the built-in ones. */
  readonly schemes: readonly IdentityScheme[] | undefined;
  /** Called with an unexpected error, which the caller sees only as `internal_error`. */
  readonly onBug: ((thrown: unknown, requestId: string) => void) | undefined;
}

/**
 * Answers one request, and is its error boundary: every failure becomes an error body. Also the
 * context for its route.
 */
export class Exchange implements RouteContext, BodyReceiver {
  readonly config: Config;
  readonly listener: ListenerRules;
  readonly record: RequestRecord;
  readonly deps: PathDeps;
  readonly open: OpenRequests;
  readonly incoming: IncomingBodies;
  principal = NOBODY;
  options = NO_OPTIONS;
  params: ReadonlyMap<string, string> = NO_PARAMS;
  readonly #app: ExchangeDeps;
  readonly #request: Request;
  readonly #connection: CallerConnection | undefined;
  readonly #entry: ListEntry<RequestRecord>;
  readonly #response = Promise.withResolvers<Response>();
  #route: Route | undefined;
  /** When the response was complete, if it was not streamed. */
  #endedAt: number | undefined;
  /** The number of response characters that may be unsent when the request ends. */
  #unsent = 0;

  constructor(
    request: Request,
    connection: CallerConnection | undefined,
    listener: ListenerRules,
    config: Config,
    app: ExchangeDeps,
  ) {
    const { deps, incoming, open } = app;
    this.#app = app;
    this.#request = request;
    this.#connection = connection;
    this.config = config;
    this.listener = listener;
    this.deps = deps;
    this.open = open;
    this.incoming = incoming;
    const record = this.record = new RequestRecord(
      requestIdOf(request, deps),
      request.signal,
      deps.clock.now(),
      DEFAULT_FORMAT,
      this.#ended,
    );
    record.connection = connection;
    record.method = request.method;
    const trace = request.headers.get("traceparent");
    if (trace !== null) record.traceId = readTraceId(trace);
    this.#entry = open.enter(record);
  }

  /** Answers the request. It is called once. */
  answer(): Promise<Response> {
    const request = this.#request;
    try {
      const { dispatcher, schemes } = this.#app;
      const found = dispatcher.find(request, this);
      if ("status" in found) this.#respond(found);
      else {
        const { route, params } = found;
        const { auth, admission } = route;
        this.#route = route;
        this.params = params;
        this.open.check(admission, this.config.server.max_in_flight);
        if (typeof auth === "object") this.record.audit = { action: auth.admin };
        const caller = authenticate(auth, request, this, schemes);
        if (!(caller instanceof Promise)) this.#enter(caller, route);
        else caller.then((late) => this.#enter(late, route)).catch(this.#onFailure);
      }
    } catch (thrown) {
      this.onError(thrown);
    }
    return this.#response.promise;
  }

  /** Calls the route for an authenticated caller. */
  #enter(principal: Principal, route: Route): void {
    const { config, open, record } = this;
    const { admission, handle } = route;
    const request = this.#request;
    const { key } = principal;
    this.principal = principal;
    if (principal !== NOBODY) {
      record.key = key.name;
      record.serviceKey = key;
      record.mayHold(this.#app.memory, config.server.max_in_flight_bytes);
    }
    if (admission !== "after_body" && admission !== "watch") open.admit(record, Infinity);
    if (handle === undefined) receiveJson(request, config.server.bodies, this, this);
    else if (admission !== "always") this.#settle(handle(request, this));
    else this.#settle(open.uncounted(() => handle(request, this)));
  }

  onBody(body: JsonRequest): void {
    try {
      const read = this.#route?.read;
      if (read === undefined) throw new TypeError("The route accepts no body");
      this.#settle(answerBody(body, this.#request, this, read));
    } catch (thrown) {
      this.onError(thrown);
    }
  }

  formatHeaders(names: readonly string[]): ReadonlyMap<string, string> {
    const { headers } = this.#request;
    return new Map(names.flatMap((name) => {
      const value = headers.get(name) ?? "";
      return /^[\x21-\x7e ]{1,4096}$/.test(value) ? [[name, value] as const] : [];
    }));
  }

  noteEstimate(): void {
    this.record.isCountEstimated = true;
  }

  onError(thrown: unknown): void {
    const { config, record } = this;
    const error = toGatewayError(thrown);
    if (record.route === "") record.routeFormat = formatOf(this.#request);
    if (error.kind === "internal") this.#app.onBug?.(error.cause, record.id);
    record.failed(error, config);
    this.#respond(toErrorResponse(error, record));
  }

  #settle(answering: RouteResponse | Promise<RouteResponse>): void {
    if (answering instanceof Promise) answering.then(this.#respond, this.#onFailure);
    else this.#respond(answering);
  }

  readonly #onFailure = (thrown: unknown): void => this.onError(thrown);

  readonly #respond = (answered: RouteResponse): void => {
    try {
      const { config, deps, record } = this;
      const { clock, observer } = deps;
      const request = this.#request;
      const connection = this.#connection;
      const isClosing = this.open.isLeaving || connection?.isMoving === true ||
        answered.status >= 400 && hasUnreadBody(request);
      let routeResponse = isClosing ? closing(answered) : answered;
      const now = clock.now();
      record.answered(record.outcome === "client_gone" ? 499 : routeResponse.status, now);
      const { body, upgraded } = routeResponse;
      if (upgraded !== undefined) return this.#response.resolve(upgraded);
      if (typeof body === "string") this.#unsent = body.length;
      if (isLargeBody(body) && request.method !== "HEAD") {
        routeResponse = withLargeBody(routeResponse, body, {
          clock,
          writeTimeout: config.server.write_timeout,
          onUnread: () => connection?.closeUnread(),
        });
      }
      if (routeResponse.headers.connection === "close") connection?.closeAfterAnswer();
      const response = toResponse(routeResponse, request, record, config, deps);
      observer.responded?.(record, request.method);
      if (!record.open) {
        this.#endedAt = now;
        record.end();
      }
      this.#response.resolve(response);
    } catch (thrown) {
      this.#response.reject(thrown);
    }
  };

  readonly #ended = (record: RequestRecord): void => {
    const { clock, observer, state } = this.deps;
    const at = this.#endedAt ?? clock.now();
    observer.ended(record, at);
    this.#connection?.requestEnded(this.#unsent, at);
    state.onRequestEnded?.(record);
    this.open.leave(this.#entry);
  };
}

/** The caller's `x-request-id` if it is 1 to 128 printable ASCII characters, otherwise a new ID. */
function requestIdOf(request: Request, deps: PathDeps): string {
  const callerId = request.headers.get("x-request-id");
  if (callerId !== null && /^[\x20-\x7e]{1,128}$/.test(callerId)) return callerId;
  return deps.newId(`req_${sortableTime(deps.clock.wallTime())}`);
}

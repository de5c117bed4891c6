/** The HTTP app of one process or worker: from the arrival of a request to its response. */

import { type CallerConnection, RequestRecord } from "../routing/request_record.ts";
import { type AppOptions, Dispatcher } from "./dispatcher.ts";
import { isLargeBody, withLargeBody } from "./large_body.ts";
import { closing, hasUnreadBody, toResponse } from "./response.ts";
import type { Load } from "../routing/admin.ts";
import type { PathDeps } from "../routing/failover.ts";
import type { GaugeValues } from "./routes/metrics.ts";
import { formatOf } from "./routes/table.ts";
import { readTraceId } from "./trace_context.ts";

/** The HTTP application of one process or worker. */
export interface App {
  /** Answers a request. `connection` is notified when the request has ended. */
  handle(request: Request, connection?: CallerConnection): Promise<Response>;
  /** The current values of the gauges. Queued requests are recorded first. */
  gauges(): GaugeValues;
  /** The requests to models. */
  load(): Load;
  /** Refuses new requests; resolves when the last answer has ended. */
  drain(): Promise<void>;
  /** Ends every open answer with an error. */
  abort(): void;
}

/** Creates the HTTP application. */
export function createApp(options: AppOptions): App {
  const { deps } = options;
  const { observer } = deps;
  const dispatcher = new Dispatcher(options);
  return {
    async handle(request, connection) {
      let unsent = 0;
      const record = new RequestRecord(
        requestIdOf(request, deps),
        request.signal,
        deps.clock.now(),
        formatOf(request),
        (ended) => {
          const at = deps.clock.now();
          observer.ended(ended, at);
          connection?.requestEnded(unsent, at);
          dispatcher.leave(entry);
        },
      );
      const entry = dispatcher.enter(record);
      record.connection = connection;
      record.method = request.method;
      record.traceId = readTraceId(request.headers.get("traceparent"));
      const config = options.config();
      let routeResponse = await dispatcher.answer(request, record, config);
      if (connection?.isMoving || hasUnreadBody(request, routeResponse)) {
        routeResponse = closing(routeResponse);
      }
      record.answered(
        record.outcome === "client_gone" ? 499 : routeResponse.status,
        deps.clock.now(),
      );
      const { body } = routeResponse;
      if (typeof body === "string") unsent = body.length;
      if (isLargeBody(body) && request.method !== "HEAD") {
        routeResponse = withLargeBody(routeResponse, body, {
          clock: deps.clock,
          writeTimeout: config.server.writeTimeout,
          onUnread: () => connection?.closeUnread(),
        });
      }
      if (routeResponse.headers.connection === "close") connection?.closeAfterAnswer();
      const response = toResponse(routeResponse, request, record, config, deps.clock);
      observer.responded(record, request.method);
      if (!record.open) record.end();
      return response;
    },
    gauges: () => dispatcher.gauges(),
    load: () => dispatcher.load(),
    async drain() {
      await dispatcher.drain();
      observer.flush();
    },
    abort() {
      deps.shutdown.begin();
      observer.flush();
    },
  };
}

/** The caller's `x-request-id` if it is 1 to 128 printable ASCII characters, else a new ID. */
function requestIdOf(request: Request, deps: PathDeps): string {
  const callerId = request.headers.get("x-request-id");
  return callerId !== null && /^[\x20-\x7e]{1,128}$/.test(callerId) ? callerId : deps.newId("req_");
}

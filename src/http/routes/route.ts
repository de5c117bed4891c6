/** The interface of a route: its table row, its context, and its response. */

import type { CallerFormat } from "../../apis/chat/caller_format.ts";
import type { Config } from "../../config/config.ts";
import { LISTENER_PARTS, type ListenerPart, type ListenerRules } from "../../config/listeners.ts";
import type { GatewayRequest, ParsedRequest } from "../../gateway/parsed_request.ts";
import type { ReadContext } from "../../gateway/operation_kind.ts";
import type { AuthPolicy } from "../../identity/authenticate.ts";
import type { Admission, IncomingBodies, OpenRequests } from "../open_requests.ts";
import type { RequestOptions } from "../../gateway/operation.ts";

/** The method and the path of a route. */
export interface RoutePattern {
  readonly method: string;
  /**
   * A path of literal segments and parameters. `{name}` matches one segment; `{name...}`, as the
   * last segment, matches one or more.
   */
  readonly path: string;
}

/** Handles a request to a route. */
export type Handler = (
  request: Request,
  context: RouteContext,
) => RouteResponse | Promise<RouteResponse>;

/** One row in the route table. */
export type Route =
  & RouteRow
  & ({ readonly handle: Handler; readonly read?: undefined } | {
    readonly handle?: undefined;
    /**
     * Reads the JSON of a model request.
     *
     * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
     */
    read(body: unknown, context: RouteContext): ParsedRequest;
  });

/** A row without its handler. */
interface RouteRow extends RoutePattern {
  /** `ANY` stands for every method that the pass-through supports. */
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "ANY";
  readonly auth: AuthPolicy;
  readonly admission: Admission;
  /** The format that the caller uses. Default: the format that the request's headers indicate. */
  readonly format?: CallerFormat | ((request: Request) => CallerFormat);
  /** The route whose API description applies. Default: this one. */
  readonly describedAs?: string;
  /** Whether `GET /` lists the route. Default: true, except for admin routes. */
  readonly listed?: boolean;
  /** Whether the route exists for a configuration, a listener and a request. Default: always. */
  readonly exists?: (config: Config, listener: ListenerRules, request: Request) => boolean;
}

/** The label of a route in logs and metrics. */
export function labelOf({ path }: Route): string {
  return path.replace("...}", "}");
}

/** The context for a route's handler, besides the request. */
export interface RouteContext extends GatewayRequest, ReadContext {
  /** The listener that accepted the connection. */
  readonly listener: ListenerRules;
  /** The path parameters' values, by name. */
  readonly params: ReadonlyMap<string, string>;
  /** All open requests in this app. */
  readonly open: OpenRequests;
  /** The bodies of all requests that are being received. */
  readonly incoming: IncomingBodies;
  /** Set by routes that call models. */
  options: RequestOptions;
}

/** A route's response. The app adds more headers. */
export interface RouteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body:
    | string
    | Uint8Array<ArrayBuffer>
    /** Pieces that the app sends one by one. */
    | readonly Uint8Array<ArrayBuffer>[]
    | ReadableStream<Uint8Array<ArrayBuffer>>
    | null;
  /** The runtime's response to a request that became a WebSocket. It is sent unchanged. */
  readonly upgraded?: Response;
}

/** Creates a JSON response. */
export function json(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): RouteResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** The rules of a listener that serves everything, for the host names in `server.hosts`. */
export function serveAllParts(isLocal: boolean): ListenerRules {
  return { serves: new Set(LISTENER_PARTS), hosts: undefined, host: undefined, isLocal };
}

/** Whether a listener serves a route. */
export function isServed(route: Route, { serves }: ListenerRules): boolean {
  const part = partOf(route);
  return part === undefined || serves.has(part);
}

/** The part that a route belongs to; undefined for routes that every listener serves. */
export function partOf({ auth, path }: Route): ListenerPart | undefined {
  if (typeof auth === "object") return "admin";
  if (auth === "metrics") return "metrics";
  if (path.startsWith("/console/")) return "console";
  // `GET /` describes the routes, or shows the console if the listener serves it.
  return auth === "none" ? undefined : "api";
}

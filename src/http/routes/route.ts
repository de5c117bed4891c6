/** What every route is given, and what it gives back. */

import type { Config, ServiceKey } from "../../config/config.ts";
import type { AdminAnswer, AdminCommand } from "../../routing/admin.ts";
import type { PathDeps } from "../../routing/failover.ts";
import type { Exchange } from "../../routing/request_record.ts";
import type { IncomingBodies } from "../incoming_bodies.ts";
import type { RoutePattern } from "../router.ts";
import type { GaugeValues, PrintMetrics } from "./metrics.ts";

/** Who may call a route. */
export type AuthPolicy =
  /** Anyone. */
  | "none"
  | "service_key"
  /** Holders of a service key, or anyone when `server.metrics` is `public`. */
  | "metrics"
  | "admin_key";

/** One row of the table of routes. */
export interface Route extends RoutePattern {
  readonly method: "GET" | "POST";
  readonly auth: AuthPolicy;
  /** When it answers although other work is refused. */
  readonly answers?: "always" | "when busy";
  /** False for a route that `GET /` does not list. */
  readonly listed?: boolean;
  /** Reads a body, and admits the request itself once it has arrived. */
  readonly readsBody?: boolean;
  readonly handle: (request: Request, context: RouteContext) => Draft | Promise<Draft>;
}

/** What a route can ask of the server that it belongs to. */
export interface ServerContext {
  readonly draining: boolean;
  /** Why an older configuration is in force than the one in the file, if so. */
  readonly stale: string | undefined;
  /** The endpoints as `GET /` lists them. */
  readonly endpoints: readonly string[];
  readonly printMetrics: PrintMetrics;
  gauges(): GaugeValues;
  /** Runs a command of an admin in every thread. */
  administer(command: AdminCommand): Promise<readonly AdminAnswer[]>;
}

export interface RouteContext {
  /** The configuration that this request began with. */
  readonly config: Config;
  readonly exchange: Exchange;
  readonly key: ServiceKey;
  /** What the path pattern captured, by name. */
  readonly params: ReadonlyMap<string, string>;
  readonly server: ServerContext;
  readonly deps: PathDeps;
  /** The bodies that are arriving now, of all requests. */
  readonly incoming: IncomingBodies;
  /**
   * The request is complete: from now on it counts for `server.max_in_flight`.
   *
   * @throws {GatewayError} `overloaded` when there are too many.
   */
  readonly admit: () => void;
}

/** A response that is not built yet: the app adds its headers first. */
export interface Draft {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

export function json(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Draft {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

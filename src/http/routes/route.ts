/** What every route is given, and what it gives back. */

import type { Config, ServiceKey } from "../../config/config.ts";
import type { Exchange } from "../../routing/request_record.ts";
import type { IncomingBodies } from "../incoming_bodies.ts";
import type { PathDeps } from "../../telemetry/tracing.ts";

/** One path of the interface, with what it takes. */
export interface Route {
  readonly label: string;
  readonly method: "GET" | "POST";
  /** Open to anyone, at any time. */
  readonly open?: boolean;
  /** Open to admin keys alone, however busy the gateway is. */
  readonly admin?: boolean;
  /** Reads a body, and admits the request itself once it has arrived. */
  readonly readsBody?: boolean;
  readonly handle: (request: Request, context: RouteContext) => Draft | Promise<Draft>;
}

export interface RouteContext {
  /** The configuration that this request began with. */
  readonly config: Config;
  readonly exchange: Exchange;
  readonly key: ServiceKey;
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

/** A response that is not built yet: the edge adds its headers first. */
export interface Draft {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array<ArrayBuffer>> | null;
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

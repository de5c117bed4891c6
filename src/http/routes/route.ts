/** The contract of a route: its row in the table, its context, and its response. */

import type { CallerFormat } from "../../chat/caller_format.ts";
import type { Config, ServiceKey } from "../../config/config.ts";
import type { StaleConfig } from "../../config/stale_config.ts";
import type { RunKeyCall } from "../../governance/keys/key_calls.ts";
import type {
  RequestPage,
  RequestQuery,
  UsageQuery,
  UsageSummary,
} from "../../governance/ledger/usage_store.ts";
import type { AdminAnswer, AdminCommand } from "../../routing/admin.ts";
import type { PathDeps } from "../../routing/failover.ts";
import type { RequestRecord } from "../../routing/request_record.ts";
import type { Watcher } from "../console/live_feed.ts";
import type { IncomingBodies } from "../incoming_bodies.ts";
import type { RoutePattern } from "../router.ts";
import type { GaugeValues, PrintMetrics } from "./metrics.ts";

/** Who may call a route. */
export type AuthPolicy =
  /** No key. */
  | "none"
  | "service_key"
  /** A service key; no key when `server.metrics` is `public`. */
  | "metrics"
  | "admin_key";

/** One row of the table of routes. */
export interface Route extends RoutePattern {
  /** `ANY` stands for every method of the pass-through. */
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "ANY";
  readonly auth: AuthPolicy;
  /** The format that the caller uses. Default: the format that the request's headers indicate. */
  readonly formatFor?: (request: Request) => CallerFormat;
  /** `always`: also while draining. `when busy`: also when too many requests are in flight. */
  readonly answers?: "always" | "when busy";
  /** What an admin does with it, for the log. */
  readonly action?: string;
  /** Whether `GET /` lists the route. Default: true. */
  readonly listed?: boolean;
  /** True for a route that exists only while the console is enabled. */
  readonly ofConsole?: boolean;
  /** True for a stream of the gateway's state, which is no load. */
  readonly watches?: boolean;
  /** True for a route that reads a body. It calls {@linkcode RouteContext.admit} after that. */
  readonly readsBody?: boolean;
  readonly handle: (
    request: Request,
    context: RouteContext,
  ) => RouteResponse | Promise<RouteResponse>;
}

/** What a route can use of the server. */
export interface ServerContext {
  readonly draining: boolean;
  /** Why the current configuration is older than the file, if it is. */
  readonly stale: StaleConfig | undefined;
  /** The list of endpoints in the answer of `GET /`. */
  readonly endpoints: readonly string[];
  readonly printMetrics: PrintMetrics;
  gauges(): GaugeValues;
  /** Sends the state of the gateway until the returned function is called. */
  watchLive(watcher: Watcher): () => void;
  /** Checks the key of a request again: it may have been revoked. */
  authorize(request: Request, config: Config, auth: AuthPolicy): ServiceKey;
  /** Whether the console is enabled. */
  hasConsole(config: Config): boolean;
  /** Summarizes the usage of all workers. */
  summarizeUsage(query: UsageQuery): Promise<readonly UsageSummary[]>;
  /** Lists single requests of all workers. */
  listRequests(query: RequestQuery): Promise<RequestPage>;
  /** Runs an admin's call on the keys of the store. */
  readonly runKeyCall: RunKeyCall;
  /** Runs an admin command in every worker. */
  administer(command: AdminCommand): Promise<readonly AdminAnswer[]>;
}

/** What the handler of a route gets besides the request. */
export interface RouteContext {
  /** The configuration that this request began with. */
  readonly config: Config;
  readonly record: RequestRecord;
  readonly key: ServiceKey;
  /** The values of the path's parameters, by name. */
  readonly params: ReadonlyMap<string, string>;
  readonly server: ServerContext;
  readonly deps: PathDeps;
  /** The bodies of all requests that are being received. */
  readonly incoming: IncomingBodies;
  /**
   * Admits the request after its body has arrived. It then counts against `server.max_in_flight`.
   *
   * @throws {GatewayError} `overloaded` when too many requests are in flight.
   */
  readonly admit: () => void;
}

/** The response of a route. The app adds further headers. */
export interface RouteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body:
    | string
    | Uint8Array<ArrayBuffer>
    /** Pieces, which the app sends one by one. */
    | readonly Uint8Array<ArrayBuffer>[]
    | ReadableStream<Uint8Array<ArrayBuffer>>
    | null;
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

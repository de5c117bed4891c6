/** Provider members in config.yaml that control how its connections are made and used. */

import * as z from "zod";
import { duration, integer } from "./values.ts";
import { type RouteEntry, toVendorRoute, type VendorRoute } from "./vendor_route.ts";

/** How a provider's connections are made and used. */
export interface ConnectionRules {
  /** Milliseconds until a connection is open: DNS, TCP and TLS together. */
  readonly connectTimeout: number;
  /** Whether connections are reused. */
  readonly reuse: boolean;
  /** Milliseconds after which a connection is no longer used for new requests. */
  readonly maxAge: number;
  /** Maximum number of requests per connection. */
  readonly maxRequests: number;
  /** Whether a request is sent again if the vendor had closed the idle connection. */
  readonly resend: boolean;
  /**
   * How the vendor is reached. Default: the proxy from the environment, with the system's
   * certificates.
   */
  readonly route?: VendorRoute | undefined;
}

/** The connection rules for providers that define none. */
export const DEFAULT_CONNECTION_RULES: ConnectionRules = {
  connectTimeout: 10_000,
  reuse: true,
  maxAge: 300_000,
  maxRequests: 1000,
  resend: true,
};

const CONNECT_TIMEOUT = "10s";
const MAX_AGE = "5m";
/** The maximum of `connections.max_requests`. */
const MAX_REQUESTS = 1_000_000;

/** Of `timeout`. */
export const connectTimeout = duration(
  "Time limit for opening a connection, including DNS, TCP and TLS",
)
  .prefault(CONNECT_TIMEOUT);

const connections = z.strictObject({
  reuse: z.boolean().default(DEFAULT_CONNECTION_RULES.reuse)
    .describe("Whether connections are reused"),
  max_age: duration("Maximum age of a connection; older ones are not reused")
    .prefault(MAX_AGE),
  max_requests: integer("Maximum number of requests per connection", 1, MAX_REQUESTS)
    .prefault(DEFAULT_CONNECTION_RULES.maxRequests),
}).meta({ id: "connections" });

/** The setting for a provider. */
export const connectionMembers = {
  connections: connections.prefault({}),
  resend: z.enum(["once", "never"]).default(DEFAULT_CONNECTION_RULES.resend ? "once" : "never")
    .describe("Whether a request is sent again if the vendor had closed the idle connection"),
};

/** The provider members that define its rules. */
export interface ConnectionEntry extends RouteEntry {
  readonly connections: z.infer<typeof connections>;
  readonly resend: "once" | "never";
  readonly timeout: { readonly connect: number };
}

/** A provider's rules, from its entry in config.yaml. */
export function toConnectionRules(
  { connections, resend, timeout, ...members }: ConnectionEntry,
  readFile: (path: string) => string,
): ConnectionRules {
  const route = toVendorRoute(members, readFile);
  return {
    ...(route && { route }),
    connectTimeout: timeout.connect,
    reuse: connections.reuse,
    maxAge: connections.max_age,
    maxRequests: connections.max_requests,
    resend: resend === "once",
  };
}

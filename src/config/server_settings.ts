/** The settings of the gateway's HTTP server, from their section of config.yaml. */

import { createHmac } from "node:crypto";
import {
  LISTENER_PARTS,
  type ListenerPart,
  type ListenerSettings,
  type TlsFiles,
  toListenerSettings,
} from "./listeners.ts";
import { MAX_DEPTH, MAX_MEMBERS } from "../core/json/limits.ts";
import type { MemoryLimits } from "../memory/store.ts";
import { type StateSettings, toMemoryLimits, toStateSettings } from "./reasoning_state.ts";
import type { ServerEntry } from "./server_schema.ts";
import type { JsonLimits } from "../core/json/scan.ts";

/** Which images the gateway may download: `server.images` in config.yaml. */
export interface ImageRules {
  /** Whether plain http is allowed. */
  readonly http: boolean;
  /** Hosts that may resolve to private addresses. */
  readonly allow: ReadonlySet<string>;
  /** The maximum size of one image, in bytes. */
  readonly maxSize: number;
  /** Milliseconds for downloading one image, including the DNS lookup. */
  readonly timeout: number;
}

/** How end users are recorded: `server.end_users` in config.yaml. */
export interface EndUserSettings {
  readonly ids: "pseudonym" | "plain" | "off";
  /** The secret for the pseudonyms. */
  readonly secret: Uint8Array;
}

/** The limits for all request bodies together. */
export interface IncomingLimits {
  readonly bodies: number;
  readonly bytes: number;
}

/** The minimum for the number of bodies that are received at the same time. */
const MIN_BODIES = 1000;

/**
 * The limit on bodies as a multiple of the requests that may be in flight, if the result is higher.
 */
const BODIES_PER_REQUEST = 4;

/** The minimum for the total bytes of all bodies. */
const MIN_BYTES = 256 * 1024 * 1024;

/** The byte limit as a multiple of the maximum body size, if the result is higher. */
const LARGEST_BODIES = 8;

/** The limits for a request body. */
export interface BodyRules {
  /** The maximum size in bytes. */
  readonly maxBytes: number;
  /** The longest pause between packets, in milliseconds. */
  readonly maxPauseMs: number;
  /** The limits for its JSON. */
  readonly json: JsonLimits;
  /** The limits for all bodies together. */
  readonly incoming: IncomingLimits;
}

/** The settings of the gateway's own HTTP server: `server` in config.yaml. */
export interface ServerSettings {
  readonly host: string;
  /**
   * The host names that clients use, in lower case; empty if only a loopback listener checks them.
   */
  readonly hosts: ReadonlySet<string>;
  readonly port: number;
  /** The main listener's certificate; undefined without TLS. */
  readonly tls: TlsFiles | undefined;
  /** The parts that the main listener serves. */
  readonly serves: ReadonlySet<ListenerPart>;
  /** The listeners besides the main one. */
  readonly listeners: readonly ListenerSettings[];
  /** Threads that share the port; `auto` depends on the number of CPU cores. */
  readonly workers: number | "auto";
  /** Whether the request code is compiled in advance; undefined if not configured. */
  readonly warmUp: boolean | undefined;
  /** The maximum size of a request body, in bytes. */
  readonly maxBody: number;
  /** The maximum number of list entries and object members in a request. */
  readonly maxElements: number;
  /** The limits for model request bodies, derived from other settings. */
  readonly bodies: BodyRules;
  /** The secret for the hashes of stored keys; undefined to use the one in the store. */
  readonly keyPepper: string | undefined;
  /** The allowed browser origins, `*` for all; empty when CORS is disabled. */
  readonly cors: readonly string[];
  /**
   * Milliseconds for which requests are still served after the first signal, so that load balancers
   * notice `/readyz`; undefined if not configured.
   */
  readonly drainDelay: number | undefined;
  /** Milliseconds that open responses then have to finish. */
  readonly drain: number;
  /** Milliseconds without an event after which a stream sends a comment; 0 sends none. */
  readonly keepAlive: number;
  /**
   * Milliseconds to wait for the first event before a stream starts with comments; undefined to
   * wait forever.
   */
  readonly earlyKeepAlive: number | undefined;
  /** The maximum number of concurrent requests. */
  readonly maxInFlight: number;
  /** Bytes of memory for large requests and answers, if configured. */
  readonly maxInFlightBytes: number | undefined;
  /** Whether `GET /v1/responses` opens a WebSocket. */
  readonly websockets: "off" | "on";
  /** The maximum number of open WebSockets. */
  readonly maxSockets: number;
  /** The same for one service key. */
  readonly maxSocketsPerKey: number;
  /** The maximum number of open client connections. */
  readonly maxConnections: number;
  /** The same for one IP address. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds for receiving the headers of a connection's first request. */
  readonly headTimeout: number;
  /** Milliseconds that a connection may be idle between requests. */
  readonly idleTimeout: number;
  /** Milliseconds without data after which reading a request body times out. */
  readonly bodyTimeout: number;
  /** Milliseconds without progress after which writing a stream to the client times out. */
  readonly writeTimeout: number;
  readonly images: ImageRules;
  readonly endUsers: EndUserSettings;
  readonly reasoningState: StateSettings;
  /** The memory for Responses API answers. */
  readonly responsesMemory: MemoryLimits;
  /** The response cache size in bytes. */
  readonly responseCacheBytes: number;
  /** Whether `/metrics` needs no key. */
  readonly publicMetrics: boolean;
  /** Whether the console is enabled; undefined if that depends on the address. */
  readonly console: boolean | undefined;
  /** Whether the console shows the vendors' messages about their last failures. */
  readonly consoleVendorErrors: boolean;
}

/**
 * The settings from a validated `server` section.
 *
 * @param digests the digests of its keys, in any order
 */
export function toServerSettings(
  server: ServerEntry,
  digests: () => readonly string[],
): ServerSettings {
  return {
    host: server.host,
    hosts: new Set(server.hosts),
    port: server.port,
    tls: server.tls,
    serves: new Set(server.serves ?? LISTENER_PARTS),
    listeners: server.listeners.map(toListenerSettings),
    workers: server.workers,
    warmUp: server.warm_up && server.warm_up === "on",
    maxBody: server.max_body,
    maxElements: server.max_elements,
    bodies: toBodyRules(server),
    keyPepper: server.key_pepper || undefined,
    cors: typeof server.cors === "string" ? [server.cors] : server.cors,
    drainDelay: server.drain_delay,
    drain: server.drain,
    keepAlive: server.keep_alive,
    earlyKeepAlive: server.early_keep_alive,
    maxInFlight: server.max_in_flight,
    maxInFlightBytes: server.max_in_flight_bytes,
    websockets: server.websockets,
    maxSockets: server.max_sockets,
    maxSocketsPerKey: server.max_sockets_per_key,
    maxConnections: server.max_connections,
    maxConnectionsPerAddress: server.max_connections_per_address,
    headTimeout: server.head_timeout,
    idleTimeout: server.idle_timeout,
    bodyTimeout: server.body_timeout,
    writeTimeout: server.write_timeout,
    images: toImageRules(server.images),
    endUsers: toEndUsers(server, digests),
    reasoningState: toStateSettings(server.reasoning_state),
    responsesMemory: toMemoryLimits(server.responses_memory),
    responseCacheBytes: server.response_cache.size,
    publicMetrics: server.metrics === "public",
    console: server.console && server.console === "on",
    consoleVendorErrors: server.console_vendor_errors === "on",
  };
}

function toBodyRules(
  { max_body: maxBytes, max_elements: elements, max_in_flight, body_timeout }: ServerEntry,
): BodyRules {
  return {
    maxBytes,
    maxPauseMs: body_timeout,
    json: { elements, members: MAX_MEMBERS, depth: MAX_DEPTH },
    incoming: {
      bodies: Math.max(MIN_BODIES, BODIES_PER_REQUEST * max_in_flight),
      bytes: Math.max(MIN_BYTES, LARGEST_BODIES * maxBytes),
    },
  };
}

function toEndUsers(
  { end_users: { ids, secret } }: ServerEntry,
  digests: () => readonly string[],
): EndUserSettings {
  const text = secret || digests().toSorted().join(" ");
  const hmac = createHmac("sha256", "sluice end users").update(text);
  return { ids, secret: hmac.digest() };
}

function toImageRules({ http, allow, max_size, timeout }: ServerEntry["images"]): ImageRules {
  return { http, allow: new Set(allow), maxSize: max_size, timeout };
}

/** The schema of the `server` section of config.yaml. */

import * as z from "zod";
import { adminKeyEntry, serviceKeyEntry } from "./keys.ts";
import { listener, serves, tls } from "./listeners.ts";
import { duration, hostName, integer, integerOrAuto, secret, size } from "./values.ts";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 8787;
const DEFAULT_MAX_BODY = "32MiB";
const DEFAULT_MAX_ELEMENTS = 100_000;
const DEFAULT_DRAIN = "30s";
const DEFAULT_KEEP_ALIVE = "15s";
const DEFAULT_MAX_IN_FLIGHT = 2000;
const DEFAULT_MAX_CONNECTIONS = 8192;
const DEFAULT_MAX_CONNECTIONS_PER_ADDRESS = 4096;
const DEFAULT_MAX_SOCKETS = 256;
const DEFAULT_MAX_SOCKETS_PER_KEY = 8;
const DEFAULT_HEAD_TIMEOUT = "20s";
const DEFAULT_IDLE_TIMEOUT = "2m";
const DEFAULT_BODY_TIMEOUT = "30s";
const DEFAULT_WRITE_TIMEOUT = "60s";
const DEFAULT_MAX_IMAGE_SIZE = "20MB";
const DEFAULT_IMAGE_TIMEOUT = "10s";
const DEFAULT_MAX_ID_LENGTH = 2048;
const DEFAULT_STATE_MEMORY = "64MiB";
const DEFAULT_STATE_TTL = "1h";

/** The minimum: OpenAI accepts IDs of 64 characters. */
const MIN_ID_LENGTH = 64;
/** The maximum length of IDs that are read. */
const MAX_ID_LENGTH = 16_384;

/**
 * The maximum of `server.workers`. Each worker takes memory, and more workers add little
 * throughput.
 */
export const MAX_WORKERS = 64;

/** The address of a `server` section, with defaults for invalid members; ignores all others. */
export const serverAddress = z.object({
  host: z.string().min(1).catch(DEFAULT_HOST),
  port: integer("Port", 0, 65535).catch(DEFAULT_PORT),
  tls: tls.optional().catch(undefined),
});

const origin = z.string().refine((text) => text === "*" || URL.parse(text)?.origin === text, {
  error: "must be '*' or an origin such as 'https://app.example.com'",
});

const images = z.strictObject({
  http: z.boolean().default(false).describe("Whether to also fetch images over plain http"),
  allow: z.array(hostName).default([])
    .describe("Hosts that may have private addresses: host names or IP addresses"),
  max_size: size(
    "Maximum size of one image; all images in a request together may be twice as large",
  )
    .prefault(DEFAULT_MAX_IMAGE_SIZE),
  timeout: duration("Time limit for downloading one image").prefault(DEFAULT_IMAGE_TIMEOUT),
});

const responsesMemory = z.strictObject({
  size: size("Total memory for stored answers; 0 disables it", 0).prefault(DEFAULT_STATE_MEMORY),
  ttl: duration("How long an answer stays in memory after its last use")
    .prefault(DEFAULT_STATE_TTL),
});

const responseCache = z.strictObject({
  size: size("Total memory for cached answers; 0 disables the cache", 0)
    .prefault(DEFAULT_STATE_MEMORY),
});

const endUsers = z.strictObject({
  ids: z.enum(["pseudonym", "plain", "off"]).default("pseudonym").describe(
    "How end users are recorded: as a pseudonym, in plain text, or not at all",
  ),
  secret: secret(
    "Secret for the pseudonyms, the same for all replicas; if omitted, it is derived from the keys in 'server.keys'",
  ).optional(),
});

const reasoningState = z.strictObject({
  enabled: z.boolean().default(true)
    .describe("Whether the IDs of new tool calls contain state or refer to it"),
  key: secret(
    "Secret that encrypts state in IDs and in 'shared_store', the same for all replicas; if " +
      "omitted, one is generated at every start, and replicas share no state",
  )
    .optional(),
  max_id_length: integer(
    "Maximum length of an ID in characters; state that does not fit stays in memory",
    MIN_ID_LENGTH,
    MAX_ID_LENGTH,
  )
    .prefault(DEFAULT_MAX_ID_LENGTH),
  memory: size("Memory for state that does not fit into IDs; 0 disables it", 0)
    .prefault(DEFAULT_STATE_MEMORY),
  memory_ttl: duration("How long state stays in memory after its last use")
    .prefault(DEFAULT_STATE_TTL),
});

/** The schema of `server`. */
export const serverSection = z.strictObject({
  host: z.string().min(1).default(DEFAULT_HOST).describe("IP address or host name to listen on"),
  hosts: z.array(hostName).default([])
    .describe(
      "Host names that clients use, such as a proxy's; other names get status 421. IP addresses, " +
        "loopback names and 'host' are always accepted. If omitted, names are checked only on " +
        "loopback addresses",
    ),
  port: integer("Port to listen on; 0 selects a free port", 0, 65535).prefault(DEFAULT_PORT),
  tls: tls.optional()
    .describe("Serve TLS on this port; the files are read again when they change"),
  serves,
  listeners: z.array(listener).default([])
    .describe("More listeners, such as one for administration or a Unix socket"),
  workers: integerOrAuto(
    "Number of workers that share the port; 'auto' starts with one and adds more under load",
    1,
    MAX_WORKERS,
  )
    .prefault("auto"),
  warm_up: z.enum(["on", "off"]).optional()
    .describe(
      "Whether a worker runs test requests for half a second at startup, so that the first client requests are as fast as later ones; if omitted, the value of SLUICE_WARM_UP, or 'on' if it is unset",
    ),
  max_body: size("Maximum size of a request body").prefault(DEFAULT_MAX_BODY),
  max_elements: integer("Maximum number of list entries and object members in a request", 1)
    .prefault(DEFAULT_MAX_ELEMENTS),
  keys: z.array(serviceKeyEntry).default([])
    .describe(
      "Service keys that clients authenticate with; if omitted, the one in SLUICE_API_KEY. If " +
        "none is set, one is generated at every start, but only if no other machine can connect",
    ),
  admin_keys: z.array(adminKeyEntry).default([])
    .describe(
      "Admin keys for the routes below /v1/admin; if omitted, the one in SLUICE_ADMIN_KEY. If none is set, these routes are disabled",
    ),
  key_pepper: secret(
    "Secret for the hashes of stored keys, the same for all replicas; if omitted, a random one is kept in the store",
  ).optional(),
  cors: z.union([origin, z.array(origin)]).default([])
    .describe(
      "Origins from which browsers may send requests (CORS), or '*' for all; none by default",
    ),
  keep_alive: duration(
    "Time without an event after which a stream sends a keep-alive comment; 0s disables it",
    "0s",
  )
    .prefault(DEFAULT_KEEP_ALIVE),
  early_keep_alive: duration(
    "Time without a first event after which the response starts with keep-alive comments; never if omitted",
  )
    .optional(),
  max_in_flight: integer(
    "Maximum number of concurrent requests; the gateway rejects further ones with status 503",
    1,
  ).prefault(DEFAULT_MAX_IN_FLIGHT),
  max_in_flight_bytes: size(
    "Memory for requests over 64 KiB and long answers, for all workers together; each byte " +
      "counts three times. Requests beyond it get status 503; half the heap limit if omitted",
  ).optional(),
  max_connections: integer(
    "Maximum number of open client connections; idle ones are closed to accept new ones",
    1,
  )
    .prefault(DEFAULT_MAX_CONNECTIONS),
  max_connections_per_address: integer("Maximum number of open connections from one IP address", 1)
    .prefault(DEFAULT_MAX_CONNECTIONS_PER_ADDRESS),
  head_timeout: duration("Time limit for receiving the headers of a connection's first request")
    .prefault(DEFAULT_HEAD_TIMEOUT),
  idle_timeout: duration("Time after which an idle connection is closed")
    .prefault(DEFAULT_IDLE_TIMEOUT),
  body_timeout: duration("Time without data after which reading a request body times out").prefault(
    DEFAULT_BODY_TIMEOUT,
  ),
  write_timeout: duration("Time after which a stream is closed if the client stops reading it")
    .prefault(DEFAULT_WRITE_TIMEOUT),
  websockets: z.enum(["on", "off"]).default("off")
    .describe(
      "Whether GET /v1/responses opens a WebSocket; every request then takes a little more CPU time",
    ),
  max_sockets: integer("Maximum number of open WebSockets", 1).prefault(DEFAULT_MAX_SOCKETS),
  max_sockets_per_key: integer("Maximum number of open WebSockets for one service key", 1)
    .prefault(DEFAULT_MAX_SOCKETS_PER_KEY),
  metrics: z.enum(["private", "public"]).default("private")
    .describe("Whether /metrics requires a service key (private) or no key (public)"),
  console: z.enum(["on", "off"]).optional()
    .describe(
      "Whether GET / shows the console in browsers; if omitted, only on loopback addresses and not through a proxy",
    ),
  console_vendor_errors: z.enum(["on", "off"]).default("on")
    .describe(
      "Whether the console shows the vendors' messages about their last failures, kept in memory only, without secrets, addresses and URLs",
    ),
  drain_delay: duration(
    "Time at shutdown during which /readyz returns 503 and requests are still served, so that load balancers switch to other replicas; 5s if omitted, or 0s if only this machine can connect",
    "0s",
  ).optional(),
  drain: duration(
    "Time after 'drain_delay' for open responses to finish; connections are no longer accepted",
    "0s",
  ).prefault(
    DEFAULT_DRAIN,
  ),
  images: images.prefault({})
    .describe("Download of images by URL, for vendors that accept only image data"),
  reasoning_state: reasoningState.prefault({})
    .describe(
      "Reasoning state in tool call IDs, for clients that do not return it otherwise",
    ),
  end_users: endUsers.prefault({}).describe(
    "End users in the ledger: from 'X-OpenWebUI-User-*', 'safety_identifier', 'user' or 'metadata.user_id'",
  ),
  response_cache: responseCache.prefault({}).describe(
    "Memory for the answers of 'routing.cache'",
  ),
  responses_memory: responsesMemory.prefault({})
    .describe(
      "Recent answers of POST /v1/responses, for 'previous_response_id' with vendors that do not support it",
    ),
});

/** The validated `server` section. */
export type ServerEntry = z.infer<typeof serverSection>;

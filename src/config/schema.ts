/** The shape of config.yaml: what may stand where, and what holds when it does not. */

import { z } from "zod";
import type { Adapter, Capability, ProviderDefaults } from "../providers/contract/adapter.ts";
import { connectionMembers, connectTimeout } from "./connection_rules.ts";
import { adminKeyEntry, serviceKeyEntry } from "./keys.ts";
import {
  apiKey,
  baseUrl,
  duration,
  integer,
  integerOrAuto,
  modelId,
  moment,
  size,
} from "./values.ts";

const HOST = "127.0.0.1";
const PORT = 8787;
const LARGEST_BODY = "32MiB";
const MAX_ELEMENTS = 100_000;
const DRAIN = "30s";
const KEEP_ALIVE = "15s";
const MOST_IN_FLIGHT = 2000;
const MAX_CONNECTIONS = 8192;
const MAX_CONNECTIONS_PER_ADDRESS = 4096;
const HEAD_TIMEOUT = "20s";
const IDLE_TIMEOUT = "2m";
const BODY_TIMEOUT = "30s";
const WRITE_TIMEOUT = "60s";
const LARGEST_IMAGE = "20MB";
const IMAGE_TIMEOUT = "10s";
const MAX_WAIT = "20s";
const FIRST_TOKEN = "5m";
const IDLE = "5m";
const TOTAL = "30m";
const RETRIES = 2;
const MOST_RETRIES = 10;

/** Headers that belong to the connection, which the gateway keeps itself. */
const OWN_HEADERS = new Set(["host", "content-length", "transfer-encoding", "connection"]);

/** More would hardly be of use, and each takes memory. */
export const MOST_WORKERS = 64;

/** The address in a `server` section that may be faulty elsewhere, or in this. */
export const serverAddress = z.object({
  host: z.string().min(1).catch(HOST),
  port: integer("Port", 0, 65535).catch(PORT),
});

const origin = z.string().refine((text) => text === "*" || URL.parse(text)?.origin === text, {
  error: "must be '*' or an origin such as 'https://app.example.com'",
});

const imageHost = z.string().refine((text) => toHost(text) !== undefined, {
  error: "must be a host name or an IP address alone",
}).transform((text) => toHost(text) ?? text);

const images = z.strictObject({
  http: z.boolean().default(false).describe("Whether they are fetched by plain http too"),
  allow: z.array(imageHost).default([])
    .describe("Hosts that may be on a network of yours: names or IP addresses"),
  max_size: size("The largest image; those of one request may have twice as much together")
    .prefault(LARGEST_IMAGE),
  timeout: duration("How long an image may take").prefault(IMAGE_TIMEOUT),
});

const server = z.strictObject({
  host: z.string().min(1).default(HOST).describe("Address to listen on"),
  port: integer("Port to listen on; 0 takes a free one", 0, 65535).prefault(PORT),
  workers: integerOrAuto(
    "Threads that share the port, or 'auto': one for each core",
    1,
    MOST_WORKERS,
  )
    .prefault("auto"),
  max_body: size("The largest request body").prefault(LARGEST_BODY),
  max_elements: integer("List entries and object members that a request may hold, in all", 1)
    .prefault(MAX_ELEMENTS),
  keys: z.array(serviceKeyEntry).default([])
    .describe("Keys that callers present; without any, one is made for each run"),
  admin_keys: z.array(adminKeyEntry).default([])
    .describe("Keys for the routes below /v1/admin, which are disabled without any"),
  cors: z.union([origin, z.array(origin)]).default([])
    .describe("Origins whose pages may call, or '*' for all"),
  keep_alive: duration("Silence within a stream before a comment is sent; 0s for none", "0s")
    .prefault(KEEP_ALIVE),
  early_keep_alive: duration("Silence before a stream's first event that begins it with comments")
    .optional(),
  max_in_flight: integer("Requests at a time; more are refused", 1).prefault(MOST_IN_FLIGHT),
  max_connections: integer("Connections at a time; idle ones are closed for new ones", 1)
    .prefault(MAX_CONNECTIONS),
  max_connections_per_address: integer("Connections at a time from one IP address", 1)
    .prefault(MAX_CONNECTIONS_PER_ADDRESS),
  head_timeout: duration("Until a connection's first request has arrived, without its body")
    .prefault(HEAD_TIMEOUT),
  idle_timeout: duration("How long a connection may wait for its next request")
    .prefault(IDLE_TIMEOUT),
  body_timeout: duration("How long a caller's body may stall").prefault(BODY_TIMEOUT),
  write_timeout: duration("How long a caller may leave a stream unread").prefault(WRITE_TIMEOUT),
  metrics: z.enum(["private", "public"]).default("private")
    .describe("Who may read /metrics: holders of a service key, or anyone"),
  drain: duration("How long open answers may take to finish at shutdown", "0s").prefault(DRAIN),
  images: images.prefault({})
    .describe("Image URLs that the gateway fetches for vendors that do not fetch them"),
});

const FIRST_TOKEN_IS = "Until a stream's first event, connecting included";
const IDLE_IS = "The longest gap within an answer";
const TOTAL_IS = "The whole answer";

const timeout = timeoutWith({}).meta({ id: "timeout" });

const modelTimeout = z.strictObject({
  first_token: duration(FIRST_TOKEN_IS).optional(),
  idle: duration(IDLE_IS).optional(),
  total: duration(TOTAL_IS).optional(),
}).meta({ id: "model_timeout" });

const able = z.boolean().optional();
const price = z.number().min(0);

const modelEntry = z.strictObject({
  id: modelId.describe("What callers call it"),
  upstream: z.string().min(1).optional().describe("What the vendor is told; 'id' unless given"),
  base_model: z.string().min(1).optional()
    .describe("The model whose facts and quirks apply; 'upstream' unless given"),
  api: z.string().min(1).optional().describe("Which of the vendor's APIs serves it"),
  params: z.record(z.string(), z.unknown()).optional()
    .describe("Request fields for callers that do not send them"),
  context_window: integer("Tokens, prompt and answer together", 1).optional(),
  max_output_tokens: integer("Tokens", 1).optional(),
  capabilities: z.strictObject(
    {
      tools: able,
      vision: able,
      json_schema: able,
      reasoning: able,
      streaming: able,
    } satisfies Record<Capability, unknown>,
  ).optional(),
  created: moment("Release date").optional(),
  rejects_sampling_params: z.boolean().optional()
    .describe("Whether it refuses temperature, top_p and penalties"),
  prices: z.strictObject({ input: price, output: price, cached_input: price.optional() })
    .optional().describe("USD per million tokens"),
  timeout: modelTimeout.optional(),
  retries: integer("Further tries after a failure", 0, MOST_RETRIES).optional(),
}).meta({ id: "model" });

const headers = z.record(z.string(), z.string()).check(({ value, issues }) => {
  for (const [name, text] of Object.entries(value)) {
    const message = headerFault(name, text);
    if (message !== undefined) issues.push({ code: "custom", message, path: [name], input: value });
  }
});

const providerMembers = {
  api_key: z.union([apiKey, z.array(apiKey).min(1)]).optional()
    .describe("The vendor's key, or a pool of them"),
  base_url: baseUrl.optional().describe("Everything before the resource path"),
  headers: headers.default({}).describe("Sent with every request to the vendor"),
  timeout: timeout.prefault({}),
  retries: integer("Further tries after a failure", 0, MOST_RETRIES).prefault(RETRIES),
  max_wait: duration("The longest wait before a retry that a vendor may ask for", "0s")
    .prefault(MAX_WAIT),
  ...connectionMembers,
  models: z.array(z.union([modelId, modelEntry])).min(1)
    .describe("What callers may name"),
};

/** The failures after which an entry of a chain may be asked, unless it says otherwise. */
const WHEN = [
  "rate_limited",
  "quota",
  "auth",
  "not_found",
  "unavailable",
  "timeout",
  "context_length",
  "content_filter",
] as const;

const link = z.strictObject({
  model: z.string().min(1).describe("A model, plain or pinned"),
  weight: z.number().min(0).optional()
    .describe("Its share of the first choice, among the entries that have one"),
  when: z.array(z.enum(WHEN)).min(1).optional()
    .describe("The failures after which it is asked; all but the last two unless given"),
}).meta({ id: "link" });

export type LinkEntry = z.infer<typeof link>;
/** Why the target before failed, as a chain sees it. */
export type FailureClass = (typeof WHEN)[number];

const telemetry = z.strictObject({
  capture_content: z.boolean().default(false)
    .describe("Whether the spans of OpenTelemetry hold what was said"),
});

const sections = {
  telemetry: telemetry.prefault({}),
  pins: z.record(z.string(), z.string().min(1)).default({})
    .describe("For a model that several providers have: the one that its plain ID goes to"),
  aliases: z.record(
    z.string().min(1),
    z.union([z.string().min(1), z.array(z.union([z.string().min(1), link])).min(1)]),
  )
    .default({})
    .describe("A short name for a model, or for several that are tried in turn"),
};

const anyProvider = z.object(providerMembers);

/** One model of a provider: its ID, or more. */
export type ModelConfig = z.infer<typeof modelEntry>;
/** One provider; members beyond these are its kind's own. */
export type ProviderEntry = z.infer<typeof anyProvider> & { readonly kind: string };
export type ServerEntry = z.infer<typeof server>;

/** The whole of config.yaml, checked and with its defaults filled in. */
export interface ConfigEntry {
  readonly server: ServerEntry;
  readonly providers: Readonly<Record<string, ProviderEntry>>;
  readonly pins: Readonly<Record<string, string>>;
  readonly telemetry: z.infer<typeof telemetry>;
  readonly aliases: Readonly<Record<string, string | readonly (string | LinkEntry)[]>>;
}

/** Members that every kind of provider has. */
export const COMMON_MEMBERS: ReadonlySet<string> = new Set([
  "kind",
  ...Object.keys(providerMembers),
]);

/** What can be checked of a provider whose kind is not known. */
export const providerOfAnyKind: z.ZodType = anyProvider.loose();

/** The schema of config.yaml for these adapters. */
export function createSchema(adapters: ReadonlyMap<string, Adapter>): z.ZodType<ConfigEntry> {
  const kinds = [...adapters.values()].map(providerOf);
  return z.strictObject({
    server: server.prefault({}),
    providers: z.record(
      z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, {
        error: "must be letters, digits, '.', '_' and '-', and begin with a letter or digit",
      }),
      // Which kinds there are is known at run time only, and so are their own members.
      z.discriminatedUnion("kind", kinds as [z.ZodObject]) as unknown as z.ZodType<ProviderEntry>,
    ).describe("By ID: what stands after the '@' of a model"),
    ...sections,
  });
}

/** The JSON Schema of config.yaml, for editors. */
export function configSchema(adapters: ReadonlyMap<string, Adapter>): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(createSchema(adapters), {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
  });
  return { $schema, title: "Sluice config.yaml", ...schema };
}

function providerOf(adapter: Adapter): z.ZodObject {
  const shape = {
    kind: z.literal(adapter.kind),
    ...providerMembers,
    ...(adapter.defaults.baseUrl === undefined ? { base_url: baseUrl } : {}),
    ...(adapter.defaults.timeouts && {
      timeout: timeoutWith(adapter.defaults.timeouts).prefault({}),
    }),
  };
  // Extended from the options, not the other way round, so that their cross-checks stay.
  return adapter.options?.safeExtend(shape).strict() ?? z.strictObject(shape);
}

/** Limits of one try, with an adapter's own defaults where it has some. */
function timeoutWith({ first_token, idle, total }: NonNullable<ProviderDefaults["timeouts"]>) {
  return z.strictObject({
    connect: connectTimeout,
    first_token: duration(FIRST_TOKEN_IS).prefault(first_token ?? FIRST_TOKEN),
    idle: duration(IDLE_IS).prefault(idle ?? IDLE),
    total: duration(TOTAL_IS).prefault(total ?? TOTAL),
  });
}

/** A host as the URL parser writes it, without brackets; undefined for what is none, or more. */
function toHost(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  if (/[\s/\\?#@%*]/.test(bare)) return undefined;
  const url = URL.parse(bare.includes(":") ? `http://[${bare}]` : `http://${bare}`);
  return url?.hostname.replace(/^\[|\]$|\.$/g, "");
}

function headerFault(name: string, value: string): string | undefined {
  if (OWN_HEADERS.has(name.toLowerCase())) return "is set by the gateway itself";
  try {
    new Headers([[name, value]]);
    return undefined;
  } catch {
    return "is not a valid header";
  }
}

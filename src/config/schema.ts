/** The schema of config.yaml: its members, their types and their defaults. */

import * as z from "zod";
import type { Adapter, ProviderDefaults } from "../contract/adapter.ts";
import { alertsSection } from "./alerts.ts";
import { type AliasEntry, aliasEntry } from "./alias_schema.ts";
import { passthrough } from "./passthrough.ts";
import { connectionMembers, connectTimeout } from "./connection_rules.ts";
import { AUTO, labelMembers, toSelection } from "./model_patterns.ts";
import { limitsSection, modelPrices } from "./limits.ts";
import {
  type FailurePolicy,
  onStoreFailure,
  share,
  type Shared,
  sharedStoreUrl,
  storeUrl,
} from "./shared_store.ts";
import { type RoutingPolicy, routingSection } from "./routing_schema.ts";
import { type ServerEntry, serverSection } from "./server_schema.ts";
import { routeMembers } from "./vendor_route.ts";
import { apiKey, baseUrl, days, duration, integer, modelId, SECRET, timestamp } from "./values.ts";
import { LOG_LEVELS } from "../core/log_level.ts";
import { withCheck } from "../core/validation_messages.ts";
import type { Capability } from "../contract/model_facts.ts";
import { OTHER_CAPABILITIES, type OtherCapability } from "../contract/operations.ts";

const DEFAULT_TEMPLATE_CACHE = "on";

/** How all vendors' streams are converted: `upstream` in config.yaml. */
export interface UpstreamSettings {
  /** Whether similar stream events are converted without parsing each of them. */
  readonly templateCache: boolean;
}

/** The schema of `upstream`. */
const upstreamSection = z.strictObject({
  template_cache: z.enum(["on", "off"]).default(DEFAULT_TEMPLATE_CACHE).describe(
    "Whether stream events that differ only in their text are converted without parsing each one",
  ),
});

/** The settings of a validated `upstream` section. */
export function toUpstreamSettings(
  { template_cache }: z.infer<typeof upstreamSection>,
): UpstreamSettings {
  return { templateCache: template_cache === "on" };
}

/** The log formats. */
export const LOG_FORMATS = ["auto", "json", "text"] as const;

/** The schema of `log`. */
const logSection = z.strictObject({
  level: z.enum(LOG_LEVELS).optional().describe(
    "Lowest level that is logged; if omitted, the value of SLUICE_LOG_LEVEL, or 'info' if it is " +
      "unset. SIGUSR2 switches to 'debug' and back",
  ),
  format: z.enum(LOG_FORMATS).optional().describe(
    "Format of the access log and of messages: 'json' or 'text', both on one stream; 'auto' " +
      "writes messages as text to standard error, and the access log to standard output, as " +
      "JSON unless that is a terminal. If omitted, the value of SLUICE_LOG_FORMAT, or 'auto' " +
      "if it is unset",
  ),
  stream: z.enum(["stdout", "stderr"]).default("stdout")
    .describe("Stream of the log, unless 'format' is 'auto'"),
});

/** The validated `log`. */
export type LogSettings = z.infer<typeof logSection>;

const DEFAULT_MAX_WAIT = "20s";
const DEFAULT_FIRST_TOKEN_TIMEOUT = "5m";
const DEFAULT_STREAM_IDLE_TIMEOUT = "5m";
const DEFAULT_TOTAL_TIMEOUT = "30m";
const DEFAULT_RETRIES = 2;
const DEFAULT_REFRESH = "10m";
const MAX_RETRIES = 10;

/** Connection headers, which the gateway sets. Configuration cannot override them. */
const GATEWAY_HEADERS = new Set(["host", "content-length", "transfer-encoding", "connection"]);

const FIRST_TOKEN_DESCRIPTION = "Time limit for a stream's first event, including connecting";
const IDLE_DESCRIPTION = "Maximum time without data within a response";
const TIMEOUT_DESCRIPTION = "Time limits for one attempt";
const BASE_URL_DESCRIPTION =
  "Base URL of the vendor's API, up to the resource path, such as https://api.openai.com/v1";
const TOTAL_DESCRIPTION = "Time limit for the entire response";

const timeout = timeoutWith({}).meta({ id: "timeout" });

const modelTimeout = z.strictObject({
  first_token: duration(FIRST_TOKEN_DESCRIPTION).optional(),
  idle: duration(IDLE_DESCRIPTION).optional(),
  total: duration(TOTAL_DESCRIPTION).optional(),
}).meta({ id: "model_timeout" });

const capability = (description: string) => z.boolean().optional().describe(description);
const otherCapabilities = Object.fromEntries(
  [...OTHER_CAPABILITIES].map(([name, description]) => [name, capability(description)]),
) as Record<OtherCapability, ReturnType<typeof capability>>;

const modelEntry = z.strictObject({
  id: modelId.describe(
    "The name that clients use; also the upstream name unless 'upstream' is set",
  ),
  upstream: z.string().min(1).optional().describe(
    "The model name that is sent to the vendor; defaults to 'id'",
  ),
  ...labelMembers,
  base_model: z.string().min(1).optional()
    .describe("The model whose built-in facts and rules apply; defaults to 'upstream'"),
  api: z.string().min(1).optional().describe(
    "The vendor API for this model, if its kind has several; defaults to the provider's 'api'",
  ),
  params: z.record(z.string(), z.unknown()).optional()
    .describe("Default request fields, applied when the client does not send them"),
  context_window: integer("Maximum total number of tokens in prompt and response", 1).optional(),
  max_output_tokens: integer("Maximum number of tokens in the response", 1).optional(),
  dimensions: integer("Default length of an embedding model's vectors", 1).optional(),
  max_inputs: integer("Maximum number of inputs in one embeddings request to the vendor", 1)
    .optional(),
  capabilities: z.strictObject(
    {
      tools: capability("Whether the model supports tool calls"),
      vision: capability("Whether the model accepts images"),
      json_schema: capability("Whether the model supports structured output with JSON Schema"),
      reasoning: capability("Whether the model can reason before it responds"),
      streaming: capability("Whether the model supports streaming"),
      ...otherCapabilities,
    } satisfies Record<Capability, unknown>,
  ).optional().describe(
    "Overrides for the model's capabilities; omitted members keep the built-in values",
  ),
  created: timestamp("Release date, as a date or Unix seconds").optional(),
  rejects_sampling_params: z.boolean().optional()
    .describe("Whether the model rejects temperature, top_p and penalties"),
  prices: modelPrices.optional().describe("Prices in USD per million tokens, and for other units"),
  timeout: modelTimeout.optional()
    .describe("Time limits for this model; omitted members keep the provider's limits"),
  retries: integer("Retries for this model; defaults to the provider's 'retries'", 0, MAX_RETRIES)
    .optional(),
}).meta({ id: "model" });

/** An item of `models`: an ID, a pattern, or an object. */
export const modelItem = z.union([z.string().min(1), modelEntry]);

const headers = withCheck(z.record(z.string(), z.string().meta(SECRET)), function* (members) {
  for (const [name, text] of Object.entries(members)) {
    const message = typeof text === "string" ? headerError(name, text) : undefined;
    if (message !== undefined) yield { path: [name], message };
  }
});

const providerMembers = {
  api_key: z.union([apiKey, z.array(apiKey).min(1)]).optional()
    .describe("The vendor's API key, or a list of keys that are used as a pool"),
  base_url: baseUrl.optional().describe(BASE_URL_DESCRIPTION),
  headers: headers.default({}).describe("Additional headers for every request to the vendor"),
  timeout: timeout.prefault({}).describe(TIMEOUT_DESCRIPTION),
  retries: integer(
    "Number of retries with the same provider after a failed attempt",
    0,
    MAX_RETRIES,
  )
    .prefault(DEFAULT_RETRIES),
  max_wait: duration(
    "Maximum delay (Retry-After) that the gateway accepts from the vendor before a retry",
    "0s",
  )
    .prefault(DEFAULT_MAX_WAIT),
  ...connectionMembers,
  ...routeMembers,
  passthrough: passthrough.default(false).describe(
    "Whether /v1/providers/{id}/proxy/ forwards requests to the vendor unchanged; or which ones, " +
      "such as 'POST images/*'; or { allow: [...], shared: true } if all keys share its objects",
  ),
  models: z.union([z.literal(AUTO), z.array(modelItem).min(1)])
    .describe(
      "Models of this provider: IDs, or objects with settings; 'auto' for all that the vendor lists; " +
        "or patterns over its list, such as 'gpt-5*', and '!gpt-5-audio*' to exclude",
    ),
  refresh: duration("How often the vendor's model list is read, if 'models' needs it")
    .prefault(DEFAULT_REFRESH),
  allow_unlisted: z.boolean().default(false).describe(
    "Whether clients may request unlisted models, by names that match the patterns in " +
      "'models': as 'model@provider', or by the plain name, for the first such provider",
  ),
  if_running: z.boolean().default(false).describe(
    "Whether the provider is absent until its model list can be read; for local servers",
  ),
};

const telemetry = z.strictObject({
  capture_content: z.boolean().default(false)
    .describe("Whether OpenTelemetry spans include the content of prompts and responses"),
  metric_keys: integer(
    "Maximum number of service keys with their own label in metrics; all others share one",
    0,
    10_000,
  )
    .prefault(100),
});

const sections = {
  store: storeUrl.optional()
    .describe("Where requests are recorded, without content; only in memory if omitted"),
  keep: days(
    "How long individual requests and hourly totals are kept in the store; daily totals are kept " +
      "forever",
  ).prefault(
    "90d",
  ),
  limits: limitsSection.prefault({}).describe("Limits for all keys, and for models"),
  shared_store: sharedStoreUrl.optional()
    .describe(
      "URL of the Valkey or Redis server, cluster or sentinels through which replicas share limits and budgets and, with 'server.reasoning_state.key', state",
    ),
  limits_store: sharedStoreUrl.optional().describe("The former name of 'shared_store'"),
  on_store_failure: onStoreFailure.describe(
    "Requests with limits while 'shared_store' fails: admitted (allow), limited to the replica's " +
      "share (local), or rejected (deny)",
  ),
  share: share.describe(
    "What replicas share in 'shared_store': limits with budgets, and open breakers with suspended keys",
  ),
  upstream: upstreamSection.prefault({}).describe("Requests to all vendors"),
  log: logSection.prefault({}).describe("The access log, and messages for the operator"),
  telemetry: telemetry.prefault({}).describe("OpenTelemetry traces, and labels of metrics"),
  alerts: alertsSection.optional()
    .describe("Alerts by webhook, in the log and as a metric; none if omitted"),
  pins: z.record(z.string(), z.string().min(1)).default({})
    .describe(
      "By model ID: the only provider that serves the plain ID; a pin to a provider without credentials has no effect",
    ),
  routing: routingSection.prefault({}).describe(
    "How requests choose among equal targets: groups in aliases, and the providers of a plain model ID without a pin. An alias may override each member",
  ),
  catalogue: z.string().min(1).optional().describe(
    "File with facts about models, in the format of src/providers/shared/catalogue.json; its " +
      "entries replace the built-in ones for the same models",
  ),
  aliases: z.record(z.string().min(1), aliasEntry).default({}).describe(
    "By alias: a model, a list of models that are tried in order, or an object. An alias with one wildcard '*', which does not match '@', applies to all names that match it, unless they are another alias or an enabled model, or end in '@' and the ID of a provider; the longest matching alias is used",
  ),
};

const anyProvider = z.object(providerMembers);

/** A provider's model, as an object. */
export type ModelConfig = z.infer<typeof modelEntry>;
/** A provider: the common members, and others that its kind defines. */
export type ProviderEntry = z.infer<typeof anyProvider> & { readonly kind: string };

/** The validated content of config.yaml, with defaults applied. */
export interface ConfigEntry {
  readonly server: ServerEntry;
  readonly providers: Readonly<Record<string, ProviderEntry>>;
  readonly catalogue?: string | undefined;
  readonly pins: Readonly<Record<string, string>>;
  readonly upstream: z.infer<typeof upstreamSection>;
  readonly log: LogSettings;
  readonly telemetry: z.infer<typeof telemetry>;
  readonly alerts?: z.infer<typeof alertsSection> | undefined;
  readonly limits: z.infer<typeof limitsSection>;
  readonly shared_store?: string | undefined;
  readonly limits_store?: string | undefined;
  readonly on_store_failure: FailurePolicy;
  readonly share: readonly Shared[];
  readonly store?: string | undefined;
  readonly keep: number;
  readonly routing: RoutingPolicy;
  readonly aliases: Readonly<Record<string, AliasEntry>>;
}

/** The members that all kinds of providers share. */
export const COMMON_MEMBERS: ReadonlySet<string> = new Set([
  "kind",
  ...Object.keys(providerMembers),
]);

/** Validates the common members of a provider whose kind is unknown. */
export const providerOfAnyKind: z.ZodType = anyProvider.loose();

/** Building a schema takes longer than checking a file with it, and each reload checks one. */
const schemas = new WeakMap<ReadonlyMap<string, Adapter>, z.ZodType<ConfigEntry>>();

/**
 * The schema of config.yaml for these adapters, built once.
 *
 * @param kinds the kinds that exist; no provider may have one without an adapter
 */
export function schemaFor(
  adapters: ReadonlyMap<string, Adapter>,
  kinds?: Iterable<string>,
): z.ZodType<ConfigEntry> {
  const schema = schemas.get(adapters) ?? createSchema(adapters, kinds);
  schemas.set(adapters, schema);
  return schema;
}

function createSchema(
  adapters: ReadonlyMap<string, Adapter>,
  names: Iterable<string> = adapters.keys(),
): z.ZodType<ConfigEntry> {
  const kinds = [...names].map((kind) => {
    const adapter = adapters.get(kind);
    return adapter === undefined ? z.object({ kind: z.literal(kind) }) : providerOf(adapter);
  });
  const document = z.strictObject({
    server: serverSection.prefault({}).describe("The gateway's HTTP server"),
    providers: providersOf(
      // The kinds and their members are known only at run time.
      z.discriminatedUnion("kind", kinds as [z.ZodObject]) as unknown as z.ZodType<ProviderEntry>,
    ).describe("Providers by ID; 'model@ID' selects one of them"),
    ...sections,
  });
  return withCheck(document, ({ shared_store, limits_store }) => {
    if (shared_store === undefined || limits_store === undefined) return [];
    const message = "is the former name of 'shared_store': set one of them";
    return [{ path: ["limits_store"], message }];
  });
}

const PROVIDER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Providers by ID. A schema for the IDs would hide errors in providers with invalid IDs. */
function providersOf(provider: z.ZodType<ProviderEntry>) {
  const message = "must consist of letters, digits, '.', '_' and '-', and start with a letter " +
    "or digit";
  return withCheck(
    z.record(z.string(), provider),
    (members) =>
      Object.keys(members).filter((id) => !PROVIDER_ID.test(id))
        .map((id) => ({ path: [id], message })),
  ).meta({ propertyNames: { type: "string", pattern: PROVIDER_ID.source } });
}

/** The JSON Schema of config.yaml, for editors. */
export function configSchema(adapters: ReadonlyMap<string, Adapter>): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(schemaFor(adapters), {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
  });
  return { $schema, title: "Sluice config.yaml", ...schema };
}

function providerOf(adapter: Adapter): z.ZodObject {
  const shape = {
    kind: z.literal(adapter.kind).describe("The adapter, which defines the vendor's API"),
    ...providerMembers,
    ...(adapter.defaults.baseUrl === undefined
      ? { base_url: baseUrl.describe(BASE_URL_DESCRIPTION) }
      : {}),
    ...(adapter.defaults.timeouts && {
      timeout: timeoutWith(adapter.defaults.timeouts).prefault({}).describe(TIMEOUT_DESCRIPTION),
    }),
  };
  // Extending the options, not the common members, preserves the cross-checks of the options.
  const entry = adapter.options?.safeExtend(shape).strict() ?? z.strictObject(shape);
  return withCheck(entry, function* ({ models, if_running }) {
    const { isListed } = toSelection({ models });
    if (isListed && adapter.models === undefined) {
      const message = `must name each model: '${adapter.kind}' has no model list`;
      yield { path: ["models"], message };
    }
    if (if_running === true && !isListed) {
      const message = "needs the vendor's model list, such as 'models: auto'";
      yield { path: ["if_running"], message };
    }
  });
}

/** The time limits for one attempt, with an adapter's defaults if it has any. */
function timeoutWith({ first_token, idle, total }: NonNullable<ProviderDefaults["timeouts"]>) {
  return z.strictObject({
    connect: connectTimeout,
    first_token: duration(FIRST_TOKEN_DESCRIPTION).prefault(
      first_token ?? DEFAULT_FIRST_TOKEN_TIMEOUT,
    ),
    idle: duration(IDLE_DESCRIPTION).prefault(idle ?? DEFAULT_STREAM_IDLE_TIMEOUT),
    total: duration(TOTAL_DESCRIPTION).prefault(total ?? DEFAULT_TOTAL_TIMEOUT),
  });
}

function headerError(name: string, value: string): string | undefined {
  if (GATEWAY_HEADERS.has(name.toLowerCase())) {
    return "is set by the gateway and cannot be configured";
  }
  try {
    new Headers([[name, value]]);
    return undefined;
  } catch {
    return "is not a valid header";
  }
}

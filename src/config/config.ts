/** Parses and validates config.yaml, and creates an immutable `Config` from it. */

import { isObject } from "../chat/chat.ts";
import { checkDocument } from "./check.ts";
import { modelsOf } from "./cross_checks.ts";
import type { DisabledModel } from "./disabled_names.ts";
import { resolveReferences, type Sources } from "./references.ts";
import { ConfigErrors, isWithin } from "./config_errors.ts";
import { type AdminKey, isAllowed, Keyring, ModelPattern, type ServiceKey } from "./keys.ts";
import { type DisabledAlias, type FallbackTarget, type ModelEntry, Names } from "./names.ts";
import { type DisabledReason, isCredential, prune } from "./disabled_providers.ts";
import {
  type DisabledProvider,
  keysOf,
  type Provider,
  secretsOf,
  type Target,
  toTargets,
} from "./providers.ts";
import {
  type ConfigEntry,
  createSchema,
  type FallbackEntry,
  type ProviderEntry,
} from "./schema.ts";
import { serverAddress, type ServerEntry } from "./server_schema.ts";
import { findTab, findUnquoted, readYaml } from "./yaml.ts";
import type { Adapter } from "../providers/contract/adapter.ts";

export { type ConfigError, ConfigErrors } from "./config_errors.ts";
export { type AdminKey, fingerprintOf, type ServiceKey } from "./keys.ts";
export {
  DEFAULT_ON_FAILURES,
  type DisabledAlias,
  type FallbackTarget,
  type ModelEntry,
} from "./names.ts";
export type { DisabledProvider, Provider, Target, Timeouts } from "./providers.ts";
export { configSchema } from "./schema.ts";
export { MAX_WORKERS } from "./server_schema.ts";

/** Which images the gateway may download: `server.images` of config.yaml. */
export interface ImageRules {
  /** Whether plain http is allowed. */
  readonly http: boolean;
  /** Hosts that may resolve to private addresses. */
  readonly allow: ReadonlySet<string>;
  /** The maximum size of one image, in bytes. */
  readonly maxSize: number;
  /** Milliseconds to download one image, including the DNS lookup. */
  readonly timeout: number;
}

/** The settings of the gateway's own HTTP server: `server` of config.yaml. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Threads that share the port; `auto` depends on the number of CPU cores. */
  readonly workers: number | "auto";
  /** The maximum size of a request body, in bytes. */
  readonly maxBody: number;
  /** The maximum number of list entries and object members of a request. */
  readonly maxElements: number;
  /** Origins that browsers may call from, `*` for all; empty when CORS is disabled. */
  readonly cors: readonly string[];
  /** Milliseconds that open responses have to finish at shutdown. */
  readonly drain: number;
  /** Milliseconds without an event after which a stream sends a comment; 0 sends none. */
  readonly keepAlive: number;
  /** Milliseconds without a first event before a stream starts with comments, if at all. */
  readonly earlyKeepAlive: number | undefined;
  /** The maximum number of concurrent requests. */
  readonly maxInFlight: number;
  /** The maximum number of open client connections. */
  readonly maxConnections: number;
  /** The same for one IP address. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds to receive the head of a connection's first request. */
  readonly headTimeout: number;
  /** Milliseconds that a connection may be idle between requests. */
  readonly idleTimeout: number;
  /** Milliseconds without data after which reading a request body times out. */
  readonly bodyTimeout: number;
  /** Milliseconds without progress after which writing a stream to the client times out. */
  readonly writeTimeout: number;
  readonly images: ImageRules;
  /** Whether `/metrics` needs no key. */
  readonly publicMetrics: boolean;
}

/** A loaded configuration. It is immutable; a reload creates a new one. */
export interface Config {
  /** The path of its file, or `built-in`. */
  readonly source: string;
  readonly server: ServerSettings;
  readonly telemetry: { readonly captureContent: boolean };
  readonly serviceKeys: readonly ServiceKey[];
  /** Whether any admin key is configured. */
  readonly hasAdmin: boolean;
  /** The service key generated for this run; absent when one is configured. */
  readonly generatedKey?: string;
  /** The enabled providers by ID, in the order of config.yaml. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** The disabled providers, in the order of config.yaml. */
  readonly disabled: readonly DisabledProvider[];
  readonly disabledAliases: readonly DisabledAlias[];
  /** The rows of `GET /v1/models`. */
  readonly models: readonly ModelEntry[];
  /** Finds the service key that a client presents. Compares in constant time. */
  authenticate(token: string): ServiceKey | undefined;
  /** Finds the admin key that a client presents. Compares in constant time. */
  authenticateAdmin(token: string): AdminKey | undefined;
  /** Whether a key may use this model. */
  isAllowed(key: ServiceKey, model: string): boolean;
  /** The targets of a model: an alias's fallback chain, else one target. */
  resolve(model: string): readonly FallbackTarget[] | undefined;
  /** Finds a model by any of its names; its `id` is the given name. */
  find(model: string): ModelEntry | undefined;
  /** Why a configured name cannot be used; undefined for all other names. */
  explainDisabled(model: string): string | undefined;
  /** The most similar name to an unknown one, among those that the key may use. */
  suggest(model: string, key: ServiceKey): string | undefined;
}

/** Everything outside the text that loading a configuration depends on. */
export interface ConfigEnvironment extends Sources {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Generates a service key when none is configured. */
  readonly newKey: () => string;
  /** The name of the text in messages: its path, or `built-in`. */
  readonly source: string;
  readonly adapters: ReadonlyMap<string, Adapter>;
}

/**
 * The address at which a gateway with this config.yaml listens. Other errors of the
 * file are ignored: a running gateway may have started with an earlier version of it.
 */
export function readAddress(
  text: string,
  sources: Sources,
): Pick<ServerSettings, "host" | "port"> {
  const { value } = resolveReferences(readYaml(text).value, sources);
  const server = isObject(value) && isObject(value.server) ? value.server : {};
  return serverAddress.parse(server);
}

/**
 * Loads the text of a config.yaml.
 *
 * @throws {ConfigErrors} with all errors of the text.
 */
export function loadConfig(text: string, environment: ConfigEnvironment): Config {
  const yaml = readYaml(text);
  if (yaml.value === undefined) {
    const hints = [...findTab(text), ...findUnquoted(text)];
    throw new ConfigErrors(environment.source, [...hints, ...yaml.errors]);
  }
  const { adapters } = environment;
  const resolved = resolveReferences(yaml.value, environment);
  const schema = createSchema(adapters);
  const errors = [
    ...yaml.errors,
    ...resolved.errors,
    ...resolved.unset.filter(({ path }) => !isCredential(path))
      .map(({ path, reason }) => ({ path, message: reason })),
    // A value whose references failed already has an error.
    ...checkDocument(resolved.value, yaml.value, schema).filter(({ path, isOfName = false }) =>
      isOfName ||
      ![...resolved.unset, ...resolved.errors].some((known) => isWithin(path, known.path))
    ),
  ];
  if (errors.length > 0 || !isObject(resolved.value)) {
    throw new ConfigErrors(environment.source, [...findTab(text), ...errors]);
  }
  const { document, disabledReasons } = prune(resolved.value, resolved.unset, adapters);
  const entry = schema.parse(document);
  const { providers, pins, aliases } = entry;
  const built = buildProviders(resolved.value.providers, providers, disabledReasons, adapters);
  const names = new Names({
    targets: built.targets,
    disabledModels: built.disabledModels,
    pins: new Map(Object.entries(pins)),
    aliases: new Map(Object.entries(aliases).map(([id, models]) => [id, toFallbacks(models)])),
    loadedAt: Math.floor(environment.now() / 1000),
  });
  return createConfig(entry, built, names, environment);
}

function toFallbacks(models: ConfigEntry["aliases"][string]): readonly FallbackEntry[] {
  return [models].flat().map((entry) => typeof entry === "string" ? { model: entry } : entry);
}

interface BuiltProviders {
  readonly targets: readonly Target[];
  readonly disabled: readonly DisabledProvider[];
  /** The models of the disabled providers. */
  readonly disabledModels: readonly DisabledModel[];
}

/** Builds enabled and disabled providers, both in the order of the document. */
function buildProviders(
  written: unknown,
  entries: Readonly<Record<string, ProviderEntry>>,
  reasons: ReadonlyMap<string, DisabledReason>,
  adapters: ReadonlyMap<string, Adapter>,
): BuiltProviders {
  const configured = new Map(Object.entries(entries));
  const targets: Target[] = [];
  const disabled: DisabledProvider[] = [];
  for (const [id, members] of isObject(written) ? Object.entries(written) : []) {
    const entry = configured.get(id);
    const kind = isObject(members) ? String(members.kind) : "";
    const adapter = adapters.get(kind);
    if (entry === undefined || adapter === undefined) {
      disabled.push({ id, kind, ...(reasons.get(id) ?? { reason: "", publicReason: "" }) });
    } else if (adapter.defaults.credentials === "required" && !hasCredentials(entry, adapter)) {
      const others = adapter.credentialSets ?? [];
      const sets = [["api_key"], ...others.map(({ needs }) => needs)];
      const reason = `no ${sets.map((names) => names.join(" and ")).join(", nor ")}`;
      disabled.push({ id, kind, reason, publicReason: reason });
    } else {
      targets.push(...toTargets(id, entry, adapter));
    }
  }
  const disabledModels = modelsOf({ providers: written }).flatMap(({ provider: id, model }) => {
    const provider = disabled.find((one) => one.id === id);
    const name = isObject(model) ? model.id : model;
    return provider === undefined || typeof name !== "string" ? [] : [{ id: name, provider }];
  });
  return { targets, disabled, disabledModels };
}

function hasCredentials(entry: ProviderEntry, adapter: Adapter): boolean {
  return keysOf(entry).length > 0 || Object.keys(secretsOf(entry, adapter)).length > 0;
}

function createConfig(
  { server, telemetry }: Pick<ConfigEntry, "server" | "telemetry">,
  { targets, disabled }: BuiltProviders,
  names: Names,
  { source, newKey }: ConfigEnvironment,
): Config {
  const generated = server.keys.length === 0 ? newKey() : undefined;
  const keyring = generated === undefined
    ? createKeyring(server.keys, names)
    : new Keyring([[{ name: GENERATED_KEY_NAME }, generated]]);
  const admins = new Keyring(server.admin_keys.map(({ name, key }) => [{ name }, key]));
  return {
    source,
    server: {
      host: server.host,
      port: server.port,
      workers: server.workers,
      maxBody: server.max_body,
      maxElements: server.max_elements,
      cors: typeof server.cors === "string" ? [server.cors] : server.cors,
      drain: server.drain,
      keepAlive: server.keep_alive,
      earlyKeepAlive: server.early_keep_alive,
      maxInFlight: server.max_in_flight,
      maxConnections: server.max_connections,
      maxConnectionsPerAddress: server.max_connections_per_address,
      headTimeout: server.head_timeout,
      idleTimeout: server.idle_timeout,
      bodyTimeout: server.body_timeout,
      writeTimeout: server.write_timeout,
      images: toImageRules(server.images),
      publicMetrics: server.metrics === "public",
    },
    telemetry: { captureContent: telemetry.capture_content },
    serviceKeys: keyring.keys,
    hasAdmin: admins.keys.length > 0,
    ...(generated === undefined ? {} : { generatedKey: generated }),
    providers: new Map(targets.map(({ provider }) => [provider.settings.id, provider])),
    disabled,
    disabledAliases: names.disabledAliases,
    models: names.models,
    authenticate: (token) => keyring.authenticate(token),
    authenticateAdmin: (token) => admins.authenticate(token),
    isAllowed,
    resolve: (model) => names.resolve(model),
    find: (model) => names.find(model),
    explainDisabled: (model) => names.explainDisabled(model),
    suggest: (model, key) => names.suggest(model, key),
  };
}

function toImageRules({ http, allow, max_size, timeout }: ServerEntry["images"]): ImageRules {
  return { http, allow: new Set(allow), maxSize: max_size, timeout };
}

function createKeyring(entries: ServerEntry["keys"], names: Names): Keyring {
  return new Keyring(entries.map(({ name, key, models }) => {
    const patterns = models?.map((pattern) => new ModelPattern(pattern));
    return [patterns ? { name, models: names.matching(patterns) } : { name }, key];
  }));
}

/** The name of the generated service key. */
const GENERATED_KEY_NAME = "generated";

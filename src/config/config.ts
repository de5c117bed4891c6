/**
 * config.yaml: read, checked, and turned into one immutable value that knows
 * the providers, the service keys and every name of a model.
 */

import { isObject } from "../chat/chat.ts";
import { checkDocument } from "./check.ts";
import { modelsOf } from "./cross_checks.ts";
import type { DisabledModel } from "./disabled_names.ts";
import { fillReferences, type Sources } from "./references.ts";
import { ConfigFaults, isWithin } from "./config_errors.ts";
import { type AdminKey, isAllowed, Keyring, ModelPattern, type ServiceKey } from "./keys.ts";
import { type Link, type ModelEntry, Names, type OffAlias } from "./names.ts";
import { type DisabledReason, isCredential, prune } from "./disabled_providers.ts";
import {
  keysOf,
  type OffProvider,
  type Provider,
  secretsOf,
  type Target,
  toTargets,
} from "./providers.ts";
import {
  type ConfigEntry,
  createSchema,
  type LinkEntry,
  type ProviderEntry,
  serverAddress,
  type ServerEntry,
} from "./schema.ts";
import { findTab, findUnquoted, readYaml } from "./yaml.ts";
import type { Adapter } from "../providers/contract/adapter.ts";

export { ConfigFaults, type Fault } from "./config_errors.ts";
export { type AdminKey, fingerprintOf, type ServiceKey } from "./keys.ts";
export { type Link, type ModelEntry, type OffAlias, USUAL_WHEN } from "./names.ts";
export type { OffProvider, Provider, Target, Timeouts } from "./providers.ts";
export { configSchema, MOST_WORKERS } from "./schema.ts";

/** What may be downloaded: `server.images` of config.yaml. */
export interface ImageRules {
  /** Whether plain http is allowed. */
  readonly http: boolean;
  /** Hosts that may have any address. */
  readonly allow: ReadonlySet<string>;
  /** Bytes of one image. */
  readonly maxSize: number;
  /** Milliseconds for one image, from its name to its last byte. */
  readonly timeout: number;
}

/** How the gateway itself is served. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Threads that share the port; `auto` goes by the machine's cores. */
  readonly workers: number | "auto";
  /** Bytes. */
  readonly maxBody: number;
  /** List entries and object members that a request may hold. */
  readonly maxElements: number;
  /** Origins whose pages may call, `*` for all; empty when CORS is off. */
  readonly cors: readonly string[];
  /** Milliseconds that open answers may take at shutdown. */
  readonly drain: number;
  /** Milliseconds of silence within a stream before a comment is sent; 0 for none. */
  readonly keepAlive: number;
  /** Milliseconds without a first event after which a stream begins with comments; absent for never. */
  readonly earlyKeepAlive: number | undefined;
  /** Requests at a time. */
  readonly maxInFlight: number;
  /** Connections of callers at a time, in all and from one address. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds until a connection's first request has arrived, without its body. */
  readonly headTimeout: number;
  /** Milliseconds that a connection may wait for its next request. */
  readonly idleTimeout: number;
  /** Milliseconds that a caller's body may stall. */
  readonly bodyTimeout: number;
  /** Milliseconds that a caller may leave a stream unread. */
  readonly writeTimeout: number;
  readonly images: ImageRules;
  /** Whether `/metrics` is open to anyone. */
  readonly publicMetrics: boolean;
}

/** One generation of the configuration. It never changes. */
export interface Config {
  /** The file it came from, or `built-in`. */
  readonly source: string;
  readonly server: ServerSettings;
  readonly telemetry: { readonly captureContent: boolean };
  readonly serviceKeys: readonly ServiceKey[];
  /** Whether any admin key is configured. */
  readonly hasAdmin: boolean;
  /** The service key made for this run; absent when one is configured. */
  readonly generatedKey?: string;
  /** Those that are on, by ID, in the order of config.yaml. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly off: readonly OffProvider[];
  readonly offAliases: readonly OffAlias[];
  /** The rows of `GET /v1/models`. */
  readonly models: readonly ModelEntry[];
  /** The service key that a caller presents, found in constant time. */
  authenticate(token: string): ServiceKey | undefined;
  /** The admin key that a caller presents, found in constant time. */
  authenticateAdmin(token: string): AdminKey | undefined;
  /** Whether a key may name this model. */
  isAllowed(key: ServiceKey, model: string): boolean;
  /** Where a request for this model goes: an alias's chain, else one target. */
  resolve(model: string): readonly Link[] | undefined;
  /** The model under any of its names, with `id` as asked. */
  find(model: string): ModelEntry | undefined;
  /** Why a name that is configured cannot be used; undefined for any other name. */
  explainDisabled(model: string): string | undefined;
  /** The name that an unknown one may have been meant to be, among those the key may know. */
  suggest(model: string, key: ServiceKey): string | undefined;
}

/** What loading a configuration needs of the world. */
export interface Surroundings extends Sources {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes a service key, when none is configured. */
  readonly newKey: () => string;
  /** What the text is called in messages: its path, or `built-in`. */
  readonly source: string;
  readonly adapters: ReadonlyMap<string, Adapter>;
}

/**
 * Where a gateway with this config.yaml listens. Whatever else is wrong with the
 * file does not matter: one that runs may have begun with a better one.
 */
export function readAddress(
  text: string,
  sources: Sources,
): Pick<ServerSettings, "host" | "port"> {
  const { value } = fillReferences(readYaml(text).value, sources);
  const server = isObject(value) && isObject(value.server) ? value.server : {};
  return serverAddress.parse(server);
}

/**
 * Reads the text of a config.yaml.
 *
 * @throws {ConfigFaults} with every fault of it.
 */
export function loadConfig(text: string, surroundings: Surroundings): Config {
  const yaml = readYaml(text);
  if (yaml.value === undefined) {
    const hints = [...findTab(text), ...findUnquoted(text)];
    throw new ConfigFaults(surroundings.source, [...hints, ...yaml.faults]);
  }
  const filled = fillReferences(yaml.value, surroundings);
  const schema = createSchema(surroundings.adapters);
  const faults = [
    ...yaml.faults,
    ...filled.faults,
    ...filled.unset.filter(({ path }) => !isCredential(path))
      .map(({ path, reason }) => ({ path, message: reason })),
    // Of text that could not be filled in, enough has been said.
    ...checkDocument(filled.value, yaml.value, schema).filter(({ path, isOfName = false }) =>
      isOfName || ![...filled.unset, ...filled.faults].some((known) => isWithin(path, known.path))
    ),
  ];
  if (faults.length > 0 || !isObject(filled.value)) {
    throw new ConfigFaults(surroundings.source, [...findTab(text), ...faults]);
  }
  const { document, off } = prune(filled.value, filled.unset, surroundings.adapters);
  const entry = schema.parse(document);
  const { providers, pins, aliases } = entry;
  const built = buildProviders(filled.value.providers, providers, off, surroundings.adapters);
  const names = new Names({
    targets: built.targets,
    disabled: built.disabled,
    pins: new Map(Object.entries(pins)),
    aliases: new Map(
      Object.entries(aliases).map(([id, models]) => [id, [models].flat().map(toLink)]),
    ),
    loadedAt: Math.floor(surroundings.now() / 1000),
  });
  return createConfig(entry, built, names, surroundings);
}

function toLink(entry: string | LinkEntry): LinkEntry {
  return typeof entry === "string" ? { model: entry } : entry;
}

interface Built {
  readonly targets: readonly Target[];
  readonly off: readonly OffProvider[];
  /** The models of the providers that are off. */
  readonly disabled: readonly DisabledModel[];
}

/** Keeps the order of the document, off or not. */
function buildProviders(
  written: unknown,
  entries: Readonly<Record<string, ProviderEntry>>,
  reasons: ReadonlyMap<string, DisabledReason>,
  adapters: ReadonlyMap<string, Adapter>,
): Built {
  const configured = new Map(Object.entries(entries));
  const targets: Target[] = [];
  const off: OffProvider[] = [];
  for (const [id, members] of isObject(written) ? Object.entries(written) : []) {
    const entry = configured.get(id);
    const kind = isObject(members) ? String(members.kind) : "";
    const adapter = adapters.get(kind);
    if (entry === undefined || adapter === undefined) {
      off.push({ id, kind, ...(reasons.get(id) ?? { reason: "", publicReason: "" }) });
    } else if (adapter.defaults.credentials === "required" && !hasCredentials(entry, adapter)) {
      const others = adapter.credentialSets ?? [];
      const ways = [["api_key"], ...others.map(({ needs }) => needs)];
      const reason = `no ${ways.map((way) => way.join(" and ")).join(", nor ")}`;
      off.push({ id, kind, reason, publicReason: reason });
    } else {
      targets.push(...toTargets(id, entry, adapter));
    }
  }
  const disabled = modelsOf({ providers: written }).flatMap(({ provider: id, model }) => {
    const provider = off.find((one) => one.id === id);
    const name = isObject(model) ? model.id : model;
    return provider === undefined || typeof name !== "string" ? [] : [{ id: name, provider }];
  });
  return { targets, off, disabled };
}

function hasCredentials(entry: ProviderEntry, adapter: Adapter): boolean {
  return keysOf(entry).length > 0 || Object.keys(secretsOf(entry, adapter)).length > 0;
}

function createConfig(
  { server, telemetry }: Pick<ConfigEntry, "server" | "telemetry">,
  { targets, off }: Built,
  names: Names,
  { source, newKey }: Surroundings,
): Config {
  const generated = server.keys.length === 0 ? newKey() : undefined;
  const keyring = generated === undefined
    ? createKeyring(server.keys, names)
    : new Keyring([[{ name: GENERATED }, generated]]);
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
    off,
    offAliases: names.off,
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

/** The name of the key that is made when none is configured. */
const GENERATED = "generated";
